import { checkFlag, checkInteger, checkListener, checkOptions, checkPath, namesOf, optionOf } from '../core/index.js';
import type { PostgresEvent } from '../share/index.js';
import { type PostgresAddress, readPostgresAddress } from '../share/index.js';
import { type AccessOptions, type Quotas, resolveQuotas } from './options.js';

/** Connections of one process, where no option says otherwise: counting needs few, since requests are counted together. */
const USUAL_CONNECTIONS = 4;

/** Most connections of one process. A database has a hundred for all who use it, unless it is set up for more. */
const MAX_CONNECTIONS = 100;

/** The database stopped answering, or answers again. */
export type StateEvent = PostgresEvent;

/** Options of `connectAccess`. */
export interface SharedAccessOptions extends Pick<AccessOptions, 'anonymous' | 'key'> {
  /**
   * Address of the database: `postgres://user@host:5432/database`. The parameters are `sslmode` (`disable`, `require`
   * for TLS without a check of the certificate, `verify-full`), `sslrootcert` (a file), `host` (the folder of a
   * socket) and `service` (a section of PostgreSQL's service file). What is left out comes from the service, if there
   * is one, then from PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD and PGSSLMODE.
   */
  readonly state: string;
  /**
   * A file whose first line is the password, read for each new connection.
   *
   * @default the password of the address or its service, PGPASSWORD, or `~/.pgpass`
   */
  readonly passwordFile?: string | undefined;
  /** Connections to the database at most, an integer from 1 to 100. @default 4 */
  readonly connections?: number | undefined;
  /**
   * Whether requests without a key are answered while the database does not: each server then counts them by itself, in
   * memory. Requests with a key fail all the same, and the health of the server is good.
   *
   * @default false: all requests that need the database fail
   */
  readonly anonymousWhenAway?: boolean | undefined;
  /** Told when the database stops answering, and when it is back. @default none */
  readonly onChange?: ((event: StateEvent) => void) | undefined;
  /** A clock in place of the database's, for tests: milliseconds since 1970. @default the clock of the database */
  readonly now?: (() => number) | undefined;
}

const NAMES = namesOf<SharedAccessOptions>({
  state: true,
  anonymous: true,
  key: true,
  passwordFile: true,
  connections: true,
  anonymousWhenAway: true,
  onChange: true,
  now: true,
});

export interface ResolvedSharedOptions {
  readonly address: PostgresAddress;
  readonly quotas: Quotas;
  readonly passwordFile: string | undefined;
  readonly connections: number;
  readonly anonymousWhenAway: boolean;
  readonly onChange: ((event: StateEvent) => void) | undefined;
  readonly now: (() => number) | undefined;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveSharedOptions(options: SharedAccessOptions): ResolvedSharedOptions {
  checkOptions(options, NAMES);
  const { state, passwordFile, anonymousWhenAway = false, onChange, now } = options;
  const address = readPostgresAddress('state', checkPath('state', state, 'a database'));
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  const connections = checkInteger(optionOf('connections'), options.connections, 1, MAX_CONNECTIONS);
  checkFlag('anonymousWhenAway', anonymousWhenAway);
  checkListener('onChange', onChange);
  checkListener('now', now);
  return {
    address,
    quotas: resolveQuotas(options),
    passwordFile,
    connections: connections ?? USUAL_CONNECTIONS,
    anonymousWhenAway,
    onChange,
    now,
  };
}
