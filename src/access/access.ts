import { timingSafeEqual } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import {
  checkListener,
  checkOptions,
  checkPath,
  isPostgresAddress,
  orUndefined,
  refuseAddress,
  SkillSearchError,
} from '../core/index.js';
import { type Connection, Database, databaseError, isBusy, type Statement } from '../store/index.js';
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
  type Admission,
  type Client,
  count,
  dayOf,
  type KeysAndQuotas,
  minuteExceeded,
  quotaLeft,
  UNLIMITED_ADMISSION,
  type Usage,
  type Verdict,
} from './keys-and-quotas.js';
import { ACCESS_OPTIONS, type AccessOptions, type Quota, type Quotas, resolveQuotas } from './options.js';

/**
 * Opens a state file: API keys, and how many requests each client has made. The file is created if it does not exist.
 * Several processes may have it open; each sees what the others write at its next request.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; `DATABASE_NOT_WRITABLE` or `DATABASE_NOT_READABLE`
 *   if the file cannot be used; `NOT_A_STATE_FILE` for another database; `UNSUPPORTED_FORMAT` for one of another
 *   version
 * @example
 * import { openAccess } from 'skill-discovery/access';
 *
 * const access = openAccess({ state: 'access.db', key: { daily: 1000 } });
 * const { key } = access.createKey({ name: 'ci' });
 * const client = access.identify(`Bearer ${key}`, '203.0.113.9');
 * console.log(access.admit(client).dailyRemaining); // 999
 * access.close();
 */
export function openAccess(options: AccessOptions): Access {
  checkOptions(options, ACCESS_OPTIONS);
  const state = checkPath('state', options.state, 'a file');
  if (isPostgresAddress(state)) {
    throw new SkillSearchError('INVALID_OPTION', 'state is the address of a database: connectAccess() opens those');
  }
  refuseAddress('state', state, 'postgres://');
  const quotas = resolveQuotas(options);
  checkListener('now', options.now);
  const connection = openStateFile(state);
  try {
    return new Access(connection, state, quotas, options.now ?? Date.now);
  } catch (error) {
    connection.close();
    throw stateError(error, state);
  }
}

/**
 * The API keys and quotas of a state file; see {@link openAccess}. Besides the errors named below, every method but
 * `close` may throw `DATABASE_NOT_READABLE`, `DATABASE_NOT_WRITABLE` and, after `close`, `SERVICE_UNAVAILABLE`.
 */
export class Access implements KeysAndQuotas {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #quotas: Quotas;
  readonly #keys: ApiKeys;
  readonly #counters: QuotaCounters;
  readonly #probe: Statement<[], unknown>;
  /** False after a wait for the lock of another process was in vain, until the file can be written again. */
  #waitsForLocks = true;
  /** Requests of a day that could not be given back yet, at most one for each that is running. */
  readonly #owed: [client: string, day: number][] = [];

  /** @internal */
  constructor(connection: Connection, path: string, quotas: Quotas, now: () => number) {
    this.#connection = connection;
    this.#path = path;
    this.#quotas = quotas;
    this.#keys = new ApiKeys(connection, now);
    this.#counters = new QuotaCounters(connection, now);
    this.#probe = connection.prepare('SELECT (SELECT number FROM api_key LIMIT 1), (SELECT day FROM usage LIMIT 1)');
  }

  /**
   * Makes a key. This is the only time that it is shown: the file stores only its hash.
   *
   * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option
   */
  createKey(options?: NewKeyOptions): NewApiKey {
    return this.#write(() => this.#keys.create(options));
  }

  /** All keys, revoked ones too, oldest first. */
  listKeys(): ApiKey[] {
    return this.#guard(() => this.#keys.list());
  }

  /**
   * Revokes a key: all processes refuse it from their next request on. A key that is revoked already keeps its date.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND` if there is no such key
   */
  revokeKey(idOrKey: number | string): ApiKey {
    return this.#write(() => this.#keys.revoke(idOrKey));
  }

  /**
   * The client of a request.
   *
   * @param authorization the header `Authorization`; undefined for an anonymous request
   * @param address IP address of the client, from the socket or a trusted proxy
   * @throws {SkillSearchError} `INVALID_API_KEY` unless the header is `Bearer` and a key that is accepted
   */
  identify(authorization: string | undefined, address: string | undefined): Client {
    if (authorization === undefined) {
      return { kind: 'anonymous', name: clientOfAddress(address), quota: this.#quotas.anonymous };
    }
    const key = sentKey(authorization);
    const found = key === undefined ? undefined : this.#guard(() => this.#keys.find(key, this.#quotas.key));
    if (found !== undefined) return { kind: 'key', name: `key:${found.id}`, quota: found.quota };
    throw keyNotAccepted();
  }

  /** Does nothing: {@link identify} has asked the file. */
  confirm(_client: Client): void {}

  /**
   * Counts a request of a client. Every request counts for the minute; only one without a fault counts for the day.
   *
   * @param fault what is wrong with the request. It is thrown unless the limit of the minute is exceeded.
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED`; `retryAfter` has the seconds to wait
   */
  admit({ name, quota }: Client, fault?: SkillSearchError): Admission {
    const { daily, perMinute } = quota;
    // Without limits nothing is counted, so the file is not written.
    if (daily === 0 && perMinute === 0) {
      if (fault !== undefined) throw fault;
      return UNLIMITED_ADMISSION;
    }
    const verdict = this.#write(() => this.#counters.count(name, quota, fault === undefined));
    const left = quotaLeft(quota, verdict, fault);
    return { ...left, giveBack: () => this.#giveBack(name, verdict.usage.day) };
  }

  /**
   * Counts a request that is no search: for the minute only.
   *
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`; `retryAfter` has the seconds to wait
   */
  countRequest({ name, quota }: Client): void {
    const { perMinute } = quota;
    if (perMinute === 0) return;
    const { refused, retryAfter } = this.#write(() => this.#counters.count(name, quota, false));
    if (refused === 'minute') throw minuteExceeded(perMinute, retryAfter);
  }

  /** Reads from both tables of the file, to check that they can be read. */
  check(): void {
    this.#guard(() => this.#probe.get());
  }

  /** Closes the file. Further calls of `close` do nothing; all other methods throw `SERVICE_UNAVAILABLE`. */
  close(): void {
    try {
      if (this.#connection.open) this.#payBack();
    } catch {
      // Nobody can be told any more. The client has a request less on this day.
    }
    this.#connection.close();
  }

  /** While another process has the file locked, this is done with the next write. */
  #giveBack(client: string, day: number): void {
    this.#guard(() => {
      this.#owed.push([client, day]);
      try {
        this.#payBack();
      } catch (error) {
        if (!isBusy(error)) throw error;
        this.#waitForLocks(false);
      }
    });
  }

  #payBack(): void {
    for (let owed = this.#owed.at(-1); owed !== undefined; owed = this.#owed.at(-1)) {
      this.#counters.giveBack.run(...owed);
      this.#owed.pop();
    }
  }

  #write<T>(work: () => T): T {
    return this.#guard(() => {
      try {
        this.#payBack();
        const result = work();
        this.#waitForLocks(true);
        return result;
      } catch (error) {
        if (isBusy(error)) this.#waitForLocks(false);
        throw error;
      }
    });
  }

  #waitForLocks(waits: boolean): void {
    if (waits === this.#waitsForLocks) return;
    this.#waitsForLocks = waits;
    waitForLocks(this.#connection, waits);
  }

  #guard<T>(work: () => T): T {
    if (!this.#connection.open)
      throw new SkillSearchError('SERVICE_UNAVAILABLE', 'access to keys and quotas was closed');
    try {
      return work();
    } catch (error) {
      throw stateError(error, this.#path);
    }
  }
}

/** A key that is accepted; null for a limit that the server sets. */
type AcceptedRow = [id: number, daily: number | null, perMinute: number | null, hash: Buffer];

/**
 * The keys of a state file. Every process that has the file open sees a change at its next request.
 *
 * Only SHA-256 digests are looked up and compared, never keys. A lookup in the index of SQLite may take longer the more
 * of a digest it shares with a stored one. That helps nobody: who sends a key cannot choose its digest, and the
 * beginning of a digest says nothing of the 256 random bits that have it. What was found is compared as a whole, in the
 * same time wherever the first difference is.
 */
class ApiKeys {
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #accepted: Statement<[Buffer], AcceptedRow>;

  /** @param now milliseconds since 1970 */
  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
    const accepted = 'SELECT number, daily, per_minute, hash FROM api_key WHERE hash = ? AND revoked_at IS NULL';
    this.#accepted = connection.prepare<[Buffer], AcceptedRow>(accepted).raw();
  }

  /** @throws {SkillSearchError} `INVALID_OPTION` */
  create(options?: NewKeyOptions): NewApiKey {
    const { key, hash, name, daily, perMinute } = makeKey(options);
    const insert = this.#connection.prepare<unknown[], KeyRow>(
      'INSERT INTO api_key (hash, name, daily, per_minute, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
    );
    const row = this.#synced(() => insert.get(hash, name, daily, perMinute, this.#seconds()));
    // `RETURNING` always gives a row.
    return { key, ...toApiKey(row!) };
  }

  /** All keys, revoked ones too, oldest first. */
  list(): ApiKey[] {
    return this.#connection.prepare<[], KeyRow>('SELECT * FROM api_key ORDER BY number').all().map(toApiKey);
  }

  /**
   * Refuses a key from the next request on. A key that is revoked already keeps its date.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND`
   */
  revoke(idOrKey: number | string): ApiKey {
    const [column, value] = typeof idOrKey === 'number' ? ['number', idOrKey] : ['hash', hashOf(idOrKey)];
    const revoke = this.#connection.prepare<unknown[], KeyRow>(
      `UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE ${column} = ? RETURNING *`,
    );
    const row = this.#synced(() => revoke.get(this.#seconds(), value));
    if (row === undefined) throw keyNotFound(idOrKey);
    return toApiKey(row);
  }

  /** The id and the quota of a key that a client sent; undefined if it is not accepted. */
  find(key: string, defaults: Quota): { readonly id: number; readonly quota: Quota } | undefined {
    if (!isKey(key)) return undefined;
    const hash = hashOf(key);
    const row = this.#accepted.get(hash);
    if (row === undefined || !timingSafeEqual(row[3], hash)) return undefined;
    const [id, daily, perMinute] = row;
    return { id, quota: { daily: daily ?? defaults.daily, perMinute: perMinute ?? defaults.perMinute } };
  }

  /**
   * Writes to the file and waits until that is on the disk. Counts may be lost in a power cut; a key that was shown, or
   * was said to be revoked, may not.
   */
  #synced<T>(write: () => T): T {
    this.#connection.pragma('synchronous = FULL');
    try {
      // A statement with `RETURNING` commits after its row was given, and better-sqlite3 forgets an error of that.
      return this.#connection.transaction(write).immediate();
    } finally {
      this.#connection.pragma('synchronous = NORMAL');
    }
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }
}

/** `PRAGMA application_id` of a state file: the letters SKAC. It distinguishes state files from other databases. */
const APPLICATION_ID = 0x534b4143;
const FORMAT_VERSION = 1;

/** Milliseconds that a process waits for another one to finish writing: while it opens the file, and later. */
const OPENING_TIMEOUT = 5000;
const BUSY_TIMEOUT = 1000;

/**
 * - `api_key.hash` is the SHA-256 of the key; the key itself is not stored. `daily` and `per_minute` are null where the
 *   server's limits count.
 * - `usage` has a row for each client: `day_count` requests were answered on `day` (days since 1970, UTC), and
 *   `minute_count` requests came in the minute from `minute_start` (milliseconds since 1970).
 */
const SCHEMA = `
CREATE TABLE api_key (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  daily INTEGER,
  per_minute INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE usage (
  client TEXT PRIMARY KEY,
  day INTEGER NOT NULL,
  day_count INTEGER NOT NULL,
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX usage_day ON usage (day);
`;

/**
 * Opens the file of keys and counters. Creates it if it does not exist. Several processes may have it open at once.
 *
 * The journal is a write-ahead log that is not synced at every commit. Counts survive a crash of the process; a power
 * failure may lose those of the last moments.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_NOT_READABLE`, `NOT_A_STATE_FILE`, `UNSUPPORTED_FORMAT`
 */
function openStateFile(path: string): Connection {
  let connection: Connection | undefined;
  try {
    makePrivate(path);
    connection = new Database(path, { timeout: OPENING_TIMEOUT });
    // Checked before the first write: the file may belong to another program. Checked in one transaction, because
    // another process may be creating the tables.
    const opened = connection;
    opened.transaction(() => checkFormat(opened, path)).deferred();
    useWriteAheadLog(connection);
    connection.pragma('synchronous = NORMAL');
    createTables(connection, path);
    waitForLocks(connection, true);
    return connection;
  } catch (error) {
    connection?.close();
    // better-sqlite3 throws a TypeError if the folder does not exist.
    throw error instanceof TypeError
      ? new SkillSearchError('DATABASE_NOT_WRITABLE', `cannot write ${path}: ${error.message}`, { path, cause: error })
      : stateError(error, path);
  }
}

/**
 * Lets a connection wait for the locks of other processes, or not. Waiting stops everything else in this process, so
 * once it was in vain, requests fail at once until the lock is gone.
 */
function waitForLocks(connection: Connection, waits: boolean): void {
  connection.pragma(`busy_timeout = ${waits ? BUSY_TIMEOUT : 0}`);
}

/** Turns an error of SQLite into a `SkillSearchError`. Other errors stay as they are. */
function stateError(error: unknown, path: string): unknown {
  return databaseError(error, path, 'write', 'NOT_A_STATE_FILE');
}

/** Creates the file readable by its owner only: it has client addresses. SQLite gives its journal the same rights. */
function makePrivate(path: string): void {
  // SQLite reports the cause of a failure when it opens the file.
  if (path !== ':memory:') orUndefined(() => closeSync(openSync(path, 'a', 0o600)));
}

/** @returns whether the file has its tables */
function checkFormat(connection: Connection, path: string): boolean {
  const applicationId = connection.pragma('application_id', { simple: true });
  const version = connection.pragma('user_version', { simple: true });
  const tables = connection.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (applicationId === 0 && version === 0 && tables === 0) return false;
  if (applicationId !== APPLICATION_ID) {
    const message = `${path} is a database, but not one of keys and quotas`;
    throw new SkillSearchError('NOT_A_STATE_FILE', message, { path });
  }
  if (version === FORMAT_VERSION) return true;
  const message = `${path} has state format ${version}, this version reads format ${FORMAT_VERSION}`;
  throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path });
}

/** Tries again while the file is busy: SQLite's own timeout does not cover a change of the journal mode. */
function useWriteAheadLog(connection: Connection): void {
  const end = Date.now() + OPENING_TIMEOUT;
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Creates the tables, unless another process has. Also finds out whether the file can be written. */
function createTables(connection: Connection, path: string): void {
  connection
    .transaction(() => {
      if (!checkFormat(connection, path)) connection.exec(SCHEMA);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${FORMAT_VERSION}`);
    })
    .immediate();
}

/** The request counters of all clients, shared by all processes that have the state file open. */
class QuotaCounters {
  readonly #read: Statement<[client: string], Usage>;
  readonly #write: Statement<[client: string, number, number, number, number], unknown>;
  /** Subtracts one request from the count of a day, if that is still the counted day. */
  readonly giveBack: Statement<[client: string, day: number], unknown>;
  readonly #clear: Statement<[before: number], unknown>;
  /** Counts one request of a client; see {@link count}. */
  readonly count: (client: string, quota: Quota, answerable: boolean) => Verdict;
  /** Day on which old counters were last removed. */
  #cleared = 0;

  /** @param now milliseconds since 1970 */
  constructor(connection: Connection, now: () => number) {
    this.#read = connection.prepare(
      `SELECT day, day_count AS dayCount, minute_start AS minuteStart, minute_count AS minuteCount
       FROM usage WHERE client = ?`,
    );
    this.#write = connection.prepare(
      `INSERT INTO usage (client, day, day_count, minute_start, minute_count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (client) DO UPDATE SET day = excluded.day, day_count = excluded.day_count,
         minute_start = excluded.minute_start, minute_count = excluded.minute_count`,
    );
    this.giveBack = connection.prepare(
      'UPDATE usage SET day_count = day_count - 1 WHERE client = ? AND day = ? AND day_count > 0',
    );
    this.#clear = connection.prepare('DELETE FROM usage WHERE day < ?');
    const transaction = connection.transaction((client: string, quota: Quota, answerable: boolean): Verdict => {
      // Read under the lock, so that no process writes a time that is older than the stored one.
      const time = now();
      const today = dayOf(time);
      // Yesterday's counters are kept, because a clock may be set back a little.
      if (today !== this.#cleared) this.#clear.run(today - 1);
      this.#cleared = today;
      const verdict = count(this.#read.get(client), time, quota, answerable);
      const { day, dayCount, minuteStart, minuteCount } = verdict.usage;
      this.#write.run(client, day, dayCount, minuteStart, minuteCount);
      return verdict;
    });
    this.count = transaction.immediate;
  }
}
