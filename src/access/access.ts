import {
  checkListener,
  checkOptions,
  checkPath,
  isPostgresAddress,
  refuseAddress,
  SkillSearchError,
} from '../core/index.js';
import { type Connection, isBusy, type Statement } from '../store/index.js';
import { type Admission, minuteExceeded, quotaLeft, UNLIMITED_ADMISSION } from './admission.js';
import type { ApiKey, NewApiKey } from './api-key.js';
import { ApiKeys } from './api-keys.js';
import { clientOfAddress } from './client-address.js';
import type { Client, KeysAndQuotas } from './keys-and-quotas.js';
import type { NewKeyOptions } from './new-key.js';
import { ACCESS_OPTIONS, type AccessOptions, type Quotas, resolveQuotas } from './options.js';
import { QuotaCounters } from './quota-counters.js';
import { keyNotAccepted, sentKey } from './sent-key.js';
import { openStateFile, stateError, waitForLocks } from './state-file.js';

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
   * @param arrived when the request arrived, by `performance.now()`: revocations before that are seen. Requests that
   *   arrived together share one look at the file. @default now
   * @throws {SkillSearchError} `INVALID_API_KEY` unless the header is `Bearer` and a key that is accepted
   */
  identify(
    authorization: string | undefined,
    address: string | undefined,
    arrived: number = performance.now(),
  ): Client {
    if (authorization === undefined) {
      return { kind: 'anonymous', name: clientOfAddress(address), quota: this.#quotas.anonymous };
    }
    const key = sentKey(authorization);
    const found = key === undefined ? undefined : this.#guard(() => this.#keys.find(key, this.#quotas.key, arrived));
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
      this.#counters.giveBack(...owed);
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
