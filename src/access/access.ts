import { checkPath } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import type { Connection } from '../sqlite/connection.js';
import { type ApiKey, ApiKeys, type NewApiKey, type NewKeyOptions } from './api-keys.js';
import { clientOfAddress } from './client-address.js';
import {
  type AccessOptions,
  DEFAULT_ANONYMOUS_QUOTA,
  DEFAULT_KEY_QUOTA,
  type Quota,
  resolveQuota,
  UNLIMITED,
} from './options.js';
import { QuotaCounters } from './quota-counters.js';
import { openStateFile, stateError } from './state-file.js';

/** Who asks: what its requests are counted under, and how many it may make. */
export interface Client {
  readonly kind: 'anonymous' | 'key';
  /** `key:3`, or an address. */
  readonly name: string;
  readonly quota: Quota;
}

/** A request that may be answered. */
export interface Admission {
  /** Requests a day; {@link UNLIMITED} where there is no limit. */
  readonly dailyLimit: number;
  /** What is left of them after this request. */
  readonly dailyRemaining: number;
  /** To be called if the request was not answered with skills after all: it then uses nothing of the day. */
  giveBack(): void;
}

/**
 * Opens a state file: API keys, and the counters of who asked how often. Several processes may have it open; what one
 * writes, all see at their next request.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_WRITABLE`, `DATABASE_NOT_READABLE`, `NOT_A_STATE_FILE`,
 *   `UNSUPPORTED_FORMAT`
 * @example
 * const access = openAccess({ state: 'access.db', key: { daily: 1000 } });
 * const { key } = access.createKey({ name: 'ci' });
 */
export function openAccess(options: AccessOptions): Access {
  const state = checkPath('state', options?.state, 'a file');
  const quotas = {
    anonymous: resolveQuota('anonymous', options.anonymous, DEFAULT_ANONYMOUS_QUOTA),
    key: resolveQuota('key', options.key, DEFAULT_KEY_QUOTA),
  };
  const connection = openStateFile(state);
  try {
    return new Access(connection, state, quotas, options.now ?? Date.now);
  } catch (error) {
    connection.close();
    throw stateError(error, state);
  }
}

interface Quotas {
  readonly anonymous: Quota;
  readonly key: Quota;
}

/** Keys and quotas of a state file; made by {@link openAccess}. Every call may throw what that does of databases. */
export class Access {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #quotas: Quotas;
  readonly #keys: ApiKeys;
  readonly #counters: QuotaCounters;

  /** @internal */
  constructor(connection: Connection, path: string, quotas: Quotas, now: () => number) {
    this.#connection = connection;
    this.#path = path;
    this.#quotas = quotas;
    this.#keys = new ApiKeys(connection, now);
    this.#counters = new QuotaCounters(connection, now);
  }

  /**
   * Makes a key. It is told here and never again: only its hash is stored.
   *
   * @throws {SkillSearchError} `INVALID_OPTION`
   */
  createKey(options?: NewKeyOptions): NewApiKey {
    return this.#guard(() => this.#keys.create(options));
  }

  /** All keys in the order in which they were made, the revoked ones too. */
  listKeys(): ApiKey[] {
    return this.#guard(() => this.#keys.list());
  }

  /**
   * Makes a key worthless, in all processes from their next request on.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND`
   */
  revokeKey(idOrKey: number | string): ApiKey {
    return this.#guard(() => this.#keys.revoke(idOrKey));
  }

  /**
   * Whose request it is.
   *
   * @param authorization the header of that name; undefined where the request has none
   * @param address of the client, as the socket or a trusted proxy tells it
   * @param arrived when the request did, of `performance.now()`: the file is asked unless it was since, for another request
   *   @default now: it is asked
   * @throws {SkillSearchError} `INVALID_API_KEY` where the header is anything but `Bearer` and a key that is accepted
   */
  identify(
    authorization: string | undefined,
    address: string | undefined,
    arrived: number = performance.now(),
  ): Client {
    if (authorization === undefined) {
      return { kind: 'anonymous', name: clientOfAddress(address), quota: this.#quotas.anonymous };
    }
    const [, key] = /^bearer +([^\s]+)$/i.exec(authorization.trim()) ?? [];
    const found = key === undefined ? undefined : this.#guard(() => this.#keys.find(key, this.#quotas.key, arrived));
    if (found !== undefined) return { kind: 'key', name: `key:${found.id}`, quota: found.quota };
    throw new SkillSearchError(
      'INVALID_API_KEY',
      'the API key is not accepted: expected `Authorization: Bearer <key>`',
    );
  }

  /**
   * Counts a request of a client. It counts for the minute in any case; of the day it uses one only if it is in order.
   *
   * @param fault what is wrong with the request; thrown where the minute leaves room for it
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED`, with `retryAfter`
   */
  admit({ name, quota }: Client, fault?: SkillSearchError): Admission {
    const { daily, perMinute } = quota;
    // Nothing to count: nothing is written.
    if (daily === 0 && perMinute === 0) {
      if (fault !== undefined) throw fault;
      return UNLIMITED_ADMISSION;
    }
    const verdict = this.#guard(() => this.#counters.count(name, quota, fault === undefined));
    const { refused, retryAfter, usage } = verdict;
    if (refused === 'minute') {
      const message = `more than ${perMinute} requests within a minute: try again in ${retryAfter} s`;
      throw new SkillSearchError('RATE_LIMIT_EXCEEDED', message, { retryAfter });
    }
    if (fault !== undefined) throw fault;
    if (refused === 'day') {
      const message = `the ${daily} requests of this day are used up; the next day begins at 00:00 UTC`;
      throw new SkillSearchError('DAILY_QUOTA_EXCEEDED', message, { retryAfter });
    }
    return {
      dailyLimit: daily === 0 ? UNLIMITED : daily,
      dailyRemaining: daily === 0 ? UNLIMITED : daily - usage.dayCount,
      giveBack: () => this.#guard(() => this.#counters.giveBack(name, usage.day)),
    };
  }

  /** Asks the file; returns if it answers. */
  check(): void {
    this.#guard(() => this.#connection.pragma('user_version'));
  }

  /** Lets go of the file. Later calls fail, except this one. */
  close(): void {
    this.#connection.close();
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

/** For clients without any limit, whom nobody counts. */
export const UNLIMITED_ADMISSION: Admission = {
  dailyLimit: UNLIMITED,
  dailyRemaining: UNLIMITED,
  giveBack: () => {},
};
