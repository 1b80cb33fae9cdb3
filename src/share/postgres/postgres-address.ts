import { readFileSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { decodePart, SkillSearchError, type Surroundings, splitHosts, surroundings } from '../../core/index.js';

/** A database stopped answering, or answers again. */
export type PostgresEvent =
  | { readonly kind: 'away'; readonly error: SkillSearchError }
  /** @property milliseconds how long it was away */
  | { readonly kind: 'back'; readonly milliseconds: number };

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Whether there is TLS, and what of the certificate is checked: nothing (`require`, unless it is said who may sign it),
 * who has signed it (`verify-ca`), or its name, too.
 */
export type TlsMode = (typeof TLS_MODES)[number];

/** Where a server listens. */
interface PostgresHost {
  /** A name, an address, or the folder of a socket. Undefined for what PGHOST says, or this machine. */
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** Where a database is, and how to get in. */
export interface PostgresAddress {
  /** At least one. They have the same databases: one is a primary, the others are its standbys. */
  readonly hosts: readonly PostgresHost[];
  /** Which of them is meant. */
  readonly target: TargetSession;
  /** Undefined for what PGUSER says, or the user of the system. */
  readonly user: string | undefined;
  readonly database: string | undefined;
  /** Of the address; undefined for what PGPASSWORD or the password file of PostgreSQL's programs says. */
  readonly password: string | undefined;
  readonly tls: TlsMode | undefined;
  /** Certificates of those who may sign the server's, in PEM. */
  readonly certificates: string | undefined;
  /** The address for messages: without password. */
  readonly shown: string;
}

/**
 * Reads an address: `postgres://user:password@host:port/database`, every part of which may be left out. There may be
 * several hosts, with commas between them. Parameters are `host` (for the folder of a socket), `target_session_attrs`
 * (which of several hosts is meant), `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`) and `sslrootcert` (a
 * file). What the address leaves out comes from the environment.
 *
 * No message repeats the address: a part of a password may stand anywhere in one that cannot be read.
 *
 * @param option what the address is called in messages
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function readPostgresAddress(
  option: string,
  address: string,
  { env }: Surroundings = surroundings(),
): PostgresAddress {
  const fault = (expected: string): SkillSearchError =>
    new SkillSearchError('INVALID_OPTION', `${option} must be an address such as ${EXAMPLE}: ${expected}`, {
      parameter: option,
    });
  const parts = splitHosts(address);
  if (!parts.every((one) => URL.canParse(one))) {
    throw fault(
      'this one cannot be read: a port is a number up to 65535, and characters such as / # ? @ and : in a password are written %2F %23 %3F %40 %3A',
    );
  }
  const urls = parts.map((part) => new URL(part));
  const url = urls[0]!;
  if (url.hash !== '') throw fault('a # in it is written %23');
  // Whatever comes before an @ may be the end of a password.
  if (url.pathname.includes('@') || url.search.includes('@'))
    throw fault('a / or ? in a password is written %2F or %3F');
  const parameters = new Map(url.searchParams);
  if (![...parameters.keys()].every((name) => PARAMETERS.has(name))) {
    throw fault(`its parameters may be ${[...PARAMETERS].join(', ')}`);
  }
  const tls = parameters.get('sslmode') ?? (env['PGSSLMODE'] || undefined);
  if (tls !== undefined && !isOneOf(TLS_MODES, tls)) {
    throw fault(`sslmode (or PGSSLMODE) must be one of ${TLS_MODES.join(', ')}`);
  }
  const target = parameters.get('target_session_attrs') ?? 'any';
  if (!isOneOf(TARGET_SESSIONS, target)) {
    throw fault(`target_session_attrs must be one of ${TARGET_SESSIONS.join(', ')}`);
  }
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map((part) => {
    const decoded = decodePart(part);
    if (decoded === undefined) throw fault('a % in it is written %25');
    if (decoded.includes('\0')) throw fault('it must not contain the character U+0000');
    return decoded === '' ? undefined : decoded;
  });
  if (database?.includes('/') === true) throw fault('the name of a database has no /');
  const names = urls.map(({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1'));
  if ((names.length > 1 || names[0] !== '') && !names.every((name) => /^[a-z0-9._:%-]+$/i.test(name))) {
    throw fault('it names a host, or several with commas between them');
  }
  const listed = parameters.get('host')?.split(',') ?? names;
  if (urls.length > 1 && urls.length !== listed.length) throw fault('it has one port for each host, or one for all');
  const hosts = listed.map((name, i) => {
    const { port } = urls[i] ?? url;
    return { host: name.trim() || undefined, port: port === '' ? undefined : Number(port) };
  });
  const root = parameters.get('sslrootcert') ?? (env['PGSSLROOTCERT'] || undefined);
  const certificates = root === undefined ? undefined : readCertificates(root);
  return { hosts, target, user, database, password, tls, certificates, shown: shownOf({ hosts, user, database }) };
}

const EXAMPLE = 'postgres://user@host:5432/database';
const PARAMETERS: ReadonlySet<string> = new Set(['host', 'sslmode', 'sslrootcert', 'target_session_attrs']);

function isOneOf<T extends string>(texts: readonly T[], text: string): text is T {
  return (texts as readonly string[]).includes(text);
}

function shownOf({ hosts, user, database }: Pick<PostgresAddress, 'hosts' | 'user' | 'database'>): string {
  const folder = hosts.map(({ host }) => host).find((host) => host?.startsWith('/'));
  const places = hosts.map(({ host, port }) => {
    const isFolder = host?.startsWith('/') === true;
    const place = isFolder ? 'localhost' : host === undefined ? '' : host.includes(':') ? `[${host}]` : host;
    return `${place}${port === undefined ? '' : `:${port}`}`;
  });
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const suffix = folder === undefined ? '' : `?host=${folder}`;
  return `postgres://${name}${places.join(',')}/${encodeURIComponent(database ?? '')}${suffix}`;
}

function readCertificates(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `sslrootcert cannot be read: ${(cause as Error).message}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path, cause });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new SkillSearchError('INVALID_OPTION', `sslrootcert has no certificate in PEM: ${path}`, { path });
}

/** Which of several hosts an address means, as PostgreSQL's own programs have it. */
const TARGET_SESSIONS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type TargetSession = (typeof TARGET_SESSIONS)[number];

/** What a database says of itself. */
export interface FoundSession {
  /** Whether transactions may only read unless they say otherwise. */
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
}

const MEANT: Readonly<Record<TargetSession, (found: FoundSession) => boolean>> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': () => true,
};

/**
 * Checks that a host is one that is meant.
 *
 * @param shown its address for messages
 * @param isReader whether nothing is written there
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE` if it may only be read and that is not enough;
 *   `DATABASE_NOT_READABLE` if it is another than the address wants
 */
export function checkTarget(shown: string, target: TargetSession, found: FoundSession, isReader: boolean): void {
  if (found.isReadOnly && !isReader) {
    const message = `${shown} may only be read: is this a standby? Give the address of the primary`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: shown });
  }
  if (MEANT[target](found)) return;
  const what = found.isStandby ? 'a standby' : found.isReadOnly ? 'a primary that may only be read' : 'a primary';
  const message = `${shown} is ${what}, and its address wants target_session_attrs=${target}`;
  throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path: shown });
}

/** A host of an address, as an address of its own, and what it must be. */
export interface Candidate {
  readonly address: PostgresAddress;
  readonly target: TargetSession;
}

/** The hosts of an address in the order in which they are tried. */
export function candidatesOf(address: PostgresAddress): readonly Candidate[] {
  const { target } = address;
  const wanting = (wanted: TargetSession): Candidate[] =>
    address.hosts.map((host) => {
      const at = { ...address, hosts: [host] };
      return { address: { ...at, shown: shownOf(at) }, target: wanted };
    });
  return target === 'prefer-standby' ? [...wanting('standby'), ...wanting('any')] : wanting(target);
}

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
  const text = passwordFileText(path, of);
  const wanted = [target.host, String(target.port), target.database, target.user];
  for (const line of text.split(/\r*(?:\n|$)/)) {
    if (line.startsWith('#')) continue;
    // What a `\` stands before parts nothing.
    const fields = line.match(/(?:^|:)(?:[^\\:]|\\.?)*/g)?.map((part, i) => (i === 0 ? part : part.slice(1))) ?? [];
    const fits = wanted.every((value, i) => {
      const field = fields[i];
      if (field === undefined || field === '*') return field !== undefined;
      const isSocket = i === 0 && value.startsWith('/') && field === 'localhost';
      return isSocket || unescaped(field) === value;
    });
    if (fits && fields.length > 4) return unescaped(fields.slice(4).join(':'));
  }
  return undefined;
}

function passwordFile({ platform, home, env }: Surroundings): string {
  const named = env['PGPASSFILE'] ?? '';
  if (named !== '') return named;
  if (platform !== 'win32') return posix.join(home, '.pgpass');
  return win32.join(env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming'), 'postgresql', 'pgpass.conf');
}

/** @returns nothing if there is no file */
function passwordFileText(path: string, { platform }: Surroundings): string {
  const refused = (reason: string, cause?: unknown): SkillSearchError =>
    new SkillSearchError('INVALID_OPTION', `the password file ${path} ${reason}`, { path, cause });
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return '';
  // Windows has other permissions. As PostgreSQL's own programs do, a file that is open to others is not used.
  if (platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw refused('is not used because others may read it: run chmod 600 on it');
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(`cannot be read: ${(cause as Error).message}`, cause);
  }
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gs, '$1');
}
