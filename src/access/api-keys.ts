import { createHash, randomBytes } from 'node:crypto';
import { SkillSearchError } from '../errors.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { checkCount, type Quota } from './options.js';

/** How a key begins: ours, or as clients of the public service that speaks the same interface expect it. */
export const KEY_PREFIXES = { plain: 'sk_live_', skillsmp: 'sk_live_skillsmp_' } as const;
export type KeyForm = keyof typeof KEY_PREFIXES;

const KEY = /^sk_live_(?:skillsmp_)?[A-Za-z0-9_-]{43}$/;
const MAX_NAME = 100;
/** Keys that are remembered. */
const MOST_KNOWN = 1000;

/** A key as it is listed: all but the key itself, which nothing keeps. */
export interface ApiKey {
  /** From 1; never given again. */
  readonly id: number;
  /** What it is for; may be empty, and several may have the same. */
  readonly name: string;
  /** Limits of its own, 0 for none; undefined where those of the server count. */
  readonly daily: number | undefined;
  readonly perMinute: number | undefined;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; undefined for a key that is accepted. */
  readonly revokedAt: number | undefined;
}

/** A key just made: the only moment in which it is known. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

export interface NewKeyOptions {
  /** What it is for, at most 100 characters. @default '' */
  readonly name?: string | undefined;
  /** Requests a day, 0 for no limit. @default what the server gives a key */
  readonly daily?: number | undefined;
  /** Requests a minute, 0 for no limit. @default what the server gives a key */
  readonly perMinute?: number | undefined;
  /** @default 'plain' */
  readonly form?: KeyForm | undefined;
}

interface KeyRow {
  readonly number: number;
  readonly name: string;
  readonly daily: number | null;
  readonly per_minute: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

type AcceptedRow = [number: number, daily: number | null, perMinute: number | null];

/**
 * The keys of a state file. Whatever changes here counts in every process at its next request: what is known of a key is
 * forgotten as soon as the file changes, and that is asked for requests that come at once at once.
 */
export class ApiKeys {
  readonly #insert: Statement<[Buffer, string, number | null, number | null, number], KeyRow>;
  readonly #all: Statement<[], KeyRow>;
  readonly #byHash: Statement<[Buffer], KeyRow>;
  readonly #accepted: Statement<[Buffer], AcceptedRow>;
  readonly #version: Statement<[], number>;
  readonly #byNumber: Statement<[number], KeyRow>;
  readonly #revoke: Statement<[number, number], unknown>;
  readonly #now: () => number;
  /** Keys that are accepted, by their hash, as the file said at {@link #checked}. */
  readonly #known = new Map<string, AcceptedRow>();
  /** Of `performance.now()`. */
  #checked = Number.NEGATIVE_INFINITY;
  /** What `PRAGMA data_version` was then: it changes with every commit of another connection, wherever that is. */
  #lastVersion: number | undefined;

  /** @param now milliseconds since 1970 */
  constructor(connection: Connection, now: () => number) {
    this.#insert = connection.prepare(
      'INSERT INTO api_key (hash, name, daily, per_minute, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
    );
    this.#all = connection.prepare('SELECT * FROM api_key ORDER BY number');
    this.#byHash = connection.prepare('SELECT * FROM api_key WHERE hash = ?');
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
    this.#accepted = connection
      .prepare<[Buffer], AcceptedRow>(
        'SELECT number, daily, per_minute FROM api_key WHERE hash = ? AND revoked_at IS NULL',
      )
      .raw();
    this.#byNumber = connection.prepare('SELECT * FROM api_key WHERE number = ?');
    this.#revoke = connection.prepare('UPDATE api_key SET revoked_at = ? WHERE number = ? AND revoked_at IS NULL');
    this.#now = now;
  }

  /** @throws {SkillSearchError} `INVALID_OPTION` */
  create({ name = '', daily, perMinute, form = 'plain' }: NewKeyOptions = {}): NewApiKey {
    if (typeof name !== 'string' || [...name].length > MAX_NAME) {
      throw new SkillSearchError('INVALID_OPTION', `name must be a string of at most ${MAX_NAME} characters`);
    }
    if (!Object.hasOwn(KEY_PREFIXES, form)) {
      const forms = Object.keys(KEY_PREFIXES).join(', ');
      throw new SkillSearchError('INVALID_OPTION', `form must be one of ${forms}, got ${String(form)}`);
    }
    const limits = [checkCount('daily', daily) ?? null, checkCount('perMinute', perMinute) ?? null] as const;
    const key = KEY_PREFIXES[form] + randomBytes(32).toString('base64url');
    const row = this.#insert.get(hashOf(key), name, ...limits, Math.floor(this.#now() / 1000));
    return { key, ...toApiKey(row as KeyRow) };
  }

  /** All keys in the order in which they were made, the revoked ones too. */
  list(): ApiKey[] {
    return this.#all.all().map(toApiKey);
  }

  /**
   * Makes a key worthless, from the next request on. One that was revoked already stays as it is.
   *
   * @param idOrKey the id of a key, or the key itself
   * @throws {SkillSearchError} `KEY_NOT_FOUND`
   */
  revoke(idOrKey: number | string): ApiKey {
    const find = (): KeyRow | undefined =>
      typeof idOrKey === 'number' ? this.#byNumber.get(idOrKey) : this.#byHash.get(hashOf(idOrKey));
    const row = find();
    if (row === undefined) {
      // What was given may be a real key with a slip in it: it is not repeated.
      const what = typeof idOrKey === 'number' ? `the id ${idOrKey}` : 'this text';
      throw new SkillSearchError('KEY_NOT_FOUND', `no key has ${what}`);
    }
    this.#known.clear();
    this.#revoke.run(Math.floor(this.#now() / 1000), row.number);
    return toApiKey(find() as KeyRow);
  }

  /**
   * The key of a text that a client sent, if it is accepted, with its limits.
   *
   * @param since of `performance.now()`: what the file said at any moment after that will do
   */
  find(key: string, defaults: Quota, since: number): { readonly id: number; readonly quota: Quota } | undefined {
    if (!KEY.test(key)) return undefined;
    if (this.#checked <= since) this.#check();
    const hashed = createHash('sha256').update(key).digest('base64');
    const row = this.#known.get(hashed) ?? this.#lookUp(hashed);
    if (row === undefined) return undefined;
    const [id, daily, perMinute] = row;
    return { id, quota: { daily: daily ?? defaults.daily, perMinute: perMinute ?? defaults.perMinute } };
  }

  /** Forgets what is known if the file has changed since. */
  #check(): void {
    const now = performance.now();
    const version = this.#version.get();
    if (version !== this.#lastVersion) this.#known.clear();
    this.#lastVersion = version;
    this.#checked = now;
  }

  #lookUp(hashed: string): AcceptedRow | undefined {
    const row = this.#accepted.get(Buffer.from(hashed, 'base64'));
    if (row === undefined) return undefined;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(hashed, row);
    return row;
  }
}

/** A key has 256 random bits: a plain hash cannot be turned back, and needs neither salt nor slowness. */
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
