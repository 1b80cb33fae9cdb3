import { setTimeout as wait } from 'node:timers/promises';
import { anyOf, decodePart, isSnapshotAddress, SkillSearchError, sha256Of } from '../../core/index.js';
import { chunkPath, MAX_MANIFEST_BYTES, type Manifest, readManifest } from './manifest.js';

/**
 * Milliseconds after which it is looked how much of an answer came. A server that says nothing is asked twice for a
 * chunk: the caller is told within a minute.
 */
const RATE_TIME = 15_000;
/** Bytes that must come in that time. Six chunks come at a time: a line of 16 KB a second is fast enough. */
const RATE_BYTES = 32 * 1024;

/** How often a chunk is asked for, and milliseconds before the second time. Later waits are longer. */
const MOST_ATTEMPTS = 4;
/** The same of a server that is too slow: each time takes long. */
const MOST_SLOW_ATTEMPTS = 2;
const FIRST_PAUSE = 250;
const MOST_REDIRECTS = 5;
/** Chunks that are asked for at the same time. */
export const REQUESTS_AT_ONCE = 6;

/** A manifest, and what its server calls that revision of it. */
export interface FetchedManifest {
  readonly manifest: Manifest;
  /** Undefined if the server names none. */
  readonly tag: string | undefined;
}

/** The web server that a snapshot lies on. */
export class Origin {
  /** The address without user, password and query: safe to show. */
  readonly shown: string;
  /** Names this snapshot among others: without what may change, and without secrets. */
  readonly key: string;
  readonly #manifest: URL;
  readonly #authorization: string | undefined;
  readonly #rateTime: number;

  /**
   * @param rateTime milliseconds in which enough of an answer must come, again and again until it has ended
   * @throws {SkillSearchError} `INVALID_OPTION` if it is not the address of a file
   */
  constructor(address: string, rateTime: number = RATE_TIME) {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || !isSnapshotAddress(address) || url.pathname.endsWith('/')) {
      throw refusedAddress(
        'database must be the http or https address of a manifest, such as https://example.org/manifest.json',
      );
    }
    if (url.username !== '' || url.password !== '') {
      const [user, password] = [decodePart(url.username), decodePart(url.password)];
      if (user === undefined || password === undefined) {
        throw refusedAddress(
          'the user or password in the address of the snapshot is not percent-encoded: % itself is %25',
        );
      }
      this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    }
    url.username = '';
    url.password = '';
    url.hash = '';
    this.#manifest = url;
    this.#rateTime = rateTime;
    this.shown = `${url.origin}${url.pathname}`;
    this.key = sha256Of(this.shown).slice(0, 20);
  }

  /**
   * Asks for the manifest.
   *
   * @param tag of the manifest that is known
   * @returns undefined if it is still that one
   * @throws {SkillSearchError} `SNAPSHOT_NOT_AVAILABLE`, `INVALID_SNAPSHOT`
   * @throws the signal's reason when aborted
   */
  async manifest(tag: string | undefined, signal: AbortSignal | undefined): Promise<FetchedManifest | undefined> {
    const headers = tag === undefined ? {} : { 'If-None-Match': tag };
    const got = await this.#get(this.#manifest, MAX_MANIFEST_BYTES, headers, signal);
    if (got.status === 304 && tag !== undefined) return undefined;
    if (got.status !== 200) throw this.#unavailable(`the server answers ${got.status} for its manifest`);
    return { manifest: readManifest(got.body.toString('utf8'), this.shown), tag: got.tag };
  }

  /**
   * Fetches a chunk, and looks whether it is the one that was asked for.
   *
   * @throws {SkillSearchError} `SNAPSHOT_NOT_AVAILABLE`, `INVALID_SNAPSHOT`
   * @throws the signal's reason when aborted
   */
  async chunk(digest: string, bytes: number, signal: AbortSignal): Promise<Buffer> {
    const url = new URL(chunkPath(digest), this.#manifest);
    // What gives access to the manifest gives it to the chunks, too: addresses that are signed for a folder.
    url.search = this.#manifest.search;
    const name = `chunk ${digest.slice(0, 12)}`;
    let slow = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const { status, body } = await this.#get(url, bytes, {}, signal);
        if (status !== 200) throw this.#unavailable(`the server answers ${status} for ${name}`);
        if (body.length === bytes && sha256Of(body) === digest) return body;
        const message = `${this.shown}: ${name} is not what the manifest says: ${body.length} of ${bytes} bytes, SHA-256 ${sha256Of(body).slice(0, 12)}`;
        throw new SkillSearchError('INVALID_SNAPSHOT', message);
      } catch (error) {
        if (error instanceof Error && error.cause instanceof TooSlowError) slow += 1;
        if (signal.aborted || attempt === MOST_ATTEMPTS || slow === MOST_SLOW_ATTEMPTS) throw error;
        await wait(FIRST_PAUSE * 3 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  /** @param most bytes that are read; what has more is refused */
  async #get(url: URL, most: number, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    const rate = new LeastRate(this.#rateTime);
    const either = anyOf([signal, rate.signal]);
    try {
      const response = await this.#ask(url, headers, either.signal);
      const { status } = response;
      const tag = response.headers.get('etag') ?? undefined;
      if (status !== 200) {
        await response.body?.cancel();
        return { status, tag, body: Buffer.alloc(0) };
      }
      const encoding = response.headers.get('content-encoding') ?? 'identity';
      if (encoding.toLowerCase() !== 'identity') {
        throw this.#unavailable(
          `the server sends it compressed, with Content-Encoding: ${encoding}, though it was asked not to: store the files of a snapshot as they are`,
        );
      }
      const parts: Uint8Array[] = [];
      let bytes = 0;
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += part.length;
        rate.came(part.length);
        if (bytes > most)
          throw new SkillSearchError('INVALID_SNAPSHOT', `${this.shown}: an answer has more than ${most} bytes`);
        parts.push(part);
      }
      return { status, tag, body: Buffer.concat(parts) };
    } catch (error) {
      if (error instanceof SkillSearchError) throw error;
      signal?.throwIfAborted();
      const cause = rate.signal.aborted ? rate.signal.reason : error;
      throw this.#unavailable(requestFault(cause as Error), cause);
    } finally {
      rate.stop();
      either.end();
    }
  }

  /** The answer of the server that an address leads to. */
  async #ask(from: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    let url = from;
    for (let redirects = 0; ; redirects++) {
      const all: Record<string, string> = {
        'User-Agent': 'skill-discovery',
        'Accept-Encoding': 'identity',
        ...headers,
      };
      // Only its own server may see the password.
      if (this.#authorization !== undefined && url.origin === this.#manifest.origin) {
        all['Authorization'] = this.#authorization;
      }
      const response = await fetch(url, { headers: all, redirect: 'manual', signal });
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const isSafe = next !== undefined && (next.protocol === 'https:' || next.protocol === url.protocol);
      if (!isSafe) throw this.#unavailable('it redirects to what is not https');
      if (redirects === MOST_REDIRECTS) throw this.#unavailable('it redirects again and again');
      url = next;
    }
  }

  #unavailable(reason: string, cause?: unknown): SkillSearchError {
    const message = `cannot fetch the snapshot at ${this.shown}: ${reason}`;
    return new SkillSearchError('SNAPSHOT_NOT_AVAILABLE', message, { cause });
  }
}

function refusedAddress(message: string): SkillSearchError {
  return new SkillSearchError('INVALID_OPTION', message, { parameter: 'database' });
}

/** Why an answer was given up. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Aborts its signal when too little of an answer comes: one that trickles would keep a start waiting without end. */
class LeastRate extends AbortController {
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  /** @param time milliseconds in which enough must come, again and again until the answer has ended */
  constructor(time: number) {
    super();
    this.#timer = setInterval(() => {
      const bytes = this.#bytes;
      this.#bytes = 0;
      if (bytes >= RATE_BYTES) return;
      const came = bytes === 0 ? 'nothing' : bytes === 1 ? 'only 1 byte' : `only ${bytes} bytes`;
      this.abort(new TooSlowError(`${came} came within ${time / 1000} seconds`));
    }, time);
  }

  /** Notes that more of the answer is here. */
  came(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The answer has ended. */
  stop(): void {
    clearInterval(this.#timer);
  }
}

/** What the codes of Node.js mean for somebody who gave an address. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ECONNREFUSED: 'nothing listens there: the connection was refused',
  ETIMEDOUT: 'no connection came about',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about',
  ENOTFOUND: 'no machine has that name',
  EAI_AGAIN: 'its name could not be looked up',
};

/** What OpenSSL says of an answer that is none of TLS. */
const NO_TLS = /wrong version number|packet length too long|record layer failure|http request/i;

/** Says in a sentence why a request failed. */
function requestFault(error: Error): string {
  // `fetch` itself says only that it failed.
  const { code = '', message } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
  // Versions of Node.js differ in the code.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    if (NO_TLS.test(message)) return 'what answers there does not speak https: is the address one of http?';
    const [, reason = message.trim()] = /SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
    return `no TLS connection came about: ${reason}`;
  }
  if (code.startsWith('HPE_')) return 'what answers there does not speak http: is the address one of https?';
  // Of a name with several addresses, each with an error of its own, there is no message.
  return SENTENCES[code] ?? (message === '' ? code : message);
}
