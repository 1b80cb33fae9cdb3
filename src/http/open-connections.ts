import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** While a server closes: milliseconds that a client which may be sending already gets. */
const LINGER = 250;
/** While a server closes: milliseconds in which it accepts connections that the system has made. */
const LONGEST_ACCEPTING = 100;

/** The connections of an HTTP server, and how to end them without losing a request. */
export class OpenConnections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** Connections accepted so far. */
  #accepted = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#accepted += 1;
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /**
   * Accepts no more connections, and waits until all are closed. Idle ones are cut.
   *
   * @param grace milliseconds after which the others are cut, too
   */
  async end(grace: number): Promise<void> {
    const server = this.#server;
    await this.#acceptWaiting();
    // `close()` of an HTTP server cuts idle connections at once, although a request may be on its way on one. The
    // `close()` of a plain server only stops listening. From here on each answer tells its client to close.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const cutIdle = setInterval(() => {
      server.closeIdleConnections();
      // Node does not count a connection as idle that never sent a byte.
      for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
    }, LINGER);
    const cutAll = setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, grace);
    await closed;
    clearInterval(cutIdle);
    clearTimeout(cutAll);
    // Also stops the timer with which an HTTP server looks for slow clients.
    server.close();
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
