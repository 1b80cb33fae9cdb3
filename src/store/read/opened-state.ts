import { SkillSearchError } from '../../core/index.js';
import { oldestKept, readLineage } from '../lineage.js';
import { SUPERSEDED } from '../schema.js';
import type { Connection, Statement } from '../sqlite/connection.js';

/** Columns of `skill` that are read. */
const SKILL = `number, id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash,
  hash, tags, record_checksum, shown_checksum, checksum`;

/** What belongs to a skill, and its columns. */
const PARTS: Readonly<Record<Exclude<keyof typeof SUPERSEDED, 'skill'>, string>> = {
  file: 'skill, position, filename, text, checksum',
  contents: 'skill, hash, complete_id, checksum',
  content_file: 'skill, path, size, sha256, executable, complete, is_text, kept',
  derived_label: 'skill, hash, categories, checksum',
  text_signature: 'skill, name, text, words, sketch, checksum',
};

/**
 * Keeps a connection at the state of the catalogue that it has opened. A small change writes into the same file, so as
 * soon as one is noticed, views take the place of the tables for this connection: they show what the tables had. All
 * statements go on as they are, because SQLite looks up a name among the views of a connection first.
 */
export class OpenedState {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #stamp: string;
  readonly #version: Statement<[], number>;
  readonly #presentStamp: Statement<[], string>;
  #seen: number;
  #hasViews = false;

  /** @param stamp of the state; read in the same transaction as this is made in */
  constructor(connection: Connection, path: string, stamp: string) {
    this.#connection = connection;
    this.#path = path;
    this.#stamp = stamp;
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
    this.#presentStamp = connection.prepare<[], string>("SELECT value FROM main.meta WHERE key = 'stamp'").pluck();
    this.#seen = this.#version.get()!;
  }

  /**
   * Makes sure that the statements of this transaction read the opened state.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if that state is no longer kept
   */
  settle(): void {
    const version = this.#version.get()!;
    if (version === this.#seen) return;
    if (this.#presentStamp.get() !== this.#stamp) this.#showOpened();
    this.#seen = version;
  }

  /** A transaction was rolled back, and with it perhaps the views that it made. */
  rolledBack(): void {
    this.#hasViews = false;
    this.#seen = -1;
  }

  #showOpened(): void {
    const state = readLineage(this.#connection).find(({ stamp }) => stamp === this.#stamp);
    if (state === undefined || state.sequence < oldestKept(this.#connection)) {
      const message = `${this.#path} has changed too much since it was opened: open it again`;
      throw new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: this.#path });
    }
    if (this.#hasViews) return;
    const { sequence, lastSkill } = state;
    const isGone = `gone > ${sequence} AND number <= ${lastSkill}`;
    this.#connection.pragma('temp_store = MEMORY');
    const gone = `SELECT number FROM main.${SUPERSEDED.skill} WHERE ${isGone}`;
    const views = [
      `skill AS SELECT ${SKILL} FROM main.skill WHERE number <= ${lastSkill}
        UNION ALL SELECT ${SKILL} FROM main.${SUPERSEDED.skill} WHERE ${isGone}`,
      ...Object.entries(PARTS).map(
        ([table, columns]) => `${table} AS SELECT ${columns} FROM main.${table} WHERE skill <= ${lastSkill}
          UNION ALL SELECT ${columns} FROM main.${SUPERSEDED[table as keyof typeof PARTS]} WHERE skill IN (${gone})`,
      ),
    ];
    for (const view of views) this.#connection.exec(`CREATE TEMP VIEW IF NOT EXISTS ${view}`);
    this.#hasViews = true;
  }
}
