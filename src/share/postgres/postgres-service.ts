import { readFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Surroundings } from '../../core/index.js';
import { SkillSearchError } from '../../core/index.js';

/** What a section of a service file says, by the names that PostgreSQL's own programs know. */
export type PostgresService = ReadonlyMap<string, string>;

/**
 * Reads the section of a service from PostgreSQL's connection service file: the one that `PGSERVICEFILE` names or the
 * user's, then that of the system. Lines are `[name of a service]` and `key=value`; a `#` begins a comment.
 *
 * Source: https://www.postgresql.org/docs/current/libpq-pgservice.html
 *
 * @throws {SkillSearchError} `INVALID_OPTION` if no file has the service. No message repeats what a file says.
 */
export function readService(name: string, of: Surroundings): PostgresService {
  const paths = serviceFiles(of);
  for (const path of paths) {
    const section = sectionOf(textAt(path), name);
    if (section !== undefined) return section;
  }
  const message = `no service ${JSON.stringify(name)} is in ${paths.join(' or ')}: add a section [${name}] with host, port, user, dbname and password`;
  throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'service' });
}

function serviceFiles({ platform, home, env }: Surroundings): string[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const inHome =
    platform === 'win32'
      ? join(env['APPDATA'] ?? home, 'postgresql', '.pg_service.conf')
      : join(home, '.pg_service.conf');
  const folder = env['PGSYSCONFDIR'];
  return [env['PGSERVICEFILE'] ?? inHome, ...(folder === undefined ? [] : [join(folder, 'pg_service.conf')])];
}

/** The text of a file; empty if there is none. */
function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    const message = `the service file of PostgreSQL cannot be read: ${(cause as Error).message}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path, cause });
  }
}

function sectionOf(text: string, name: string): PostgresService | undefined {
  let found: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/).map((it) => it.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    // As PostgreSQL's own programs do: the first section of that name counts.
    if (section !== undefined && found !== undefined) break;
    if (section === name) found = new Map();
    const at = line.indexOf('=');
    if (section === undefined && at > 0) found?.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return found;
}
