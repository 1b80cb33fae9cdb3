import { timingSafeEqual } from 'node:crypto';
import type { Connection, Statement } from '../store/index.js';

/** A key that is accepted; null for a limit that the server sets. */
type AcceptedRow = [id: number, daily: number | null, perMinute: number | null, hash: Buffer];

/** Keys that are remembered at most. */
const MAX_REMEMBERED = 1000;

/**
 * The keys that a state file accepts. They are remembered until the file changes, so that a search with a key reads no
 * row. Requests that arrive together share one check of whether it has changed.
 *
 * Only SHA-256 digests are looked up and compared, never keys. A lookup, in the map or in the index of SQLite, may take
 * longer the more of a digest it shares with a stored one. That helps nobody: who sends a key cannot choose its digest,
 * and the beginning of a digest says nothing of the 256 random bits that have it. What was found is compared as a
 * whole, in the same time wherever the first difference is.
 */
export class AcceptedKeys {
  readonly #select: Statement<[Buffer], AcceptedRow>;
  readonly #version: Statement<[], number>;
  /** By the hash of the key, in Base64, as the file was at {@link #checked}. */
  readonly #remembered = new Map<string, AcceptedRow>();
  /** When the file was last checked, by `performance.now()`. */
  #checked = Number.NEGATIVE_INFINITY;
  /** `PRAGMA data_version` at that moment. It changes with every commit of another connection, in any process. */
  #lastVersion: number | undefined;

  constructor(connection: Connection) {
    this.#select = connection
      .prepare<[Buffer], AcceptedRow>(
        'SELECT number, daily, per_minute, hash FROM api_key WHERE hash = ? AND revoked_at IS NULL',
      )
      .raw();
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /**
   * @param hash SHA-256 of the key
   * @param since by `performance.now()`: the answer is that of the file at this moment or later
   */
  find(hash: Buffer, since: number): AcceptedRow | undefined {
    if (this.#checked <= since) this.#check();
    const name = hash.toString('base64');
    const row = this.#remembered.get(name) ?? this.#read(name, hash);
    return row !== undefined && timingSafeEqual(row[3], hash) ? row : undefined;
  }

  /** Forgets all keys. Call it after a change through the same connection: `data_version` does not show that. */
  forget(): void {
    this.#remembered.clear();
  }

  #check(): void {
    // Before the file is read: a change in between is found by the next check.
    const now = performance.now();
    const version = this.#version.get();
    if (version !== this.#lastVersion) this.#remembered.clear();
    this.#lastVersion = version;
    this.#checked = now;
  }

  #read(name: string, hash: Buffer): AcceptedRow | undefined {
    const row = this.#select.get(hash);
    if (row === undefined) return undefined;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(name, row);
    return row;
  }
}
