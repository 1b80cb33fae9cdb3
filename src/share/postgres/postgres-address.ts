import { readFileSync } from 'node:fs';
import { SkillSearchError, type Surroundings, splitHosts, surroundings } from '../../core/index.js';
import { readService } from './postgres-service.js';
import { isTargetSession, TARGET_SESSIONS, type TargetSession } from './target-session.js';

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Whether there is TLS, and what of the certificate is checked: nothing (`require`, unless it is said who may sign it),
 * who has signed it (`verify-ca`), or its name, too.
 */
export type TlsMode = (typeof TLS_MODES)[number];

/** Where a server listens. */
export interface PostgresHost {
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
  /**
   * Of the address or its service; undefined for what PGPASSWORD or the password file of PostgreSQL's programs says.
   */
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
 * (which of several hosts is meant), `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`), `sslrootcert` (a
 * file) and `service`. What the address leaves out comes from that section of the service file, or from the one that
 * `PGSERVICE` names, and then from the environment.
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
  const [first, ...others] = splitHosts(address);
  if (![first, ...others].every((one) => URL.canParse(one))) {
    throw fault(
      'this one cannot be read: a port is a number up to 65535, and characters such as / # ? @ and : in a password are written %2F %23 %3F %40 %3A',
    );
  }
  const url = new URL(first);
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
  const tls = parameters.get('sslmode') ?? service?.get('sslmode') ?? (of.env['PGSSLMODE'] || undefined);
  if (tls !== undefined && !TLS_MODES.includes(tls as never)) {
    throw fault(`sslmode (or PGSSLMODE) must be one of ${TLS_MODES.join(', ')}`);
  }
  const target = parameters.get('target_session_attrs') ?? service?.get('target_session_attrs') ?? 'any';
  if (!isTargetSession(target)) throw fault(`target_session_attrs must be one of ${TARGET_SESSIONS.join(', ')}`);
  const parts = { user: url.username, password: url.password, dbname: url.pathname.slice(1) };
  const [user, password, database] = Object.entries(parts).map(([key, part]) => {
    const decoded = decode(part);
    if (decoded === undefined) throw fault('a % in it is written %25');
    if (decoded.includes('\0')) throw fault('it must not contain the character U+0000');
    return decoded === '' ? service?.get(key) : decoded;
  });
  if (database?.includes('/') === true) throw fault('the name of a database has no /');
  const urls = [url, ...others.map((other) => new URL(other))];
  const names = urls.map(({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1'));
  const isUnnamed = urls.length === 1 && names[0] === '';
  if (!isUnnamed && !names.every((name) => /^[a-z0-9._:%-]+$/i.test(name))) {
    throw fault('it names a host, or several with commas between them');
  }
  const listed = parameters.get('host') ?? (isUnnamed ? service?.get('host') : undefined);
  const ports = urls.some(({ port }) => port !== '') ? urls.map(({ port }) => port) : service?.get('port')?.split(',');
  const hosts = hostsOf(listed?.split(',') ?? names, ports ?? [], fault);
  const root = parameters.get('sslrootcert') ?? service?.get('sslrootcert') ?? (of.env['PGSSLROOTCERT'] || undefined);
  return {
    hosts,
    target,
    user,
    database,
    password,
    tls: tls as PostgresAddress['tls'],
    certificates: root === undefined ? undefined : readCertificates(root),
    shown: shownOf({ hosts, user, database }),
  };
}

const EXAMPLE = 'postgres://user@host:5432/database';
const PARAMETERS: ReadonlySet<string> = new Set(['host', 'service', 'sslmode', 'sslrootcert', 'target_session_attrs']);

/** @param ports none, one for all hosts, or one for each, some of which may be empty */
function hostsOf(
  names: readonly string[],
  ports: readonly string[],
  fault: (expected: string) => SkillSearchError,
): PostgresHost[] {
  if (ports.length > 1 && ports.length !== names.length) throw fault('it has one port for each host, or one for all');
  return names.map((name, i) => {
    const port = (ports.length > 1 ? ports[i] : ports[0])?.trim() ?? '';
    if (port !== '' && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
      throw fault('its ports must be numbers up to 65535');
    return { host: name.trim() || undefined, port: port === '' ? undefined : Number(port) };
  });
}

/** An address with one of its hosts. */
export function atHost(address: PostgresAddress, host: PostgresHost): PostgresAddress {
  const hosts = [host];
  return { ...address, hosts, shown: shownOf({ ...address, hosts }) };
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

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
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
