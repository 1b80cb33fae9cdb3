import { createHash } from 'node:crypto';
import { checkOptions, namesOf } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { MAX_KEY_NAME } from '../limits.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { AcceptedKeys } from './accepted-keys.js';
import { checkCount, type Quota } from './options.js';
import { randomLetters } from './random-letters.js';

/** How keys begin: `plain` by default; `skillsmp` as clients of the public service with the same interface expect. */
export const KEY_PREFIXES = { plain: 'sk_live_', skillsmp: 'sk_live_skillsmp_' } as const;
/** A name of {@link KEY_PREFIXES}. */
export type KeyForm = keyof typeof KEY_PREFIXES;

/** Characters of a key after its prefix: 43 letters and digits have 256.03 random bits. */
const SECRET_LENGTH = 43;

/** Keys of earlier versions may also have `_` and `-` after the prefix. */
const KEY = /^sk_live_(?:skillsmp_)?[A-Za-z0-9_-]{43}$/;

/** What is known of a key. The key itself is not stored. */
export interface ApiKey {
  /** From 1; never reused. */
  readonly id: number;
  /** What the key is for; may be empty, and need not be unique. */
  readonly name: string;
  /** Requests a day, 0 for no limit; undefined where the server's limit counts. */
  readonly daily: number | undefined;
  /** Requests a minute, 0 for no limit; undefined where the server's limit counts. */
  readonly perMinute: number | undefined;
  /** When the key was made, in Unix seconds. */
  readonly createdAt: number;
  /** When the key was revoked, in Unix seconds; undefined for a key that is accepted. */
  readonly revokedAt: number | undefined;
}

/** A new key. Only its hash is stored, so it cannot be shown again. */
export interface NewApiKey extends ApiKey {
  /** What clients send: `Authorization: Bearer <key>`. */
  readonly key: string;
}

/** Options of `createKey`. */
export interface NewKeyOptions {
  /** What the key is for, at most 100 characters. @default '' */
  readonly name?: string | undefined;
  /** Requests a day, an integer from 0; 0 for no limit. @default the server's limit for keys */
  readonly daily?: number | undefined;
  /** Requests a minute, an integer from 0; 0 for no limit. @default the server's limit for keys */
  readonly perMinute?: number | undefined;
  /** How the key begins. @default 'plain' */
  readonly form?: KeyForm | undefined;
}

const NEW_KEY_OPTIONS = namesOf<NewKeyOptions>({ name: true, daily: true, perMinute: true, form: true });

interface KeyRow {
  readonly number: number;
  readonly name: string;
  readonly daily: number | null;
  readonly per_minute: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

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
  create(options: NewKeyOptions = {}): NewApiKey {
    checkOptions(options, NEW_KEY_OPTIONS);
    const { name = '', daily, perMinute, form = 'plain' } = options;
    if (typeof name !== 'string' || [...name].length > MAX_KEY_NAME) {
      throw new SkillSearchError('INVALID_OPTION', `name must be a string of at most ${MAX_KEY_NAME} characters`);
    }
    if (!Object.hasOwn(KEY_PREFIXES, form)) {
      const forms = Object.keys(KEY_PREFIXES).join(', ');
      throw new SkillSearchError('INVALID_OPTION', `form must be one of ${forms}, got ${String(form)}`);
    }
    const limits = [checkCount('daily', daily) ?? null, checkCount('perMinute', perMinute) ?? null] as const;
    const key = KEY_PREFIXES[form] + randomLetters(SECRET_LENGTH);
    const row = this.#synced(() => this.#insert.get(hashOf(key), name, ...limits, Math.floor(this.#now() / 1000)));
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
    if (row === undefined) {
      // The text may be a real key with a typing error, so the message does not repeat it.
      const what = typeof idOrKey === 'number' ? `the id ${idOrKey}` : 'this text';
      throw new SkillSearchError('KEY_NOT_FOUND', `no key has ${what}`);
    }
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
    if (!KEY.test(key)) return undefined;
    const row = this.#accepted.find(hashOf(key), since);
    if (row === undefined) return undefined;
    const [id, daily, perMinute] = row;
    return { id, quota: { daily: daily ?? defaults.daily, perMinute: perMinute ?? defaults.perMinute } };
  }
}

/** A key has 256 random bits: guessing it is hopeless, so the hash needs neither salt nor a slow function. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function toApiKey({ number, name, daily, per_minute, created_at, revoked_at }: KeyRow): ApiKey {
  return {
    id: number,
    name,
    daily: daily ?? undefined,
    perMinute: per_minute ?? undefined,
    createdAt: created_at,
    revokedAt: revoked_at ?? undefined,
  };
}
