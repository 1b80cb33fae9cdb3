import { timingSafeEqual } from 'node:crypto';
import { hasCode, type Resolvers, SkillSearchError, withResolvers } from '../core/index.js';
import type { PostgresPool, SharedTables } from '../share/index.js';
import { type Access, openAccess } from './access.js';
import {
  type ApiKey,
  hashOf,
  isKey,
  type KeyRow,
  keyNotAccepted,
  keyNotFound,
  makeKey,
  type NewApiKey,
  type NewKeyOptions,
  sentKey,
  toApiKey,
} from './api-key.js';
import { clientOfAddress } from './client-address.js';
import {
  type Client,
  type KeysAndQuotas,
  minuteExceeded,
  quotaLeft,
  type SharedAdmission,
  UNLIMITED_ADMISSION,
} from './keys-and-quotas.js';
import { type Quota, type ResolvedSharedOptions, resolveSharedOptions, type SharedAccessOptions } from './options.js';
import { SharedCounters } from './shared-counters.js';

/**
 * Connects to a database of PostgreSQL, 14 or newer, with API keys and how many requests each client has made. Any
 * number of servers may share it: they accept the same keys, and count together. Its tables are made if they are not
 * there, in the schema `skill_discovery`. Needs the optional package `pg`.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; `DATABASE_NOT_READABLE` if the database cannot be
 *   reached or lets nobody in; `DATABASE_NOT_WRITABLE` if the tables cannot be made; `NOT_A_STATE_FILE` if the schema
 *   belongs to something else; `UNSUPPORTED_FORMAT` for tables of a newer version, and for PostgreSQL before 14;
 *   `POSTGRES_CLIENT_MISSING`
 * @example
 * import { connectAccess } from 'skill-discovery/access';
 *
 * const access = await connectAccess({ state: 'postgres://skills@db.example.com/skills' });
 * const { key } = await access.createKey({ name: 'ci' });
 * const client = await access.identify(`Bearer ${key}`, '203.0.113.9');
 * console.log((await access.admit(client)).dailyRemaining); // 499
 * await access.close();
 */
export async function connectAccess(options: SharedAccessOptions): Promise<SharedAccess> {
  const resolved = resolveSharedOptions(options);
  const [{ PostgresPool }, { prepareTables }] = await Promise.all([
    import('../share/postgres/postgres-pool.js'),
    import('../share/postgres/shared-tables.js'),
  ]);
  const pool = await PostgresPool.connect(resolved.address, resolved);
  try {
    await prepareTables(pool, ACCESS_TABLES);
    return new SharedAccess(pool, resolved);
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/**
 * The API keys and quotas of a database of PostgreSQL, which any number of servers share; see `connectAccess`. Besides
 * the errors named below, every method but `close` may reject with `SERVICE_UNAVAILABLE` (`retryAfter` has the seconds
 * to wait while the database does not answer) and `DATABASE_NOT_READABLE`.
 */
export class SharedAccess implements KeysAndQuotas {
  readonly #pool: PostgresPool;
  readonly #options: ResolvedSharedOptions;
  readonly #keys: SharedKeys;
  readonly #counters: SharedCounters;
  /** By which key a client is known. */
  readonly #accepted = new WeakMap<Client, AcceptedKey>();
  /** Counts requests without a key while the database is away, where that is wanted. */
  #meanwhile: Access | undefined;
  #isClosed = false;

  /** @internal */
  constructor(pool: PostgresPool, options: ResolvedSharedOptions) {
    const { connections, quotas, now } = options;
    this.#pool = pool;
    this.#options = options;
    this.#keys = new SharedKeys(pool, quotas.key, now);
    this.#counters = new SharedCounters(pool, connections, now);
  }

  /**
   * Makes a key. This is the only time that it is shown: the database stores only its hash.
   *
   * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option
   */
  createKey(options?: NewKeyOptions): Promise<NewApiKey> {
    return this.#keys.create(options);
  }

  /** All keys, revoked ones too, oldest first. */
  listKeys(): Promise<ApiKey[]> {
    return this.#keys.list();
  }

  /**
   * Revokes a key: all servers refuse it from their next request on. A key that is revoked already keeps its date.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND` if there is no such key
   */
  revokeKey(idOrKey: number | string): Promise<ApiKey> {
    return this.#keys.revoke(idOrKey);
  }

  /**
   * The client of a request. A key that was accepted before is not asked for again: `admit`, `countRequest` and
   * `confirm` find out if it was revoked since.
   *
   * @param authorization the header `Authorization`; undefined for an anonymous request
   * @param address IP address of the client, from the socket or a trusted proxy
   * @throws {SkillSearchError} `INVALID_API_KEY` unless the header is `Bearer` and a key that is accepted
   */
  async identify(authorization: string | undefined, address: string | undefined): Promise<Client> {
    this.#checkOpen();
    if (authorization === undefined) {
      return { kind: 'anonymous', name: clientOfAddress(address), quota: this.#options.quotas.anonymous };
    }
    const key = sentKey(authorization);
    const accepted = key === undefined ? undefined : await this.#keys.find(key);
    if (accepted === undefined) throw keyNotAccepted();
    const client: Client = { kind: 'key', name: `key:${accepted.id}`, quota: accepted.quota };
    this.#accepted.set(client, accepted);
    return client;
  }

  /**
   * Makes sure that the key of a client was not revoked since the client was identified, for requests that are not
   * counted.
   *
   * @throws {SkillSearchError} `INVALID_API_KEY`
   */
  async confirm(client: Client): Promise<void> {
    this.#checkOpen();
    const accepted = this.#accepted.get(client);
    if (accepted !== undefined && !(await this.#keys.isAccepted(accepted.hash))) throw keyNotAccepted();
  }

  /**
   * Counts a request of a client. Every request counts for the minute; only one without a fault counts for the day.
   *
   * @param fault what is wrong with the request. It is thrown unless the limit of the minute is exceeded.
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED`; `retryAfter` has the seconds to wait;
   *   `INVALID_API_KEY` if the key was revoked
   */
  async admit(client: Client, fault?: SkillSearchError): Promise<SharedAdmission> {
    const { name, quota } = client;
    if (quota.daily === 0 && quota.perMinute === 0) {
      await this.confirm(client);
      if (fault !== undefined) throw fault;
      return { ...UNLIMITED_ADMISSION, giveBack: async () => {} };
    }
    try {
      const verdict = await this.#count(client, fault === undefined);
      const left = quotaLeft(quota, verdict, fault);
      return { ...left, giveBack: () => this.#counters.giveBack(name, verdict.usage.day) };
    } catch (error) {
      const meanwhile = this.#instead(client, error);
      if (meanwhile === undefined) throw error;
      const { giveBack, ...left } = meanwhile.admit(client, fault);
      return { ...left, giveBack: async () => giveBack() };
    }
  }

  /**
   * Counts a request that is no search: for the minute only.
   *
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`; `retryAfter` has the seconds to wait; `INVALID_API_KEY` if the
   *   key was revoked
   */
  async countRequest(client: Client): Promise<void> {
    const { quota } = client;
    if (quota.perMinute === 0) {
      await this.confirm(client);
      return;
    }
    try {
      const { refused, retryAfter } = await this.#count(client, false);
      if (refused === 'minute') throw minuteExceeded(quota.perMinute, retryAfter);
    } catch (error) {
      const meanwhile = this.#instead(client, error);
      if (meanwhile === undefined) throw error;
      meanwhile.countRequest(client);
    }
  }

  /**
   * Reads from both tables, to check that they can be read. With `allowAnonymousIfQuotaDbUnavailable` a database that does not answer is
   * no fault: the server answers all the same.
   */
  async check(): Promise<void> {
    this.#checkOpen();
    try {
      await this.#pool.run({
        text: `SELECT (SELECT number FROM skill_discovery.api_key LIMIT 1),
          (SELECT day FROM skill_discovery.usage LIMIT 1)`,
      });
    } catch (error) {
      if (!this.#options.allowAnonymousIfQuotaDbUnavailable || !hasCode(error, 'SERVICE_UNAVAILABLE')) throw error;
    }
  }

  /**
   * Closes the connections. Further calls of `close` do nothing; all other methods reject with `SERVICE_UNAVAILABLE`.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#meanwhile?.close();
    await this.#pool.close();
  }

  async #count(client: Client, answerable: boolean): ReturnType<SharedCounters['count']> {
    this.#checkOpen();
    const accepted = this.#accepted.get(client);
    try {
      return await this.#counters.count(client.name, accepted?.hash ?? null, client.quota, answerable);
    } catch (error) {
      if (accepted !== undefined && hasCode(error, 'INVALID_API_KEY')) this.#keys.forget(accepted.hash);
      throw error;
    }
  }

  /** Who counts a request that the database could not count; undefined if nobody may. */
  #instead({ kind }: Client, error: unknown): Access | undefined {
    const { allowAnonymousIfQuotaDbUnavailable: isAllowed, now } = this.#options;
    if (!isAllowed || kind !== 'anonymous' || this.#isClosed || !hasCode(error, 'SERVICE_UNAVAILABLE'))
      return undefined;
    this.#meanwhile ??= openAccess({ state: ':memory:', now });
    return this.#meanwhile;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'access to keys and quotas was closed');
  }
}

/** A key that was accepted. */
interface AcceptedKey {
  readonly id: number;
  readonly quota: Quota;
  readonly hash: Buffer;
}

/** A key that a statement is to ask for. */
interface WaitingKey extends Resolvers<AcceptedKey | undefined> {
  readonly hash: Buffer;
}

/** Keys that are remembered at most. */
const MAX_REMEMBERED = 1000;

const COLUMNS = `number, name, daily, per_minute, created_at::float8 AS created_at, revoked_at::float8 AS revoked_at`;

/** The time in Unix seconds, by the clock of the database unless a value is given. */
const SECONDS = 'coalesce($1::bigint, floor(extract(epoch FROM clock_timestamp()))::bigint)';

/** The keys of a database. Those that were accepted are remembered; whoever uses one has it confirmed. */
class SharedKeys {
  readonly #pool: PostgresPool;
  readonly #defaults: Quota;
  readonly #now: (() => number) | undefined;
  /** By the hash of the key, in Base64. */
  readonly #remembered = new Map<string, AcceptedKey>();
  /** Keys that the next statement asks for, by the same name: after a start a server knows none of all that come. */
  #waiting = new Map<string, WaitingKey>();
  #isAsking = false;

  /**
   * @param defaults of keys without limits of their own
   * @param now a clock in place of the database's
   */
  constructor(pool: PostgresPool, defaults: Quota, now: (() => number) | undefined) {
    this.#pool = pool;
    this.#defaults = defaults;
    this.#now = now;
  }

  /** @throws {SkillSearchError} `INVALID_OPTION` */
  async create(options?: NewKeyOptions): Promise<NewApiKey> {
    const { key, hash, name, daily, perMinute } = makeKey(options);
    if (name.includes('\0')) {
      throw new SkillSearchError('INVALID_OPTION', 'name must not contain the character U+0000');
    }
    const [row] = await this.#pool.run<KeyRow>({
      text: `INSERT INTO skill_discovery.api_key (hash, name, daily, per_minute, created_at)
        VALUES ($2, $3, $4, $5, ${SECONDS}) RETURNING ${COLUMNS}`,
      values: [this.#seconds(), hash, name, daily, perMinute],
    });
    return { key, ...toApiKey(row!) };
  }

  /** All keys, revoked ones too, oldest first. */
  async list(): Promise<ApiKey[]> {
    const rows = await this.#pool.run<KeyRow>({
      text: `SELECT ${COLUMNS} FROM skill_discovery.api_key ORDER BY number`,
    });
    return rows.map(toApiKey);
  }

  /**
   * Refuses a key from the next request on. A key that is revoked already keeps its date.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND`
   */
  async revoke(idOrKey: number | string): Promise<ApiKey> {
    if (typeof idOrKey === 'number' && !(Number.isInteger(idOrKey) && Math.abs(idOrKey) < 2 ** 31)) {
      throw keyNotFound(idOrKey);
    }
    const [column, value] = typeof idOrKey === 'number' ? ['number', idOrKey] : ['hash', hashOf(idOrKey)];
    const [row] = await this.#pool.run<KeyRow>({
      text: `UPDATE skill_discovery.api_key SET revoked_at = coalesce(revoked_at, ${SECONDS})
        WHERE ${column} = $2 RETURNING ${COLUMNS}`,
      values: [this.#seconds(), value],
    });
    if (row === undefined) throw keyNotFound(idOrKey);
    this.#remembered.clear();
    return toApiKey(row);
  }

  /**
   * The id and the quota of a key that a client sent; undefined if it is not accepted. One that is remembered may have
   * been revoked since.
   */
  find(key: string): AcceptedKey | undefined | Promise<AcceptedKey | undefined> {
    if (!isKey(key)) return undefined;
    const hash = hashOf(key);
    const name = hash.toString('base64');
    const known = this.#remembered.get(name);
    if (known !== undefined) return timingSafeEqual(known.hash, hash) ? known : undefined;
    return this.#ask(name, hash);
  }

  /** Whether a key is still accepted. */
  async isAccepted(hash: Buffer): Promise<boolean> {
    return (await this.#ask(hash.toString('base64'), hash)) !== undefined;
  }

  /** Forgets a key that turned out to be revoked. */
  forget(hash: Buffer): void {
    this.#remembered.delete(hash.toString('base64'));
  }

  /** Never shares a statement that was sent before: the key may have been revoked since. */
  #ask(name: string, hash: Buffer): Promise<AcceptedKey | undefined> {
    const known = this.#waiting.get(name);
    if (known !== undefined) return known.promise;
    const waiting = { hash, ...withResolvers<AcceptedKey | undefined>() };
    this.#waiting.set(name, waiting);
    if (!this.#isAsking) void this.#readWaiting();
    return waiting.promise;
  }

  /** Asks for all keys that wait, and then for those that came meanwhile. */
  async #readWaiting(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      const asked = this.#waiting;
      this.#waiting = new Map();
      try {
        const found = await this.#read([...asked.values()].map(({ hash }) => hash));
        for (const [name, { resolve }] of asked) resolve(this.#remember(name, found.get(name)));
      } catch (error) {
        for (const { reject } of asked.values()) reject(error);
      }
    }
    this.#isAsking = false;
  }

  async #read(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, AcceptedKey>> {
    const rows = await this.#pool.run<Pick<KeyRow, 'number' | 'daily' | 'per_minute'> & { readonly hash: Buffer }>({
      name: 'skill-discovery keys',
      text: `SELECT number, daily, per_minute, hash FROM skill_discovery.api_key
        WHERE hash = ANY($1::bytea[]) AND revoked_at IS NULL`,
      values: [hashes],
    });
    const { daily, perMinute } = this.#defaults;
    return new Map(
      rows.map(({ number, hash, daily: own, per_minute: ownMinute }) => {
        const quota = { daily: own ?? daily, perMinute: ownMinute ?? perMinute };
        return [hash.toString('base64'), { id: number, quota, hash }];
      }),
    );
  }

  #remember(name: string, accepted: AcceptedKey | undefined): AcceptedKey | undefined {
    if (accepted === undefined) this.#remembered.delete(name);
    else {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(name, accepted);
    }
    return accepted;
  }

  #seconds(): number | null {
    return this.#now === undefined ? null : Math.floor(this.#now() / 1000);
  }
}

/**
 * The tables of keys and counters in PostgreSQL.
 *
 * - `api_key.hash` is the SHA-256 of the key; the key itself is not stored. `daily` and `per_minute` are null where the
 *   servers' limits count. Times are in Unix seconds.
 * - `usage` has a row for each client: `day_count` requests were answered on `day` (days since 1970, UTC), and
 *   `minute_count` requests came in the minute from `minute_start` (milliseconds since 1970). `daily`, `per_minute` and
 *   `asked` are what the last statement counted by, and `admitted` is how many of `asked` it let through: a statement
 *   returns what it wrote, and sees nothing else of the row that it found.
 *
 * Half of each page of `usage` is left free, so that a row is counted up within its page and no index is written.
 */
const ACCESS_TABLES: SharedTables = {
  part: 'access',
  format: 1,
  noun: 'state',
  foreignCode: 'NOT_A_STATE_FILE',
  statements: `CREATE TABLE skill_discovery.api_key (
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      name text NOT NULL,
      daily integer,
      per_minute integer,
      created_at bigint NOT NULL,
      revoked_at bigint
    );
    CREATE TABLE skill_discovery.usage (
      client text COLLATE "C" PRIMARY KEY,
      day integer NOT NULL,
      day_count bigint NOT NULL,
      minute_start bigint NOT NULL,
      minute_count bigint NOT NULL,
      daily integer NOT NULL,
      per_minute integer NOT NULL,
      asked integer NOT NULL,
      admitted integer NOT NULL
    ) WITH (fillfactor = 50);
    CREATE INDEX usage_day ON skill_discovery.usage (day);`,
};
