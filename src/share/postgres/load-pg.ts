import type pg from 'pg';
import { SkillSearchError } from '../../core/index.js';

/**
 * Imports the client of PostgreSQL, an optional dependency, when somebody gives the address of one. No other file does.
 *
 * @throws {SkillSearchError} `POSTGRES_CLIENT_MISSING` if it is not installed
 */
export async function loadPg(): Promise<typeof pg> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = 'PostgreSQL needs the optional package pg, which is not installed: npm install pg';
    throw new SkillSearchError('POSTGRES_CLIENT_MISSING', message, { cause });
  }
}
