import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from './call.js';

/** A request of `node:http`, as the service needs it. */
export class NodeCall implements Call {
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly arrived: number;
  readonly ready: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, origin: string, arrived: number, ready: number) {
    const { method = 'GET', url = '/' } = request;
    this.method = method;
    this.target = targetOf(url);
    this.origin = origin;
    this.arrived = arrived;
    this.ready = ready;
    this.#request = request;
    this.#response = response;
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
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort(new Error('the client closed the connection')));
    return gone.signal;
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
