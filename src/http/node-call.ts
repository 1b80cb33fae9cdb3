import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from './call.js';
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
