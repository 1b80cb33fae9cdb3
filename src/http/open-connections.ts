import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { clientOfAddress } from '../access/index.js';
import { AddressRate } from './rate-limits.js';

/** The bounds of `startServer`, which cannot be changed. Times are in milliseconds. */
export const SERVER_LIMITS = {
  /** Of the request line and all headers together: 2,000 characters of any script are up to 24 KB of a URL. */
  headerBytes: 32_768,
  /** From the first byte of a request to the end of its headers. */
  headersTimeout: 10_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 15_000,
  /**
   * How long a connection may be idle between two requests. Longer than the timeout of common proxies (60 s), so that
   * the proxy closes first. Otherwise a request may arrive while the server closes the connection.
   */
  keepAliveTimeout: 65_000,
  /** How long the sending of an answer may make no progress. */
  idleTimeout: 60_000,
  /** Open connections. Beyond, one that is idle makes room for a new one; if none is, the new one is closed. */
  connections: 2_000,
  /**
   * Bytes that the server holds for all clients together: answers that are not sent yet, and `requestBytes` for each
   * request that is not answered. Beyond, the connection with most of them is closed.
   */
  heldBytes: 67_108_864,
  /** What a request counts for until it is answered: about what its objects take. */
  requestBytes: 4096,
  /** Requests of one connection that are answered at a time. Those behind them wait. */
  pipelined: 16,
  /**
   * Requests of one connection that may wait behind those. Node reads up to 64 KB at once, which may be thousands. The
   * one beyond is refused, and closes the connection.
   */
  waiting: 100,
  /** Requests of one connection, after which it is closed: nobody has one for ever. */
  requests: 10_000,
  /** How often the server looks for slow clients. */
  checkingInterval: 1_000,
};

/** While a server closes: milliseconds that a client which may be sending already gets. */
const LINGER = 250;
/** While a server closes: milliseconds in which it accepts connections that the system has made. */
const LONGEST_ACCEPTING = 1000;

/** How many connections each address may have. */
export interface ConnectionLimits {
  /** Of one address; 0 for no limit. */
  readonly perAddress: number;
  /** New ones of one address on average; 0 for no limit. */
  readonly perSecond: number;
  /** Whether an address may have any number of connections: a trusted proxy has those of all its clients. */
  readonly isExempt: (address: string) => boolean;
}

/** A connection, what the server holds for it, and its requests. */
export interface OpenConnection {
  readonly socket: Socket;
  /** What its connections are counted under; undefined if they are not. */
  readonly client: string | undefined;
  /** Requests that arrived so far. */
  arrived: number;
  /** Those of them that were begun, and whose answer is not sent wholly. */
  begun: number;
  /** Those of them whose answer is not ready. */
  working: number;
  /** Those that wait to be begun. */
  readonly waiting: (() => void)[];
  /** Called once no answer is pending. */
  afterLast: (() => void) | undefined;
  /** Bytes of answers that are not sent wholly, and of requests. */
  bytes: number;
}

/**
 * The connections of an HTTP server: how many there may be, how much memory they may take, and how to end them without
 * losing a request. The requests of each connection are answered a few at a time: however many a client sends ahead, it
 * gets no more attention than it reads answers.
 *
 * Where a connection would be one too many, one that waits for its client is closed in its place: the one that has been
 * idle for the longest time or, if none is idle, the one whose client has not read its answers for the longest time.
 * Silent clients thus never keep others out.
 */
export class OpenConnections {
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, OpenConnection>();
  /** Connections without a request, longest first. */
  readonly #idle = new Set<OpenConnection>();
  /** Connections whose client has all answers to read, longest first. */
  readonly #sending = new Set<OpenConnection>();
  readonly #perClient = new Map<string, number>();
  readonly #rate: AddressRate;
  /** Of all connections. */
  #bytes = 0;
  /** Connections accepted so far. */
  #accepted = 0;
  /** Settles once the server listens no more and all connections are closed. */
  #closed: Promise<void> | undefined;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server;
    this.#limits = limits;
    this.#rate = new AddressRate(limits.perSecond);
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** Undefined for one that was cut. */
  of(socket: Socket): OpenConnection | undefined {
    return this.#open.get(socket);
  }

  /** Call it for a request as soon as it arrives. */
  arrived(connection: OpenConnection): void {
    connection.arrived += 1;
    this.hold(connection, SERVER_LIMITS.requestBytes);
  }

  /** Begins to answer a request when it is its turn; `ended` is to be called once the answer is sent or given up. */
  begin(connection: OpenConnection, work: () => void): void {
    const { waiting, socket } = connection;
    if (connection.begun < SERVER_LIMITS.pipelined) this.#start(connection, work);
    else {
      waiting.push(work);
      // Read no more until the waiting requests are answered.
      socket.pause();
    }
  }

  #start(connection: OpenConnection, work: () => void): void {
    connection.begun += 1;
    connection.working += 1;
    this.#idle.delete(connection);
    this.#sending.delete(connection);
    work();
  }

  /** Call it with the bytes of an answer when it is ready to be sent. */
  answered(connection: OpenConnection, bytes: number): void {
    connection.working -= 1;
    if (connection.working === 0 && this.#isOpen(connection)) this.#sending.add(connection);
    this.hold(connection, bytes);
  }

  /** Call it with the same bytes when the answer is sent or given up. */
  ended(connection: OpenConnection, bytes: number): void {
    const { socket, waiting } = connection;
    connection.begun -= 1;
    this.release(connection, bytes + SERVER_LIMITS.requestBytes);
    if (socket.destroyed) waiting.length = 0;
    const next = waiting.shift();
    if (next !== undefined) {
      if (waiting.length === 0) socket.resume();
      this.#start(connection, next);
    } else if (connection.begun === 0) {
      this.#sending.delete(connection);
      if (this.#isOpen(connection)) this.#idle.add(connection);
      connection.afterLast?.();
    }
  }

  /** Calls `work` once the connection has all pending answers. A second call replaces the first. */
  afterLast(connection: OpenConnection | undefined, work: () => void): void {
    if (connection === undefined || connection.begun === 0) work();
    else connection.afterLast = work;
  }

  /** Counts bytes that are held for a request. Beyond the limit the connection with most of them is cut. */
  hold(connection: OpenConnection, bytes: number): void {
    if (!this.#isOpen(connection)) return;
    connection.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > SERVER_LIMITS.heldBytes) {
      let largest: OpenConnection | undefined;
      for (const one of this.#open.values()) if (one.bytes > (largest?.bytes ?? 0)) largest = one;
      if (largest === undefined) return;
      this.#cut(largest);
    }
  }

  /** Call it with all the bytes of {@link OpenConnections.hold} when they are held no more. */
  release(connection: OpenConnection, bytes: number): void {
    if (!this.#isOpen(connection)) return;
    connection.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #isOpen({ socket }: OpenConnection): boolean {
    return this.#open.has(socket);
  }

  /**
   * Takes no more connections, after it has accepted all that the system has made: a server that stops listening resets
   * those. Let no answer be sent meanwhile: clients that are answered make new connections.
   */
  async stopListening(): Promise<void> {
    const end = performance.now() + LONGEST_ACCEPTING;
    // Node accepts one connection in each turn of the event loop. Two turns that bring none mean that there are none.
    for (let quiet = 0; quiet < 2 && performance.now() < end; quiet++) {
      const before = this.#accepted;
      await new Promise(setImmediate);
      if (this.#accepted > before) quiet = -1;
    }
    // `close()` of an HTTP server cuts idle connections at once, although a request may be on its way on one. The
    // `close()` of a plain server only stops listening.
    this.#closed = new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  /**
   * Waits until all connections are closed; call {@link OpenConnections.stopListening} before. Idle ones are cut.
   *
   * @param grace milliseconds after which the others are cut, too
   */
  async end(grace: number): Promise<void> {
    const server = this.#server;
    const cutIdle = setInterval(() => {
      // After this turn has read what has arrived.
      setImmediate(() => {
        server.closeIdleConnections();
        // Node does not count a connection as idle that never sent a byte.
        for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
      });
    }, LINGER);
    const cutAll = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.destroy();
    }, grace);
    await this.#closed;
    clearInterval(cutIdle);
    clearTimeout(cutAll);
    // Also stops the timer with which an HTTP server looks for slow clients.
    server.close();
  }

  #admit(socket: Socket): void {
    this.#accepted += 1;
    const { perAddress, isExempt } = this.#limits;
    const { remoteAddress = '' } = socket;
    const client = isExempt(remoteAddress) ? undefined : clientOfAddress(remoteAddress);
    const isFull = perAddress > 0 && client !== undefined && (this.#perClient.get(client) ?? 0) >= perAddress;
    const hasRoom =
      (client === undefined || this.#rate.admits(client)) &&
      (!isFull || this.#closeOneOf(client)) &&
      (this.#open.size < SERVER_LIMITS.connections || this.#closeOneOf(undefined));
    if (!hasRoom) {
      socket.destroy();
      return;
    }
    if (client !== undefined) this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    const counts = { arrived: 0, begun: 0, working: 0, bytes: 0 };
    const connection: OpenConnection = { socket, client, ...counts, waiting: [], afterLast: undefined };
    this.#open.set(socket, connection);
    this.#idle.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  /**
   * Closes a connection that waits for its client, of one client or of all.
   *
   * @returns whether there was one
   */
  #closeOneOf(client: string | undefined): boolean {
    for (const waiting of [this.#idle, this.#sending]) {
      for (const connection of waiting) {
        if (client !== undefined && connection.client !== client) continue;
        this.#cut(connection);
        return true;
      }
    }
    return false;
  }

  /** Its place and its bytes are free at once, not only when the system has closed it. */
  #cut(connection: OpenConnection): void {
    connection.socket.destroy();
    this.#forget(connection);
  }

  #forget(connection: OpenConnection): void {
    const { socket, client, bytes } = connection;
    if (!this.#open.delete(socket)) return;
    this.#idle.delete(connection);
    this.#sending.delete(connection);
    this.#bytes -= bytes;
    if (client === undefined) return;
    const left = this.#perClient.get(client)! - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
  }
}
