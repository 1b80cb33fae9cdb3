import { readFileSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Surroundings } from '../../core/index.js';
import { SkillSearchError } from '../../core/index.js';

/** What a connection is to, as PostgreSQL's password file names it. */
export interface PasswordTarget {
  /** A name, an address, or the folder of a socket, which is `localhost` in the file. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * Looks a password up in the password file of PostgreSQL's programs: the one that `PGPASSFILE` names, or `~/.pgpass`,
 * on Windows `%APPDATA%\postgresql\pgpass.conf`. Lines are `host:port:database:user:password`; the first that fits
 * counts. A field may be `*`, a `\` stands before `:` and `\`, and a `#` begins a comment.
 *
 * Source: https://www.postgresql.org/docs/current/libpq-pgpass.html
 *
 * @returns undefined if there is no file, or no line in it that fits
 * @throws {SkillSearchError} `INVALID_OPTION` if the file cannot be read, or others may read it. No message repeats
 *   what it says.
 */
export function findPassword(target: PasswordTarget, of: Surroundings): string | undefined {
  const path = passwordFile(of);
  const text = textAt(path, of);
  for (const line of text?.split(/\r*(?:\n|$)/) ?? []) {
    if (line.startsWith('#')) continue;
    const [host, port, database, user, ...rest] = fieldsOf(line);
    if (rest.length === 0) continue;
    const fits =
      (matches(host, target.host) || (target.host.startsWith('/') && matches(host, 'localhost'))) &&
      matches(port, String(target.port)) &&
      matches(database, target.database) &&
      matches(user, target.user);
    if (fits) return unescaped(rest.join(':'));
  }
  return undefined;
}

function passwordFile({ platform, home, env }: Surroundings): string {
  const named = env['PGPASSFILE'] ?? '';
  if (named !== '') return named;
  if (platform !== 'win32') return posix.join(home, '.pgpass');
  return win32.join(env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming'), 'postgresql', 'pgpass.conf');
}

/** @returns undefined if there is no file */
function textAt(path: string, { platform }: Surroundings): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    // Windows has other permissions. As PostgreSQL's own programs do, a file that is open to others is not used.
    if (platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      throw refused(path, 'is not used because others may read it: run chmod 600 on it');
    }
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    throw refused(path, `cannot be read: ${(cause as Error).message}`, cause);
  }
}

function refused(path: string, reason: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('INVALID_OPTION', `the password file ${path} ${reason}`, { path, cause });
}

/** The parts of a line, as they are written. What a `\` stands before parts nothing. */
function fieldsOf(line: string): string[] {
  return line.match(/(?:^|:)(?:[^\\:]|\\.?)*/g)?.map((part, i) => (i === 0 ? part : part.slice(1))) ?? [];
}

function matches(field: string | undefined, value: string): boolean {
  return field === '*' || (field !== undefined && unescaped(field) === value);
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gs, '$1');
}
