import type { Connection, Statement } from '../store/index.js';
import { AcceptedKeys } from './accepted-keys.js';
import { type ApiKey, type KeyRow, keyNotFound, type NewApiKey, toApiKey } from './api-key.js';
import { hashOf, isKey, makeKey, type NewKeyOptions } from './new-key.js';
import type { Quota } from './options.js';

/** The keys of a state file. Every process that has the file open sees a change at its next request. */
export class ApiKeys {
  readonly #insert: Statement<[Buffer, string, number | null, number | null, number], KeyRow>;
  readonly #all: Statement<[], KeyRow>;
  readonly #byHash: Statement<[Buffer], KeyRow>;
  readonly #byNumber: Statement<[number], KeyRow>;
  readonly #revoke: Statement<[number, number], unknown>;
  readonly #now: () => number;
  readonly #accepted: AcceptedKeys;
  readonly #connection: Connection;

  /** @param now milliseconds since 1970 */
  constructor(connection: Connection, now: () => number) {
    this.#insert = connection.prepare(
      'INSERT INTO api_key (hash, name, daily, per_minute, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
    );
    this.#all = connection.prepare('SELECT * FROM api_key ORDER BY number');
    this.#byHash = connection.prepare('SELECT * FROM api_key WHERE hash = ?');
    this.#byNumber = connection.prepare('SELECT * FROM api_key WHERE number = ?');
    this.#revoke = connection.prepare('UPDATE api_key SET revoked_at = ? WHERE number = ? AND revoked_at IS NULL');
    this.#accepted = new AcceptedKeys(connection);
    this.#connection = connection;
    this.#now = now;
  }

  /** @throws {SkillSearchError} `INVALID_OPTION` */
  create(options?: NewKeyOptions): NewApiKey {
    const { key, hash, name, daily, perMinute } = makeKey(options);
    const row = this.#synced(() => this.#insert.get(hash, name, daily, perMinute, Math.floor(this.#now() / 1000)));
    // `RETURNING` always gives a row.
    return { key, ...toApiKey(row!) };
  }

  /** All keys, revoked ones too, oldest first. */
  list(): ApiKey[] {
    return this.#all.all().map(toApiKey);
  }

  /**
   * Refuses a key from the next request on. A key that is revoked already keeps its date.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND`
   */
  revoke(idOrKey: number | string): ApiKey {
    const find = (): KeyRow | undefined =>
      typeof idOrKey === 'number' ? this.#byNumber.get(idOrKey) : this.#byHash.get(hashOf(idOrKey));
    const row = find();
    if (row === undefined) throw keyNotFound(idOrKey);
    this.#accepted.forget();
    this.#synced(() => this.#revoke.run(Math.floor(this.#now() / 1000), row.number));
    return toApiKey(find()!);
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

  /**
   * The id and the quota of a key that a client sent; undefined if it is not accepted.
   *
   * @param since by `performance.now()`: the answer is that of the file at this moment or later
   */
  find(key: string, defaults: Quota, since: number): { readonly id: number; readonly quota: Quota } | undefined {
    if (!isKey(key)) return undefined;
    const row = this.#accepted.find(hashOf(key), since);
    if (row === undefined) return undefined;
    const [id, daily, perMinute] = row;
    return { id, quota: { daily: daily ?? defaults.daily, perMinute: perMinute ?? defaults.perMinute } };
  }
}
