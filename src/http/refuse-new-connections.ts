import type { Server } from 'node:net';

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
export function refuseNewConnections(server: Server): void {
  // To listen once more is how a process changes the length of the queue.
  (server as unknown as WithHandle)._handle?.listen?.(0);
}
