import { SkillSearchError } from '../index.js';

const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another port',
  EACCES: 'this user has no permission; ports below 1024 are mostly reserved',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the host name cannot be looked up now',
};

/** The error of a server that cannot listen where it should. */
export function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): SkillSearchError {
  const reason = CANNOT_LISTEN[error.code ?? ''] ?? error.message;
  return new SkillSearchError('ADDRESS_NOT_AVAILABLE', `cannot listen at ${host}, port ${port}: ${reason}`, {
    cause: error,
  });
}
