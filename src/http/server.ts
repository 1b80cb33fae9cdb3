import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { BodyBuffers } from './body-buffers.js';
import type { Answer } from './call.js';
import { NodeCall } from './node-call.js';
import { type HandlerOptions, resolveHandlerOptions } from './options.js';
import { PendingAnswers } from './pending-answers.js';
import { MALFORMED, type Refusal, refusalOf, sendRaw, UNKNOWN_METHOD } from './refusal.js';
import { SERVER_LIMITS } from './server-limits.js';
import { SkillDiscoveryService } from './service.js';
import { Turns } from './turns.js';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8787;

/** How long requests that are being answered may take when the server is closed, in milliseconds. */
const DEFAULT_GRACE = 10_000;
/** How long clients that may be sending already get when the server is closed, in milliseconds. */
const LINGER = 250;
/** How long answers that were cut may take to end, in milliseconds. */
const LONGEST_ENDING = 1000;
/** How long connections that wait are taken then, in milliseconds: there may be always more. */
const LONGEST_ACCEPTING = 100;

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

/** A request and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of `performance.now()`. */
  readonly arrived: number;
  /** The buffer that the answer is sent from. */
  lent: Buffer | undefined;
}

class HttpServer implements RunningServer {
  readonly #service: SkillDiscoveryService;
  readonly #server: Server;
  #url = '';
  #host = '';
  #port = 0;
  readonly #pending = new PendingAnswers(SERVER_LIMITS.pipelined);
  readonly #turns = new Turns();
  readonly #buffers = new BodyBuffers();
  /** Answers in the making. */
  readonly #running = new Set<Promise<void>>();
  /** The `Host` that was looked at last, and what came of it. */
  #lastHost: string | undefined;
  #lastOrigin = '';
  readonly #connections = new Set<Socket>();
  /** Connections so far. */
  #accepted = 0;
  #closed: Promise<void> | undefined;

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
      // Answered below, by an error of the usual shape.
      requireHostHeader: false,
    });
    // As many as the bytes allow: those above a number would be dropped without a word.
    this.#server.maxHeadersCount = 0;
    this.#server.maxConnections = limits.connections;
    this.#server.timeout = limits.idleTimeout;
    const respond = (request: IncomingMessage, response: ServerResponse): void => this.#respond(request, response);
    this.#server.on('request', respond);
    // Who asks whether to send a body is answered instead.
    this.#server.on('checkContinue', respond);
    this.#server.on('checkExpectation', respond);
    this.#server.on('connection', (socket: Socket) => {
      this.#accepted += 1;
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#server.on('clientError', (error, socket) => this.#refuse(socket as Socket, refusalOf(error)));
    this.#server.on('connect', (_, socket) => this.#refuse(socket as Socket, UNKNOWN_METHOD));
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
    // A connection that could not be taken ends by itself, not the process.
    this.#server.on('error', () => {});
    this.#host = host;
    this.#port = (this.#server.address() as AddressInfo).port;
    const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (isIPv6(host) ? `[${host}]` : host);
    this.#url = `http://${reachable}:${this.#port}`;
    this.#lastOrigin = this.#url;
  }

  close(grace: number = DEFAULT_GRACE): Promise<void> {
    this.#closed ??= this.#close(grace);
    return this.#closed;
  }

  async #close(grace: number): Promise<void> {
    const server = this.#server;
    await this.#acceptWaiting();
    // Not the close() of an HTTP server: it cuts idle connections at once, and a request may be on its way on one. Each
    // answer from here on tells the client to close.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const cutIdle = setInterval(() => {
      server.closeIdleConnections();
      // For Node a connection that never sent a byte is not idle.
      for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
    }, LINGER);
    const cutAll = setTimeout(() => {
      for (const socket of this.#connections) socket.destroy();
    }, grace);
    await closed;
    clearInterval(cutIdle);
    clearTimeout(cutAll);
    // What else belongs to an HTTP server: its look-out for slow clients.
    server.close();
    // Those that were cut still give back what they reserved.
    await Promise.race([Promise.all(this.#running), wait(LONGEST_ENDING, undefined, { ref: false })]);
  }

  /** Connections that the system has made already are taken one by one, in turns of the event loop. */
  async #acceptWaiting(): Promise<void> {
    const end = performance.now() + LONGEST_ACCEPTING;
    for (let quiet = 0; quiet < 2 && performance.now() < end; quiet++) {
      const before = this.#accepted;
      await new Promise(setImmediate);
      if (this.#accepted > before) quiet = -1;
    }
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const arrived = performance.now();
    this.#pending.begin(socket, () => {
      const exchange: Exchange = { request, response, arrived, lent: undefined };
      response.once('close', () => {
        if (exchange.lent !== undefined) this.#buffers.giveBack(exchange.lent);
        this.#pending.end(socket);
      });
      if (isAmbiguous(request)) {
        this.#write(exchange, this.#service.refuse(MALFORMED, socket.remoteAddress), true);
        return;
      }
      this.#turns.run(() => this.#answer(exchange));
    });
  }

  #answer(exchange: Exchange): void {
    const { request, response, arrived } = exchange;
    try {
      const answer = this.#service.answer(
        new NodeCall(request, response, this.#originOf(request.headers.host), arrived),
      );
      if (!(answer instanceof Promise)) {
        this.#send(exchange, answer);
        return;
      }
      const sent = answer.then((made) => this.#send(exchange, made)).catch(() => void request.socket.destroy());
      this.#running.add(sent);
      sent.finally(() => this.#running.delete(sent));
    } catch {
      request.socket.destroy();
    }
  }

  /** After the answers that the connection waits for: else it would be taken for the first of them. */
  #refuse(socket: Socket, refusal: Refusal | undefined): void {
    this.#pending.afterLast(socket, () => {
      if (refusal === undefined) socket.destroy();
      else sendRaw(socket, this.#service.refuse(refusal, socket.remoteAddress));
    });
  }

  #send(exchange: Exchange, answer: Answer): void {
    const { request, response } = exchange;
    if (response.destroyed) return;
    // What is left of a body is not read: nobody sends one for a reason.
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    this.#write(exchange, answer, this.#closed !== undefined || hasBody);
  }

  #write(exchange: Exchange, { status, headers, body }: Answer, closing: boolean): void {
    const { request, response } = exchange;
    // An answer that waits for others may never be told that its connection was closed.
    const { bytes, lent } = this.#buffers.encode(body, response.socket !== null);
    exchange.lent = lent;
    const all = [...headers];
    if (status !== 204) all.push('Content-Length', String(bytes.length));
    if (closing) all.push('Connection', 'close');
    response.writeHead(status, all);
    response.end(request.method === 'HEAD' || status === 204 ? '' : bytes);
  }

  /** As the client has it, as far as that can be an address: it is told nothing but what it said itself. */
  #originOf(host: string | undefined): string {
    // Mostly all clients have the same.
    if (host === this.#lastHost) return this.#lastOrigin;
    const isAddress = host !== undefined && /^[a-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:.]+\](?::\d+)?$/i.test(host);
    this.#lastHost = host;
    this.#lastOrigin = isAddress ? `http://${host}` : this.#url;
    return this.#lastOrigin;
  }
}

/** No host or two, or a body whose end nobody can tell: not to be answered (RFC 9112, 3.2 and 6.1). */
function isAmbiguous({ httpVersion, headers }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': coding = 'chunked' } = headers;
  const hasOneHost = host === undefined ? httpVersion !== '1.1' : !host.includes(', ');
  return !hasOneHost || coding.toLowerCase() !== 'chunked';
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): SkillSearchError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there; choose another port',
    EACCES: 'this user may not; ports below 1024 are mostly reserved',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no such host is known',
    EAI_AGAIN: 'the name of the host cannot be looked up now',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new SkillSearchError('ADDRESS_NOT_AVAILABLE', `cannot listen at ${host}, port ${port}: ${reason}`, {
    cause: error,
  });
}
