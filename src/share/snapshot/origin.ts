import { createHash } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { isSnapshotAddress, SkillSearchError } from '../../core/index.js';
import { chunkPath, digestOf, MAX_MANIFEST_BYTES, type Manifest, readManifest } from './manifest.js';

/** Bounds of how fast the server of a snapshot must answer. */
interface SnapshotRateLimits {
  /**
   * Milliseconds after which it is looked how much of an answer came. A server that says nothing is asked twice for a
   * chunk: whoever waits is told within a minute.
   */
  readonly time: number;
  /**
   * Bytes of an answer that must come in that time. Six chunks come at a time: a line of 16 KB a second is fast enough.
   */
  readonly bytes: number;
}

/** The least rate of an answer that has not ended. It cannot be changed. */
const SNAPSHOT_RATE_LIMITS: SnapshotRateLimits = { time: 15_000, bytes: 32 * 1024 };

/** How often a chunk is asked for, and milliseconds before the second time. Later waits are longer. */
const MOST_ATTEMPTS = 4;
/** The same of a server that is too slow: each time takes long. */
const MOST_SLOW_ATTEMPTS = 2;
const FIRST_PAUSE = 250;
const MOST_REDIRECTS = 5;
/** Chunks that are asked for at the same time. */
export const REQUESTS_AT_ONCE = 6;

/** A manifest, and what its server calls that state of it. */
export interface FetchedManifest {
  readonly manifest: Manifest;
  /** Undefined if the server names none. */
  readonly tag: string | undefined;
}

interface Got {
  readonly status: number;
  readonly tag: string | undefined;
  readonly body: Buffer;
}

/** An answer whose body is still to come, and what watches over how fast it comes. */
interface Begun {
  readonly response: IncomingMessage;
  readonly rate: LeastRate;
}

/** The web server that a snapshot lies on. */
export class Origin {
  /** The address without user, password and query: safe to show. */
  readonly shown: string;
  readonly #manifest: URL;
  readonly #authorization: string | undefined;
  readonly #rateTime: number | undefined;
  readonly #agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE }),
  };

  /**
   * @param rateTime as of {@link LeastRate}
   * @throws {SkillSearchError} `INVALID_OPTION` if it is not the address of a file
   */
  constructor(address: string, rateTime?: number) {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || !isSnapshotAddress(address) || url.pathname.endsWith('/')) {
      const message =
        'database must be the http or https address of a manifest, such as https://example.org/manifest.json';
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'database' });
    }
    const { username, password } = url;
    if (username !== '' || password !== '') {
      const text = `${decoded(username)}:${decoded(password)}`;
      this.#authorization = `Basic ${Buffer.from(text).toString('base64')}`;
    }
    url.username = '';
    url.password = '';
    url.hash = '';
    this.#manifest = url;
    this.shown = `${url.origin}${url.pathname}`;
    this.#rateTime = rateTime;
  }

  /** What names this snapshot among others: without what may change, and without secrets. */
  get key(): string {
    return createHash('sha256').update(this.shown).digest('hex').slice(0, 20);
  }

  /**
   * Asks for the manifest.
   *
   * @param tag of the manifest that is known
   * @returns undefined if it is still that one
   * @throws {SkillSearchError} `SNAPSHOT_NOT_AVAILABLE`, `INVALID_SNAPSHOT`
   * @throws the signal's reason when aborted
   */
  async manifest(tag: string | undefined, signal: AbortSignal): Promise<FetchedManifest | undefined> {
    const headers = tag === undefined ? {} : { 'If-None-Match': tag };
    const got = await this.#get(this.#manifest, MAX_MANIFEST_BYTES, headers, signal);
    if (got.status === 304 && tag !== undefined) return undefined;
    if (got.status !== 200) throw this.#refused('its manifest', got.status);
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
    let slow = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const { status, body } = await this.#get(url, bytes, {}, signal);
        if (status !== 200) throw this.#refused(`chunk ${digest.slice(0, 12)}`, status);
        if (body.length === bytes && digestOf(body) === digest) return body;
        const message = `${this.shown}: chunk ${digest.slice(0, 12)} is not what the manifest says: ${body.length} of ${bytes} bytes, SHA-256 ${digestOf(body).slice(0, 12)}`;
        throw new SkillSearchError('INVALID_SNAPSHOT', message);
      } catch (error) {
        if (error instanceof Error && error.cause instanceof TooSlowError) slow += 1;
        if (signal.aborted || attempt === MOST_ATTEMPTS || slow === MOST_SLOW_ATTEMPTS) throw error;
        await wait(FIRST_PAUSE * 3 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #get(from: URL, most: number, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Got> {
    let url = from;
    for (let redirects = 0; ; redirects++) {
      const begun = await this.#ask(url, headers, signal);
      const { response } = begun;
      const status = response.statusCode ?? 0;
      const { location, etag } = response.headers;
      if (status < 301 || status > 308 || status === 304 || location === undefined) {
        return { status, tag: etag, body: await this.#bodyOf(begun, status === 200 ? most : 0, signal) };
      }
      response.resume();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const isSafe = next !== undefined && (next.protocol === 'https:' || next.protocol === url.protocol);
      if (!isSafe || redirects === MOST_REDIRECTS) {
        throw this.#unavailable(isSafe ? 'it redirects again and again' : 'it redirects to what is not https');
      }
      url = next;
    }
  }

  #ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Begun> {
    const isSecure = url.protocol === 'https:';
    const ask: typeof requestHttp = isSecure ? requestHttps : requestHttp;
    const agent = isSecure ? this.#agents.https : this.#agents.http;
    const all: Record<string, string> = { 'User-Agent': 'skill-discovery', 'Accept-Encoding': 'identity', ...headers };
    // Only its own server may see the password.
    if (this.#authorization !== undefined && url.origin === this.#manifest.origin) {
      all['Authorization'] = this.#authorization;
    }
    return new Promise((resolve, reject) => {
      const request = ask(url, { agent, headers: all, signal });
      // A request that has its response would not say why it was destroyed.
      let begun: IncomingMessage | undefined;
      const rate = new LeastRate((slow) => void (begun ?? request).destroy(slow), this.#rateTime);
      request.on('close', () => rate.stop());
      request.on('response', (response) => {
        begun = response;
        resolve({ response, rate });
      });
      request.on('error', (cause: Error) =>
        reject(signal.aborted ? signal.reason : this.#unavailable(requestFault(cause), cause)),
      );
      request.end();
    });
  }

  /** @param most bytes that are read; what has more is refused */
  async #bodyOf({ response, rate }: Begun, most: number, signal: AbortSignal): Promise<Buffer> {
    const parts: Buffer[] = [];
    let bytes = 0;
    if (most === 0) {
      response.resume();
      return Buffer.alloc(0);
    }
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity') {
      response.destroy();
      throw this.#unavailable(
        `the server sends it compressed, with Content-Encoding: ${encoding}, though it was asked not to: store the files of a snapshot as they are`,
      );
    }
    try {
      for await (const part of response as AsyncIterable<Buffer>) {
        bytes += part.length;
        rate.came(part.length);
        if (bytes > most)
          throw new SkillSearchError('INVALID_SNAPSHOT', `${this.shown}: an answer has more than ${most} bytes`);
        parts.push(part);
      }
    } catch (cause) {
      if (cause instanceof SkillSearchError) throw cause;
      signal.throwIfAborted();
      throw this.#unavailable(requestFault(cause as Error), cause);
    }
    return Buffer.concat(parts);
  }

  #refused(what: string, status: number): SkillSearchError {
    return this.#unavailable(`the server answers ${status} for ${what}`);
  }

  #unavailable(reason: string, cause?: unknown): SkillSearchError {
    const message = `cannot fetch the snapshot at ${this.shown}: ${reason}`;
    return new SkillSearchError('SNAPSHOT_NOT_AVAILABLE', message, { cause });
  }
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const message = 'the user or password in the address of the snapshot is not percent-encoded: % itself is %25';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'database' });
  }
}

/** Why an answer was given up. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Watches over an answer: one that trickles would keep a start waiting without end. */
export class LeastRate {
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  /**
   * @param onSlow called once, when too little came
   * @param time milliseconds in which enough must come, again and again until the answer has ended
   */
  constructor(onSlow: (error: TooSlowError) => void, time: number = SNAPSHOT_RATE_LIMITS.time) {
    const look = (): void => {
      const bytes = this.#bytes;
      this.#bytes = 0;
      if (bytes >= SNAPSHOT_RATE_LIMITS.bytes) return;
      this.stop();
      const came = bytes === 0 ? 'nothing' : bytes === 1 ? 'only 1 byte' : `only ${bytes} bytes`;
      onSlow(new TooSlowError(`${came} came within ${time / 1000} seconds`));
    };
    this.#timer = setInterval(look, time).unref();
  }

  /** Says that more of the answer is here. */
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
  ECONNREFUSED: 'nothing listens there: the connection was refused',
  ETIMEDOUT: 'no connection came about',
  ENOTFOUND: 'no machine has that name',
  EAI_AGAIN: 'its name could not be looked up',
};

/** What OpenSSL says of an answer that is none of TLS. */
const NO_TLS = /wrong version number|packet length too long|record layer failure|http request/i;

/** Says in a sentence why a request failed. */
function requestFault(error: Error): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
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
