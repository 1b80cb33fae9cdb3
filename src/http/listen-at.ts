import type { Server } from 'node:http';
import { SkillSearchError } from '../index.js';

/**
 * Lets a server listen.
 *
 * @throws {SkillSearchError} `ADDRESS_NOT_AVAILABLE`
 */
export async function listenAt(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  // A failed accept ends that connection, not the process.
  server.on('error', () => {});
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
