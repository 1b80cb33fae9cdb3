import type { Connection, Statement } from '../sqlite/connection.js';

/** A key that is accepted; null for a limit that the server sets. */
type AcceptedRow = [id: number, daily: number | null, perMinute: number | null];

/** Keys that are remembered at most. */
const MAX_REMEMBERED = 1000;

/**
 * The keys that a state file accepts. They are remembered until the file changes, so that a search with a key reads no
 * row. Requests that arrive together share one check of whether it has changed.
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
        'SELECT number, daily, per_minute FROM api_key WHERE hash = ? AND revoked_at IS NULL',
      )
      .raw();
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /**
   * @param hash of the key, in Base64
   * @param since by `performance.now()`: the answer is that of the file at this moment or later
   */
  find(hash: string, since: number): AcceptedRow | undefined {
    if (this.#checked <= since) this.#check();
    return this.#remembered.get(hash) ?? this.#read(hash);
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

  #read(hash: string): AcceptedRow | undefined {
    const row = this.#select.get(Buffer.from(hash, 'base64'));
    if (row === undefined) return undefined;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(hash, row);
    return row;
  }
}
