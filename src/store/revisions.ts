import { type SkillNumber, SkillSearchError, type VectorNumber } from '../core/index.js';
import { whileOpen } from './database.js';
import { readMeta } from './notes.js';
import { SKILL_COLUMNS } from './schema.js';
import type { Connection, Statement } from './sqlite.js';

/**
 * Revisions that incremental updates replaced or removed, and that are kept for readers: some tens of megabytes.
 * Beyond, the oldest states can no longer be read, and index files of them are of no use.
 */
export const MAX_SUPERSEDED = 5000;

/** A state of a catalogue, among those that incremental updates have made since the last whole load. */
export interface CatalogueState {
  /** 0 for the state that the load made. */
  readonly sequence: number;
  readonly stamp: string;
  /** Later states give their skills and vectors higher numbers. */
  readonly lastSkill: SkillNumber;
  readonly lastVector: VectorNumber;
}

/**
 * The states of a catalogue that can be read, oldest first; the last one is the present state. Empty if there was no
 * incremental update since the last whole load.
 *
 * @param until stamp of the last state that is wanted; left out for the present one
 */
export function readHistory(connection: Connection, until?: string): readonly CatalogueState[] {
  const states = connection
    .prepare<[], CatalogueState>(`
      SELECT sequence, stamp, last_skill AS lastSkill, last_vector AS lastVector FROM state ORDER BY sequence`)
    .all();
  // Rows that are damaged are none.
  if (states.at(-1)?.stamp !== readMeta(connection, 'stamp')) return [];
  return until === undefined ? states : states.slice(0, states.findIndex(({ stamp }) => stamp === until) + 1);
}

/** How much incremental updates have changed since a former state. */
export interface ChangesSince {
  /** Skills that came or are gone; a skill that was replaced counts twice. */
  readonly skills: number;
  /** Vectors that came. */
  readonly vectors: number;
}

/**
 * How much has changed since a state of a catalogue.
 *
 * @param stamp of that state
 * @returns undefined if the present state was not made from it by incremental updates, or too many of them
 */
export function changesSince(path: string, stamp: string): ChangesSince | undefined {
  const read = (connection: Connection): ChangesSince | undefined => {
    const since = readHistory(connection).find((state) => state.stamp === stamp);
    const count = connection.prepare<[CatalogueState], ChangesSince>(`
      SELECT (SELECT count(*) FROM skill WHERE number > :lastSkill)
          + (SELECT count(*) FROM revision WHERE gone > :sequence AND gone > 0 AND number <= :lastSkill) AS skills,
        (SELECT count(*) FROM vector WHERE number > :lastVector) AS vectors`);
    return since && count.get(since);
  };
  return whileOpen(path, (connection) => connection.transaction(read)(connection));
}

/**
 * Keeps a connection at the state of the catalogue that it has opened. An incremental update writes into the same file,
 * so as soon as one is noticed, a view of this connection takes the place of `skill`: it shows what that showed. All
 * statements go on as they are, because SQLite looks up a name among the views of a connection first.
 */
export class OpenedState {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #stamp: string;
  readonly #version: Statement<[], number>;
  #seen: number;
  #hasView = false;
  readonly #inTransaction: (work: () => unknown) => unknown;

  /** @param stamp of the state; read in the same transaction as this is made in */
  constructor(connection: Connection, path: string, stamp: string) {
    this.#connection = connection;
    this.#path = path;
    this.#stamp = stamp;
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
    this.#seen = this.#version.get()!;
    this.#inTransaction = connection.transaction((work) => {
      const version = this.#version.get()!;
      if (version !== this.#seen && readMeta(connection, 'stamp') !== stamp) this.#showOpened();
      this.#seen = version;
      return work();
    });
  }

  /**
   * Work on the opened state, in one transaction.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if that state is no longer kept
   */
  reading<T>(work: () => T): T {
    try {
      return this.#inTransaction(work) as T;
    } catch (error) {
      // It was rolled back, and with it perhaps the view that it made.
      this.#hasView = false;
      this.#seen = -1;
      throw error;
    }
  }

  #showOpened(): void {
    const state = readHistory(this.#connection).find(({ stamp }) => stamp === this.#stamp);
    if (state === undefined) {
      const message = `${this.#path} has changed too much since it was opened: open it again`;
      throw new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: this.#path });
    }
    if (this.#hasView) return;
    this.#connection.pragma('temp_store = MEMORY');
    this.#connection.exec(`
      CREATE TEMP VIEW IF NOT EXISTS skill AS SELECT ${SKILL_COLUMNS} FROM main.revision
      WHERE number <= ${state.lastSkill} AND (gone = 0 OR gone > ${state.sequence})`);
    this.#hasView = true;
  }
}

/** What an incremental update leaves for readers of the states before it, inside its transaction. */
export class Superseding {
  /** The state before the update. */
  readonly before: CatalogueState;
  readonly #connection: Connection;
  readonly #leave: Statement<[gone: number, SkillNumber], unknown>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.before = readHistory(connection).at(-1) ?? firstState(connection);
    this.#leave = connection.prepare('UPDATE revision SET gone = ? WHERE number = ?');
  }

  /** Whether readers may have seen the skill. One that this update itself has written can be written over. */
  isSeen(skill: SkillNumber): boolean {
    return skill <= this.before.lastSkill;
  }

  /** Takes a skill that readers may have seen out of the present state. */
  leave(skill: SkillNumber): void {
    this.#leave.run(this.before.sequence + 1, skill);
  }

  /** Notes the state that the update makes, and forgets the oldest if too much is left of them. */
  end(stamp: string, lastSkill: SkillNumber, lastVector: VectorNumber): void {
    insertState(this.#connection, { sequence: this.before.sequence + 1, stamp, lastSkill, lastVector });
    const gone = this.#connection
      .prepare<[number], number>('SELECT gone FROM revision WHERE gone > 0 ORDER BY gone DESC LIMIT 1 OFFSET ?')
      .pluck()
      .get(MAX_SUPERSEDED);
    if (gone !== undefined) forgetUntil(this.#connection, gone);
  }
}

/** Forgets the states before one, with what was kept for their readers. */
function forgetUntil(connection: Connection, sequence: number): void {
  connection.prepare('DELETE FROM revision WHERE gone > 0 AND gone <= ?').run(sequence);
  connection.prepare('DELETE FROM state WHERE sequence < ?').run(sequence);
}

/** Deletes what incremental updates have left. For a whole load: former states cannot be read from its staging file. */
export function forgetFormerStates(connection: Connection): void {
  forgetUntil(connection, Number.MAX_SAFE_INTEGER);
}

function firstState(connection: Connection): CatalogueState {
  forgetFormerStates(connection);
  const last = (sql: string): number => connection.prepare<[], number>(sql).pluck().get()!;
  const state: CatalogueState = {
    sequence: 0,
    stamp: readMeta(connection, 'stamp') ?? '',
    lastSkill: last(LAST_SKILL),
    lastVector: last(LAST_VECTOR),
  };
  insertState(connection, state);
  return state;
}

/** The highest number of a skill. */
export const LAST_SKILL = 'SELECT ifnull(max(number), 0) FROM revision';

/** The table of SQLite knows numbers that were used and deleted, too: none may be used again. */
export const LAST_VECTOR = `
  SELECT max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'vector'), 0),
    ifnull((SELECT max(number) FROM vector), 0))`;

function insertState(connection: Connection, { sequence, stamp, lastSkill, lastVector }: CatalogueState): void {
  connection
    .prepare('INSERT INTO state (sequence, stamp, last_skill, last_vector) VALUES (?, ?, ?, ?)')
    .run(sequence, stamp, lastSkill, lastVector);
}
