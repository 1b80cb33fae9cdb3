import { readFileSync } from 'node:fs';
import { SkillSearchError } from '../errors.js';
import { type Surroundings, surroundings } from '../user-folders.js';
import { readService } from './postgres-service.js';

/** Where a database is, and how to get in. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a socket. Undefined for what PGHOST says, or this machine. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** Undefined for what PGUSER says, or the user of the system. */
  readonly user: string | undefined;
  readonly database: string | undefined;
  /**
   * Of the address or its service; undefined for what PGPASSWORD or the password file of PostgreSQL's programs says.
   */
  readonly password: string | undefined;
  /** Undefined for what PGSSLMODE says, or none. */
  readonly tls: 'disable' | 'require' | 'verify-full' | undefined;
  /** Certificates of those who may sign the server's, in PEM. */
  readonly certificates: string | undefined;
  /** The address for messages: without password. */
  readonly shown: string;
}

const TLS_MODES = ['disable', 'require', 'verify-full'] as const;

/**
 * Reads an address: `postgres://user:password@host:port/database`, every part of which may be left out. Parameters are
 * `host` (for the folder of a socket), `sslmode` (`disable`, `require`, `verify-full`), `sslrootcert` (a file) and
 * `service`. What the address leaves out comes from that section of the service file, or from the one that `PGSERVICE`
 * names.
 *
 * No message repeats the address: a part of a password may stand anywhere in one that cannot be read.
 *
 * @param option what the address is called in messages
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function readPostgresAddress(
  option: string,
  address: string,
  of: Surroundings = surroundings(),
): PostgresAddress {
  const fault = (expected: string): SkillSearchError =>
    new SkillSearchError('INVALID_OPTION', `${option} must be an address such as ${EXAMPLE}: ${expected}`, {
      parameter: option,
    });
  if (!/^postgres(?:ql)?:\/\//i.test(address) || !URL.canParse(address)) {
    throw fault(
      'this one cannot be read; characters such as / # ? @ and : in a password are written %2F %23 %3F %40 %3A',
    );
  }
  const url = new URL(address);
  if (url.hash !== '') throw fault('a # in it is written %23');
  // Whatever comes before an @ may be the end of a password.
  if (url.pathname.includes('@') || url.search.includes('@'))
    throw fault('a / or ? in a password is written %2F or %3F');
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.has(name)) throw fault(`its parameters may be ${[...PARAMETERS].join(', ')}`);
    parameters.set(name, value);
  }
  const named = parameters.get('service') ?? of.env['PGSERVICE'];
  const service = named === undefined || named === '' ? undefined : readService(named, of);
  const tls = parameters.get('sslmode') ?? service?.get('sslmode');
  if (tls !== undefined && !TLS_MODES.includes(tls as never)) {
    throw fault(`sslmode must be one of ${TLS_MODES.join(', ')}`);
  }
  const parts = { user: url.username, password: url.password, dbname: url.pathname.slice(1) };
  const [user, password, database] = Object.entries(parts).map(([key, part]) => {
    const decoded = decode(part);
    if (decoded === undefined) throw fault('a % in it is written %25');
    if (decoded.includes('\0')) throw fault('it must not contain the character U+0000');
    return decoded === '' ? service?.get(key) : decoded;
  });
  if (database?.includes('/') === true) throw fault('the name of a database has no /');
  const hostname = url.hostname === '' ? undefined : url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (hostname !== undefined && !/^[a-z0-9._:%-]+$/i.test(hostname)) throw fault('it names one host');
  const host = parameters.get('host') ?? hostname ?? service?.get('host');
  const port = url.port === '' ? portOf(service?.get('port'), fault) : Number(url.port);
  const root = parameters.get('sslrootcert') ?? service?.get('sslrootcert');
  return {
    host,
    port,
    user,
    database,
    password,
    tls: tls as PostgresAddress['tls'],
    certificates: root === undefined ? undefined : readCertificates(root),
    shown: shownOf({ host, port, user, database }),
  };
}

const EXAMPLE = 'postgres://user@host:5432/database';
const PARAMETERS: ReadonlySet<string> = new Set(['host', 'service', 'sslmode', 'sslrootcert']);

function portOf(text: string | undefined, fault: (expected: string) => SkillSearchError): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw fault('the port of its service must be a number');
  return Number(text);
}

function shownOf({ host, port, user, database }: Pick<PostgresAddress, 'host' | 'port' | 'user' | 'database'>): string {
  const isFolder = host?.startsWith('/') === true;
  const place = isFolder ? 'localhost' : host === undefined ? '' : host.includes(':') ? `[${host}]` : host;
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const suffix = isFolder ? `?host=${host}` : '';
  return `postgres://${name}${place}${port === undefined ? '' : `:${port}`}/${encodeURIComponent(database ?? '')}${suffix}`;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `sslrootcert cannot be read: ${(cause as Error).message}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path, cause });
  }
}
