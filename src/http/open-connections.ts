import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { clientOfAddress } from '../access/index.js';
import { AddressRate } from './rate-limits.js';

/** Bounds of a server. Times are in milliseconds. */
interface ServerLimits {
  /** Bytes of the request line and all headers together. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /** How long the sending of an answer may make no progress. */
  readonly idleTimeout: number;
  /** Open connections. Beyond, one that is idle makes room for a new one; if none is, the new one is closed. */
  readonly connections: number;
  /**
   * Bytes that the server holds for all clients together: answers that are not sent yet, and {@link requestBytes} for
   * each request that is not answered. Beyond, the connection with most of them is closed.
   */
  readonly heldBytes: number;
  /** What a request counts for until it is answered: about what its objects take. */
  readonly requestBytes: number;
  /** Requests of one connection that are answered at a time. Those behind them wait. */
  readonly pipelined: number;
  /**
   * Requests of one connection that may wait behind those. Node reads up to 64 KB at once, which may be thousands. The
   * one beyond is refused, and closes the connection.
   */
  readonly waiting: number;
  /** Requests of one connection, after which it is closed: nobody has one for ever. */
  readonly requests: number;
  /** How often the server looks for slow clients. */
  readonly checkingInterval: number;
}

/** The limits of `startServer`. They cannot be changed. */
export const SERVER_LIMITS: ServerLimits = {
  // 2,000 characters of any script are up to 24 KB of a URL.
  headerBytes: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than the timeout of common proxies (60 s), so that the proxy closes first. Otherwise a request may arrive
  // while the server closes the connection.
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 2_000,
  heldBytes: 64 * 1024 * 1024,
  requestBytes: 4 * 1024,
  pipelined: 16,
  waiting: 100,
  requests: 10_000,
  checkingInterval: 1_000,
};

/** While a server closes: milliseconds that a client which may be sending already gets. */
const LINGER = 250;
/** While a server closes: milliseconds in which it accepts connections that the system has made. */
const LONGEST_ACCEPTING = 1000;

/** How many connections there may be, and how much is held for them. */
export interface ConnectionLimits {
  readonly connections: number;
  /** Of one address; 0 for no limit. */
  readonly perAddress: number;
  /** New ones of one address on average; 0 for no limit. */
  readonly perSecond: number;
  /** Bytes. */
  readonly held: number;
  /** Whether an address may have any number of connections: a trusted proxy has those of all its clients. */
  readonly isExempt: (address: string) => boolean;
}

/** A connection, and what the server holds for it. */
interface Held {
  /** What its connections are counted under; undefined if they are not. */
  readonly client: string | undefined;
  /** Requests that arrived so far. */
  arrived: number;
  /** Those of them whose answer is not sent wholly. */
  requests: number;
  /** Those of them that are being answered. */
  working: number;
  /** Bytes of answers that are not sent wholly, and of requests. */
  bytes: number;
}

/**
 * The connections of an HTTP server: how many there may be, how much memory they may take, and how to end them without
 * losing a request.
 *
 * Where a connection would be one too many, one that waits for its client is closed in its place: the one that has been
 * idle for the longest time or, if none is idle, the one whose client has not read its answers for the longest time.
 * Silent clients thus never keep others out.
 */
export class OpenConnections {
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, Held>();
  /** Connections without a request, longest first. */
  readonly #idle = new Set<Socket>();
  /** Connections whose client has all answers to read, longest first. */
  readonly #sending = new Set<Socket>();
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

  /** Equal for connections of the same client, as far as clients are told apart by their address. */
  clientOf(socket: Socket): unknown {
    return this.#open.get(socket)?.client ?? socket;
  }

  /**
   * Call it for a request as soon as it arrives.
   *
   * @returns how many have arrived on its connection
   */
  arrived(socket: Socket): number {
    const held = this.#open.get(socket);
    if (held === undefined) return 0;
    held.arrived += 1;
    held.requests += 1;
    this.#hold(held, SERVER_LIMITS.requestBytes);
    return held.arrived;
  }

  /** Call it when a request begins to be answered. */
  started(socket: Socket): void {
    const held = this.#open.get(socket);
    if (held === undefined) return;
    held.working += 1;
    this.#idle.delete(socket);
    this.#sending.delete(socket);
  }

  /** Counts further bytes that are held for a request. */
  hold(socket: Socket, bytes: number): void {
    const held = this.#open.get(socket);
    if (held !== undefined) this.#hold(held, bytes);
  }

  /** Call it with all the bytes of {@link OpenConnections.hold} when they are held no more. */
  release(socket: Socket, bytes: number): void {
    const held = this.#open.get(socket);
    if (held === undefined) return;
    held.bytes -= bytes;
    this.#bytes -= bytes;
  }

  /** Call it with the bytes of an answer when it is ready to be sent. */
  answered(socket: Socket, bytes: number): void {
    const held = this.#open.get(socket);
    if (held === undefined) return;
    held.working -= 1;
    if (held.working === 0) this.#sending.add(socket);
    this.#hold(held, bytes);
  }

  /** Call it with the same bytes when the answer is sent or given up. */
  ended(socket: Socket, bytes: number): void {
    const held = this.#open.get(socket);
    if (held === undefined) return;
    held.requests -= 1;
    const released = bytes + SERVER_LIMITS.requestBytes;
    held.bytes -= released;
    this.#bytes -= released;
    if (held.requests > 0) return;
    this.#sending.delete(socket);
    this.#idle.add(socket);
  }

  /**
   * Takes no more connections, after it has accepted all that the system has made. Let no answer be sent meanwhile:
   * clients that are answered make new connections.
   */
  async stopListening(): Promise<void> {
    refuseNewConnections(this.#server);
    await this.#acceptWaiting();
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
    const { connections, perAddress, isExempt } = this.#limits;
    const { remoteAddress = '' } = socket;
    const client = isExempt(remoteAddress) ? undefined : clientOfAddress(remoteAddress);
    const count = client === undefined || perAddress === 0 ? -1 : (this.#perClient.get(client) ?? 0);
    const hasRoom =
      (client === undefined || this.#rate.admits(client)) &&
      (client === undefined || count < perAddress || this.#closeOneOf(client)) &&
      (this.#open.size < connections || this.#closeOneOf(undefined));
    if (!hasRoom) {
      socket.destroy();
      return;
    }
    if (client !== undefined) this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    this.#open.set(socket, { client, arrived: 0, requests: 0, working: 0, bytes: 0 });
    this.#idle.add(socket);
    socket.once('close', () => this.#forget(socket));
  }

  /**
   * Closes a connection that waits for its client, of one client or of all.
   *
   * @returns whether there was one
   */
  #closeOneOf(client: string | undefined): boolean {
    for (const waiting of [this.#idle, this.#sending]) {
      for (const socket of waiting) {
        if (client !== undefined && this.#open.get(socket)?.client !== client) continue;
        this.#cut(socket);
        return true;
      }
    }
    return false;
  }

  #hold(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#limits.held) {
      let [largest, most]: [Socket | undefined, number] = [undefined, 0];
      for (const [socket, { bytes }] of this.#open) if (bytes > most) [largest, most] = [socket, bytes];
      if (largest === undefined) return;
      this.#cut(largest);
    }
  }

  /** Its place and its bytes are free at once, not only when the system has closed it. */
  #cut(socket: Socket): void {
    socket.destroy();
    this.#forget(socket);
  }

  #forget(socket: Socket): void {
    const held = this.#open.get(socket);
    if (held === undefined) return;
    this.#open.delete(socket);
    this.#idle.delete(socket);
    this.#sending.delete(socket);
    this.#bytes -= held.bytes;
    if (held.client === undefined) return;
    const left = this.#perClient.get(held.client)! - 1;
    if (left > 0) this.#perClient.set(held.client, left);
    else this.#perClient.delete(held.client);
  }

  /** Node accepts one connection in each turn of the event loop. Waits until two turns bring none. */
  async #acceptWaiting(): Promise<void> {
    const end = performance.now() + LONGEST_ACCEPTING;
    for (let quiet = 0; quiet < 2 && performance.now() < end; quiet++) {
      const before = this.#accepted;
      await new Promise(setImmediate);
      if (this.#accepted > before) quiet = -1;
    }
  }
}

/** The handle of a listening server: not part of Node's interface, but the same since its first versions. */
interface WithHandle {
  readonly _handle?: { readonly listen?: (backlog: number) => number } | null;
}

/**
 * Shortens the queue in which the system keeps new connections for a listening server to one. Those that are in it
 * stay. While it is full the system does not answer further clients; they ask again a second later, when the server
 * listens no more, and are refused.
 *
 * A server that stops listening resets what is in the queue, and no system call closes the entrance of the queue alone.
 * With this the queue can be emptied first, and at most one client that comes at the very moment of closing is reset.
 * Where Node has no such handle nothing happens.
 */
function refuseNewConnections(server: NetServer): void {
  // To listen once more is how a process changes the length of the queue.
  (server as unknown as WithHandle)._handle?.listen?.(0);
}
