import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, Server as NetServer, type Socket } from 'node:net';
import { type SkillSearch, SkillSearchError } from '../index.js';
import type { Call } from './call.js';
import { errorBody } from './error-content.js';
import { type HandlerOptions, resolveHandlerOptions } from './options.js';
import { SkillDiscoveryService } from './service.js';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8787;

/** What a server puts up with. Times are in milliseconds. */
interface ServerLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /** How long nothing may move while an answer is sent. */
  readonly idleTimeout: number;
  readonly connections: number;
  /** How often slow clients are looked for. */
  readonly checkingInterval: number;
}

export const SERVER_LIMITS: ServerLimits = {
  // 2,000 characters of any script are up to 24 KB of a URL.
  headerBytes: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than proxies keep theirs, so that it is they who end them: else a request may come just as one is ended.
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 2_000,
  checkingInterval: 1_000,
};

/** How long requests that are being answered may take when the server is closed, in milliseconds. */
const DEFAULT_GRACE = 10_000;
/** How long clients that may be sending already get when the server is closed, in milliseconds. */
const LINGER = 250;

export interface ServerOptions extends HandlerOptions {
  /** Address or name to listen at. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 for one that is free. @default 8787 */
  readonly port?: number | undefined;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** `http://<host>:<port>`; of a server that listens everywhere, of this machine. */
  readonly url: string;
  /**
   * Takes no more connections, answers what was asked, and ends. Neither search nor access are closed.
   *
   * @param grace milliseconds that answers may take; connections that are open then are cut @default 10000
   */
  close(grace?: number): Promise<void>;
}

/**
 * Serves the Skill Discovery API over HTTP.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `ADDRESS_NOT_AVAILABLE`
 * @example
 * const server = await startServer(search, { access: openAccess({ state: 'access.db' }), port: 8787 });
 */
export async function startServer(search: SkillSearch, options: ServerOptions = {}): Promise<RunningServer> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new SkillSearchError('INVALID_OPTION', `port must be an integer from 0 to 65535, got ${String(port)}`);
  }
  if (typeof host !== 'string' || host === '') {
    throw new SkillSearchError('INVALID_OPTION', `host must be an address or a name, got ${JSON.stringify(host)}`);
  }
  const service = new SkillDiscoveryService(search, resolveHandlerOptions(options));
  const server = new HttpServer(service);
  await server.listen(host, port);
  return server;
}

class HttpServer implements RunningServer {
  readonly #service: SkillDiscoveryService;
  readonly #server: Server;
  #url = '';
  #host = '';
  #port = 0;
  #closing = false;

  constructor(service: SkillDiscoveryService) {
    this.#service = service;
    const limits = SERVER_LIMITS;
    this.#server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeout,
      requestTimeout: limits.requestTimeout,
      keepAliveTimeout: limits.keepAliveTimeout,
      connectionsCheckingInterval: limits.checkingInterval,
      // A second `Authorization` makes it a wrong one, instead of being dropped.
      joinDuplicateHeaders: true,
    });
    this.#server.maxConnections = limits.connections;
    this.#server.timeout = limits.idleTimeout;
    const respond = (request: IncomingMessage, response: ServerResponse): void => this.#respond(request, response);
    this.#server.on('request', respond);
    // Who asks whether to send a body is answered instead.
    this.#server.on('checkContinue', respond);
    this.#server.on('checkExpectation', respond);
    this.#server.on('clientError', refuse);
  }

  get host(): string {
    return this.#host;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return this.#url;
  }

  async listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
      this.#server.listen({ host, port }, resolve);
    });
    this.#server.removeAllListeners('error');
    this.#host = host;
    this.#port = (this.#server.address() as AddressInfo).port;
    const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (isIPv6(host) ? `[${host}]` : host);
    this.#url = `http://${reachable}:${this.#port}`;
  }

  async close(grace: number = DEFAULT_GRACE): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const server = this.#server;
    // Connections that wait to be accepted are, in this turn of the event loop.
    await new Promise(setImmediate);
    // Not the close() of an HTTP server: it cuts idle connections at once, and a request may be on its way on one. Each
    // answer from here on tells the client to close.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const cutIdle = setInterval(() => server.closeIdleConnections(), LINGER);
    const cutAll = setTimeout(() => server.closeAllConnections(), grace);
    await closed;
    clearInterval(cutIdle);
    clearTimeout(cutAll);
    // What else belongs to an HTTP server: its look-out for slow clients.
    server.close();
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    this.#send(this.#toCall(request, response), request, response).catch(() => request.socket.destroy());
  }

  async #send(call: Call, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body } = await this.#service.answer(call);
    if (response.destroyed) return;
    // What is left of a body is not read: nobody sends one for a reason.
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    const closing = this.#closing || hasBody;
    response.writeHead(status, {
      ...headers,
      ...(status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body) }),
      ...(closing ? { Connection: 'close' } : {}),
    });
    response.end(call.method === 'HEAD' ? '' : body);
  }

  #toCall(request: IncomingMessage, response: ServerResponse): Call {
    const { method = 'GET', url = '/', headers, socket } = request;
    const absolute = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
    return {
      method,
      target: absolute === undefined ? url : url.slice(absolute.length) || '/',
      origin: this.#originOf(headers.host),
      address: socket.remoteAddress,
      header(name) {
        const value = headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
      // Most requests are answered before anybody asks.
      get signal() {
        const gone = new AbortController();
        response.once('close', () => gone.abort(new Error('the client is gone')));
        return gone.signal;
      },
    };
  }

  /** As the client has it, as far as that can be an address: it is told nothing but what it said itself. */
  #originOf(host: string | undefined): string {
    return host !== undefined && /^[a-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:.]+\](?::\d+)?$/i.test(host)
      ? `http://${host}`
      : this.#url;
  }
}

/** What is not HTTP, too long or too slow. There is no request to answer, so it is told in as few words as will do. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = REFUSALS[error.code ?? ''] ?? OTHER_REFUSAL;
  const body = errorBody(code, message);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}

const REFUSALS: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'INVALID_QUERY',
    `the address and the headers of a request may have ${SERVER_LIMITS.headerBytes} bytes together`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'REQUEST_TIMEOUT', 'the request took too long to come'],
};
const OTHER_REFUSAL = ['400 Bad Request', 'MALFORMED_REQUEST', 'this is not a request that HTTP knows'] as const;

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): SkillSearchError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there; choose another port',
    EACCES: 'this user may not; ports below 1024 are mostly reserved',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no such host is known',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new SkillSearchError('ADDRESS_NOT_AVAILABLE', `cannot listen at ${host}, port ${port}: ${reason}`, {
    cause: error,
  });
}
