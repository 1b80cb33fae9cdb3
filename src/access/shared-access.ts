import { SkillSearchError } from '../core/index.js';
import type { PostgresPool } from '../share/index.js';
import { type Access, openAccess } from './access.js';
import { minuteExceeded, quotaLeft, type SharedAdmission, UNLIMITED_ADMISSION } from './admission.js';
import type { ApiKey, NewApiKey } from './api-key.js';
import { clientOfAddress } from './client-address.js';
import type { Client, KeysAndQuotas } from './keys-and-quotas.js';
import type { NewKeyOptions } from './new-key.js';
import { keyNotAccepted, sentKey } from './sent-key.js';
import { SharedCounters } from './shared-counters.js';
import { type AcceptedKey, SharedKeys } from './shared-keys.js';
import type { ResolvedSharedOptions } from './shared-options.js';

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
   * Reads from both tables, to check that they can be read. With `anonymousWhenAway` a database that does not answer is
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
      if (!this.#options.anonymousWhenAway || !isAway(error)) throw error;
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
      if (accepted !== undefined && isRevoked(error)) this.#keys.forget(accepted.hash);
      throw error;
    }
  }

  /** Who counts a request that the database could not count; undefined if nobody may. */
  #instead({ kind }: Client, error: unknown): Access | undefined {
    if (!this.#options.anonymousWhenAway || kind !== 'anonymous' || this.#isClosed || !isAway(error)) return undefined;
    this.#meanwhile ??= openAccess({ state: ':memory:', now: this.#options.now });
    return this.#meanwhile;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'access to keys and quotas was closed');
  }
}

/** Whether an error says that the database does not answer now. */
function isAway(error: unknown): boolean {
  return error instanceof SkillSearchError && error.code === 'SERVICE_UNAVAILABLE';
}

function isRevoked(error: unknown): boolean {
  return error instanceof SkillSearchError && error.code === 'INVALID_API_KEY';
}
