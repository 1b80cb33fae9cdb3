import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Body, type Call, type ListBody, wholeOf } from './call.js';
import type { BodyLimits } from './request-body.js';

/** What a call needs of the server that it came to. */
export interface CallServer {
  readBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer>;
  turnOf(request: IncomingMessage): Promise<void>;
}

/** A request of `node:http`, as the service needs it. */
export class NodeCall implements Call {
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly arrived: number;
  readonly ready: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #server: CallServer;
  #gone: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    origin: string,
    arrived: number,
    ready: number,
    server: CallServer,
  ) {
    const { method = 'GET', url = '/' } = request;
    this.method = method;
    this.target = targetOf(url);
    this.origin = origin;
    this.arrived = arrived;
    this.ready = ready;
    this.#request = request;
    this.#response = response;
    this.#server = server;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Created on demand: keyword searches never need it. */
  get signal(): AbortSignal {
    const gone = this.#gone ?? new AbortController();
    const abort = (): void => gone.abort(new Error('the client closed the connection'));
    if (this.#gone === undefined) this.#response.once('close', abort);
    this.#gone = gone;
    // It may have gone while its body was read, or waited for its turn. A response that waits behind others of its
    // connection does not say so.
    if (this.#response.destroyed || this.#request.socket.destroyed) abort();
    return gone.signal;
  }

  body(limits: BodyLimits): Promise<Buffer> {
    return this.#server.readBody(this.#request, this.#response, limits);
  }

  turn(): Promise<void> {
    return this.#server.turnOf(this.#request);
  }
}

/** The path and query of a request. Requests to a proxy have the whole URL as their target. */
export function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (absolute === undefined) return url;
  const target = url.slice(absolute.length);
  return target.startsWith('/') ? target : `/${target}`;
}

/** The bytes of a body; `lent` is their buffer if it must be given back. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly lent: Buffer | undefined;
}

const BUFFER_BYTES = 128 * 1024;
/** More answers are in transit only if many clients read slowly. */
const MOST_BUFFERS = 64;
/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MOST_BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

/**
 * Encodes bodies in UTF-8, part by part into reused buffers. Joining the parts to one string would copy them several
 * times, with two bytes a character if any part needs them. New buffers of this size would be memory that is not in the
 * processor's cache.
 */
export class BodyBuffers {
  readonly #free: Buffer[] = [];
  #made = 0;

  /** @param reusable whether the caller calls {@link BodyBuffers.giveBack} once the bytes are sent */
  encode(body: Body, reusable: boolean): EncodedBody {
    const isList = typeof body !== 'string' && !(body instanceof Uint8Array);
    if (reusable && isList && mostBytes(body) <= BUFFER_BYTES) {
      const lent = this.#take();
      if (lent !== undefined) return { bytes: lent.subarray(0, write(body, lent)), lent };
    }
    const whole = wholeOf(body);
    if (typeof whole === 'string') return { bytes: Buffer.from(whole), lent: undefined };
    return { bytes: Buffer.from(whole.buffer, whole.byteOffset, whole.length), lent: undefined };
  }

  giveBack(lent: Buffer): void {
    this.#free.push(lent);
  }

  /** The buffer that was used last: it is most likely in the processor's cache. */
  #take(): Buffer | undefined {
    const buffer = this.#free.pop();
    if (buffer !== undefined || this.#made === MOST_BUFFERS) return buffer;
    this.#made += 1;
    return Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }
}

function mostBytes({ before, items, after }: ListBody): number {
  let units = before.length + after.length;
  for (const item of items) units += item.length + 1;
  return units * MOST_BYTES_PER_UNIT;
}

/** @returns the number of bytes written */
function write({ before, items, after }: ListBody, to: Buffer): number {
  let at = to.write(before);
  for (let i = 0; i < items.length; i++) {
    if (i > 0) to[at++] = COMMA;
    at += to.write(items[i]!, at);
  }
  return at + to.write(after, at);
}
