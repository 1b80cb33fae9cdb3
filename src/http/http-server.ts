import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { clientOfAddress } from '../access/index.js';
import { SkillSearchError } from '../index.js';
import type { Answer, Call } from './call.js';
import { addressOfClient, type TrustedHops } from './forwarded-address.js';
import { type ConnectionLimits, type OpenConnection, OpenConnections, SERVER_LIMITS } from './open-connections.js';
import { MCP_HTTP_LIMITS } from './options.js';
import { AddressRate } from './rate-limits.js';
import {
  type ArrivingBody,
  type BodyLimits,
  MALFORMED,
  type Refusal,
  RefusedRequest,
  readBody,
  refusalOf,
  sendRaw,
  TOO_MANY_REQUESTS,
  tooLarge,
  UNKNOWN_METHOD,
} from './request-body.js';
import type { SkillDiscoveryService } from './service.js';
import { Turns } from './turns.js';

/** While a server closes: milliseconds for requests that are being answered. */
const DEFAULT_GRACE = 10_000;
/** While a server closes: milliseconds for answers whose connection was cut, so that they give back their quota. */
const LONGEST_ENDING = 1000;

/** A request and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: OpenConnection;
  /** When the request arrived, by `performance.now()`. */
  readonly arrived: number;
  /** When its connection had no earlier requests before it any more, by `performance.now()`. */
  readonly ready: number;
  /** Whether its answer closes the connection. */
  readonly isLast: boolean;
  /** Bytes of the answer's body; 0 before it is ready. */
  bytes: number;
}

/** What a client may do. */
export interface ClientLimits extends Omit<ConnectionLimits, 'isExempt'> {
  /** Requests of one address on average; 0 for no limit. */
  readonly requestsPerSecond: number;
  /** A trusted proxy has connections and requests of many clients. */
  readonly isTrusted: TrustedHops;
}

/** Brings requests from sockets to the service, and its answers back. */
export class HttpServer implements RunningServer {
  readonly #service: SkillDiscoveryService;
  readonly #server: Server;
  readonly #connections: OpenConnections;
  host = '';
  port = 0;
  url = '';
  readonly #isTrusted: TrustedHops;
  readonly #rate: AddressRate;
  readonly #turns = new Turns();
  /** Those whose answer is not ready yet. */
  readonly #running = new Set<Exchange>();
  /** Called when there is no such any more. */
  #onIdle = (): void => {};
  /** Bodies that are being read. */
  readonly #bodies = new Map<Socket, ArrivingBody>();
  /** Connections of which what comes next cannot be read: a body may begin on one before its turn. */
  readonly #unreadable = new WeakMap<Socket, Refusal>();
  /** Whether answers tell their clients to close the connection. */
  #isClosing = false;
  /** The last `Host` header, and its origin: most requests of a server have the same. */
  #lastHost: string | undefined;
  #lastOrigin = '';
  #closed: Promise<void> | undefined;

  constructor(service: SkillDiscoveryService, clients: ClientLimits) {
    const { perAddress, perSecond, requestsPerSecond, isTrusted } = clients;
    this.#service = service;
    this.#isTrusted = isTrusted;
    this.#rate = new AddressRate(requestsPerSecond);
    const limits = SERVER_LIMITS;
    this.#server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeout,
      requestTimeout: limits.requestTimeout,
      keepAliveTimeout: limits.keepAliveTimeout,
      connectionsCheckingInterval: limits.checkingInterval,
      // A second `Authorization` header makes the first invalid. By default Node drops it.
      joinDuplicateHeaders: true,
      // `isAmbiguous` refuses a missing `Host` with an error body of the usual shape.
      requireHostHeader: false,
    });
    // Only their bytes are limited. Beyond a number Node would drop headers silently.
    this.#server.maxHeadersCount = 0;
    this.#server.timeout = limits.idleTimeout;
    const isExempt = (address: string): boolean => isTrusted(address, 0);
    this.#connections = new OpenConnections(this.#server, { perAddress, perSecond, isExempt });
    this.#server.on('connection', () => this.#turns.connected());
    const respond = (request: IncomingMessage, response: ServerResponse): void => this.#respond(request, response);
    this.#server.on('request', respond);
    // `Expect: 100-continue` gets the final answer at once: no body is read.
    this.#server.on('checkContinue', respond);
    this.#server.on('checkExpectation', respond);
    // Sockets of a plain HTTP server are `net` sockets; the types say `Duplex` for any server.
    this.#server.on('clientError', (error, socket) => this.#refuse(socket as Socket, refusalOf(error)));
    this.#server.on('connect', (_, socket) => this.#refuse(socket as Socket, UNKNOWN_METHOD));
  }

  get waiting(): number {
    return this.#turns.waiting + this.#running.size;
  }

  async listen(host: string, port: number): Promise<void> {
    const listening = await listenAt(this.#server, host, port);
    this.host = host;
    this.port = listening.port;
    this.url = listening.url;
    this.#lastOrigin = this.url;
  }

  close(grace: number = DEFAULT_GRACE): Promise<void> {
    this.#closed ??= this.#close(grace);
    return this.#closed;
  }

  async #close(grace: number): Promise<void> {
    // Nothing is answered until the server has stopped listening: a client that is told to close its connection, or
    // that has its answer, would make the next one at the moment in which that is reset.
    this.#turns.hold();
    await this.#connections.stopListening();
    this.#isClosing = true;
    this.#turns.release();
    this.#service.endStreams();
    await this.#connections.end(grace);
    // Answers whose connection was cut still give back the quota that they reserved.
    const idle = new Promise<void>((resolve) => {
      if (this.#running.size === 0) resolve();
      this.#onIdle = resolve;
    });
    await Promise.race([idle, wait(LONGEST_ENDING, undefined, { ref: false })]);
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    const arrived = performance.now();
    const connections = this.#connections;
    const connection = connections.of(socket);
    if (connection === undefined) return;
    const { remoteAddress: peer = '' } = socket;
    const address = addressOfClient({ address: peer, header: (name) => headers[name] as string }, this.#isTrusted);
    const hasRoom = connection.waiting.length < SERVER_LIMITS.waiting;
    const isAdmitted = hasRoom && this.#rate.admits(clientOfAddress(address));
    connections.arrived(connection);
    // The connection of a proxy stays when it is one of its clients that asks too much.
    const isLast = connection.arrived >= SERVER_LIMITS.requests || !(isAdmitted || this.#isTrusted(peer, 0));
    if (isLast) parseNoMore(socket);
    connections.begin(connection, () => {
      const ready = performance.now();
      const exchange: Exchange = { request, response, connection, arrived, ready, isLast, bytes: 0 };
      response.once('close', () => connections.ended(connection, exchange.bytes));
      const refusal = isAdmitted ? isAmbiguous(request) && MALFORMED : TOO_MANY_REQUESTS;
      if (refusal !== false) {
        this.#write(exchange, this.#service.refuse(refusal, address), isAdmitted);
        return;
      }
      const answer = (): void => void this.#answer(exchange);
      if (this.#service.isUrgent(targetOf(request.url))) this.#turns.runFirst(answer, clientOf(connection));
      else this.#turns.run(answer, clientOf(connection));
    });
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { socket } = exchange.request;
    // Nobody waits for it any more.
    if (socket.destroyed) return;
    this.#running.add(exchange);
    try {
      this.#send(exchange, await this.#service.answer(callOf(exchange, this)));
    } catch {
      socket.destroy();
    } finally {
      this.#running.delete(exchange);
      if (this.#running.size === 0) this.#onIdle();
    }
  }

  /** Fulfilled when it is the turn of the client of a connection. */
  turnOf(connection: OpenConnection): Promise<void> {
    return new Promise((resolve) => this.#turns.run(resolve, clientOf(connection)));
  }

  /** Waits for the pending answers of the connection. Sent earlier, the refusal would look like the first of them. */
  #refuse(socket: Socket, refusal: Refusal | undefined): void {
    const body = this.#bodies.get(socket);
    if (body !== undefined && refusal !== undefined) {
      // Its request is the one that cannot be read to its end, and gets an answer of its own.
      body.refuse(refusal);
      return;
    }
    if (refusal !== undefined) this.#unreadable.set(socket, refusal);
    this.#connections.afterLast(this.#connections.of(socket), () => {
      if (refusal === undefined) socket.destroy();
      else sendRaw(socket, this.#service.refuse(refusal, socket.remoteAddress));
    });
  }

  #send(exchange: Exchange, answer: Answer): void {
    const { request, response } = exchange;
    if (response.destroyed) return;
    // Where a body was not read to its end, the connection cannot be used again.
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    this.#write(exchange, answer, this.#isClosing || (hasBody && !request.readableEnded));
  }

  async readBody({ request, response, connection }: Exchange, limits: BodyLimits): Promise<Buffer> {
    const { socket, headers } = request;
    // One that says by itself that it is longer than what would be read and thrown away.
    const isHopeless = Number(headers['content-length'] ?? 0) > limits.skippedBytes;
    if (isHopeless) throw new RefusedRequest(tooLarge(limits.bodyBytes));
    const refusal = this.#unreadable.get(socket);
    if (refusal !== undefined && !request.complete) throw new RefusedRequest(refusal);
    let held = 0;
    const hold = (bytes: number): void => {
      held += bytes;
      this.#connections.hold(connection, bytes);
    };
    response.once('close', () => this.#connections.release(connection, held));
    hold(MCP_HTTP_LIMITS.exchangeBytes);
    const body = readBody(request, response, limits, (bytes) => hold(bytes * MCP_HTTP_LIMITS.bytesPerByte));
    this.#bodies.set(socket, body);
    if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
    return body.whole.finally(() => this.#bodies.delete(socket));
  }

  /** Sends a stream until it or its connection ends. Its client may make room for others, as one that reads slowly. */
  async #pipe(exchange: Exchange, stream: ReadableStream<Uint8Array>): Promise<void> {
    const { request, response, connection } = exchange;
    const reader = stream.getReader();
    response.once('close', () => void reader.cancel().catch(() => {}));
    response.flushHeaders();
    this.#connections.answered(connection, 0);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || response.destroyed) break;
        if (!response.write(value)) await drained(response);
      }
      response.end();
    } catch {
      request.socket.destroy();
    }
  }

  #write(exchange: Exchange, { status, headers, body, stream }: Answer, closing: boolean): void {
    const { request, response } = exchange;
    const all = closing || exchange.isLast ? [...headers, 'Connection', 'close'] : [...headers];
    if (stream !== undefined) {
      response.writeHead(status, all);
      void this.#pipe(exchange, stream);
      return;
    }
    exchange.bytes = Buffer.byteLength(body);
    if (status !== 204 && status !== 304) all.push('Content-Length', String(exchange.bytes));
    response.writeHead(status, all);
    response.end(request.method === 'HEAD' || status === 204 ? '' : body);
    this.#connections.answered(exchange.connection, exchange.bytes);
  }

  /** The origin by which the client reached the server. A `Host` that cannot be an address is not repeated. */
  originOf(host: string | undefined): string {
    if (host === this.#lastHost) return this.#lastOrigin;
    const isAddress = host !== undefined && /^[a-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:.]+\](?::\d+)?$/i.test(host);
    this.#lastHost = host;
    // What looks like an address may still be none: `999.0.0.1`, or the port 99999.
    this.#lastOrigin = isAddress && URL.canParse(`http://${host}`) ? `http://${host}` : this.url;
    return this.#lastOrigin;
  }
}

/** A request of `node:http`, as the service needs it. */
function callOf(exchange: Exchange, server: HttpServer): Call {
  const { request, response, connection, arrived, ready } = exchange;
  const { socket, method = 'GET', url, headers } = request;
  let gone: AbortController | undefined;
  return {
    ...{ method, target: targetOf(url), origin: server.originOf(headers.host), address: socket.remoteAddress },
    ...{ arrived, ready },
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    // Created on demand: keyword searches never need it.
    get signal() {
      const known = gone ?? new AbortController();
      const abort = (): void => known.abort(new Error('the client closed the connection'));
      if (gone === undefined) response.once('close', abort);
      gone = known;
      // It may have gone while its body was read, or waited for its turn. A response that waits behind others of its
      // connection does not say so.
      if (response.destroyed || socket.destroyed) abort();
      return known.signal;
    },
    body: (limits) => server.readBody(exchange, limits),
    turn: () => server.turnOf(connection),
  };
}

/** Equal for connections of the same client, as far as clients are told apart by their address. */
function clientOf({ client, socket }: OpenConnection): unknown {
  return client ?? socket;
}

/** The path and query of a request. Requests to a proxy have the whole URL as their target. */
function targetOf(url = '/'): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return target === url || target.startsWith('/') ? target : `/${target}`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}

/**
 * Lets Node read nothing more of what has come on a connection: the 64 KB that it reads at once may be thousands of
 * requests, which it would all hand over without a pause. What it returns says that no HTTP follows. Its parser is not
 * part of its interface; where it is not there, those requests wait for a connection that closes.
 */
function parseNoMore(socket: Socket): void {
  const { parser } = socket as { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

/** A request with no `Host` or two, or with a body whose end is unclear, must be refused (RFC 9112, 3.2 and 6.1). */
function isAmbiguous({ httpVersion, headers }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': coding = 'chunked' } = headers;
  const hasOneHost = host === undefined ? httpVersion !== '1.1' : !host.includes(', ');
  return !hasOneHost || coding.toLowerCase() !== 'chunked';
}

/** A server that accepts requests until {@link RunningServer.close}. */
export interface RunningServer {
  /** The host as it was given. */
  readonly host: string;
  /** The port in use, also where 0 was given. */
  readonly port: number;
  /** `http://<host>:<port>`. For a server that listens at all addresses it names the loopback address. */
  readonly url: string;
  /** Requests that wait for their turn, or for their answers, now. */
  readonly waiting: number;
  /**
   * Accepts no more connections, answers the requests that have arrived, and stops. The search and `access` stay open.
   *
   * @param grace milliseconds until connections that are still open are cut; 0 or more @default 10000
   */
  close(grace?: number): Promise<void>;
}

/** Where a server listens. */
export interface Listening {
  readonly port: number;
  /** Where this machine reaches it. */
  readonly url: string;
}

/**
 * Lets a server listen.
 *
 * @throws {SkillSearchError} `ADDRESS_NOT_AVAILABLE`
 */
export async function listenAt(server: Server, host: string, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  // A failed accept ends that connection, not the process.
  server.on('error', () => {});
  // Only a server at a pipe has a string as its address.
  const { port: listening } = server.address() as AddressInfo;
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (isIPv6(host) ? `[${host}]` : host);
  return { port: listening, url: `http://${reachable}:${listening}` };
}

const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another port',
  EACCES: 'this user has no permission; ports below 1024 are mostly reserved',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the host name cannot be looked up now',
};

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): SkillSearchError {
  const reason = CANNOT_LISTEN[error.code ?? ''] ?? error.message;
  return new SkillSearchError('ADDRESS_NOT_AVAILABLE', `cannot listen at ${host}, port ${port}: ${reason}`, {
    cause: error,
  });
}
