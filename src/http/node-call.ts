import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from './call.js';

/** A request of `node:http` as the service looks at it. */
export class NodeCall implements Call {
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly arrived: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, origin: string, arrived: number) {
    const { method = 'GET', url = '/' } = request;
    this.method = method;
    this.target = url.startsWith('/') ? url : withoutOrigin(url);
    this.origin = origin;
    this.arrived = arrived;
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

  /** Most requests are answered before anybody asks. */
  get signal(): AbortSignal {
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort(new Error('the client is gone')));
    return gone.signal;
  }
}

/** Who speaks to a proxy sends the whole address. */
function withoutOrigin(url: string): string {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (absolute === undefined) return url;
  const target = url.slice(absolute.length);
  return target.startsWith('/') ? target : `/${target}`;
}
