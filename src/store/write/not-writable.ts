import { SkillSearchError } from '../../errors.js';
import { isSqliteError } from '../../sqlite/connection.js';

/** Turns an error of SQLite or of the file system into `DATABASE_NOT_WRITABLE`. Returns any other error as it is. */
export function notWritable(catalogue: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isAboutFiles(error)) return error;
  const message = `cannot write ${catalogue}: ${error.message}`;
  return new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: catalogue, cause: error });
}

function isAboutFiles(error: Error): boolean {
  if (isSqliteError(error) || 'errno' in error) return true;
  // better-sqlite3 checks the folder itself, before SQLite does.
  return error instanceof TypeError && /directory does not exist/.test(error.message);
}
