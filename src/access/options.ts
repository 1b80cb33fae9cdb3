import {
  checkFlag,
  checkInteger,
  checkListener,
  checkNames,
  checkOptions,
  checkPath,
  type Names,
  namesOf,
  optionOf,
} from '../core/index.js';
import { type PostgresAddress, type PostgresEvent, readPostgresAddress } from '../share/index.js';

/** How many requests a client may make. Each limit is an integer from 0; 0 means no limit. */
export interface Quota {
  /** Answered searches from midnight to midnight, UTC. */
  readonly daily: number;
  /** Requests, answered or not, within 60 seconds of the first. */
  readonly perMinute: number;
}

/** For requests without an API key, by address. */
export const DEFAULT_ANONYMOUS_QUOTA: Quota = { daily: 50, perMinute: 10 };
/** For each API key without limits of its own. */
export const DEFAULT_KEY_QUOTA: Quota = { daily: 500, perMinute: 30 };

/** Means "no limit" where a number is needed, as in response headers: the largest signed 32-bit integer. */
export const UNLIMITED = 2_147_483_647;

/** Options of `openAccess`. */
export interface AccessOptions {
  /** Path of the file of keys and counters, created if it does not exist; `:memory:` keeps them until `close`. */
  readonly state: string;
  /** Quota of requests without a key, by address. @default { daily: 50, perMinute: 10 } */
  readonly anonymous?: Partial<Quota> | undefined;
  /** Quota of keys without limits of their own. @default { daily: 500, perMinute: 30 } */
  readonly key?: Partial<Quota> | undefined;
  /** The clock: milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

export const ACCESS_OPTIONS: Names = namesOf<AccessOptions>({ state: true, anonymous: true, key: true, now: true });

/** Quotas with their defaults filled in. */
export interface Quotas {
  readonly anonymous: Quota;
  readonly key: Quota;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveQuotas({ anonymous, key }: Pick<AccessOptions, 'anonymous' | 'key'>): Quotas {
  return {
    anonymous: resolveQuota('anonymous', anonymous, DEFAULT_ANONYMOUS_QUOTA),
    key: resolveQuota('key', key, DEFAULT_KEY_QUOTA),
  };
}

const QUOTA = namesOf<Quota>({ daily: true, perMinute: true });

/**
 * A quota with its defaults filled in.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
function resolveQuota(option: string, quota: Partial<Quota> | undefined, defaults: Quota): Quota {
  if (quota === undefined) return defaults;
  checkNames(quota, QUOTA, { name: option, code: 'INVALID_OPTION' });
  const daily = checkCount(`${option}.daily`, quota.daily) ?? defaults.daily;
  const perMinute = checkCount(`${option}.perMinute`, quota.perMinute) ?? defaults.perMinute;
  return { daily, perMinute };
}

/**
 * @returns the number as given
 * @throws {SkillSearchError} `INVALID_OPTION` unless it is an integer from 0 to {@link UNLIMITED}
 */
export function checkCount(option: string, value: number | undefined): number | undefined {
  return checkInteger(optionOf(option), value, 0, UNLIMITED);
}

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
   * for TLS without a check of the certificate, `verify-full`), `sslrootcert` (a file) and `host` (the folder of a
   * socket). What is left out comes from PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD and PGSSLMODE.
   */
  readonly state: string;
  /**
   * A file whose first line is the password, read for each new connection.
   *
   * @default the password of the address, PGPASSWORD, or `~/.pgpass`
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
  readonly allowAnonymousIfQuotaDbUnavailable?: boolean | undefined;
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
  allowAnonymousIfQuotaDbUnavailable: true,
  onChange: true,
  now: true,
});

export interface ResolvedSharedOptions
  extends Pick<SharedAccessOptions, 'passwordFile' | 'allowAnonymousIfQuotaDbUnavailable' | 'onChange' | 'now'> {
  readonly address: PostgresAddress;
  readonly quotas: Quotas;
  readonly connections: number;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveSharedOptions(options: SharedAccessOptions): ResolvedSharedOptions {
  checkOptions(options, NAMES);
  const { state, passwordFile, allowAnonymousIfQuotaDbUnavailable, onChange, now } = options;
  const address = readPostgresAddress('state', checkPath('state', state, 'a database'));
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  const connections = checkInteger(optionOf('connections'), options.connections, 1, MAX_CONNECTIONS);
  checkFlag('allowAnonymousIfQuotaDbUnavailable', allowAnonymousIfQuotaDbUnavailable);
  checkListener('onChange', onChange);
  checkListener('now', now);
  return {
    ...{ address, passwordFile, allowAnonymousIfQuotaDbUnavailable, onChange, now },
    quotas: resolveQuotas(options),
    connections: connections ?? USUAL_CONNECTIONS,
  };
}
