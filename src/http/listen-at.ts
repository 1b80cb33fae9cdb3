import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { SkillSearchError } from '../index.js';

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
