import { timingSafeEqual } from 'node:crypto';
import { SkillSearchError } from '../core/index.js';
import type { PostgresPool } from '../share/index.js';
import { type ApiKey, type KeyRow, keyNotFound, type NewApiKey, toApiKey } from './api-key.js';
import { hashOf, isKey, makeKey, type NewKeyOptions } from './new-key.js';
import type { Quota } from './options.js';
import { type Resolvers, withResolvers } from './with-resolvers.js';

/** A key that was accepted. */
export interface AcceptedKey {
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
export class SharedKeys {
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
    if (accepted === undefined) {
      this.#remembered.delete(name);
      return undefined;
    }
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(name, accepted);
    return accepted;
  }

  #seconds(): number | null {
    return this.#now === undefined ? null : Math.floor(this.#now() / 1000);
  }
}
