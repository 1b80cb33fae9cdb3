import { type SkillNumber, SkillSearchError, type VectorNumber } from '../core/index.js';
import { guarded, openForReading } from './database.js';
import { readMeta } from './notes.js';
import { FORGOTTEN, STATES, SUPERSEDED } from './schema.js';
import type { Connection, Statement } from './sqlite.js';

/**
 * Skills that small changes replaced or removed, and that are kept for readers of former states: some tens of
 * megabytes. Beyond, the oldest states can no longer be read.
 */
export const MAX_SUPERSEDED = 5000;

/**
 * Skills that are no longer kept for readers, but whose numbers are, so that derived files of former states stay in
 * use: some megabytes. Beyond, the oldest derived files are of no use.
 */
export const MAX_FORGOTTEN = 100_000;

/** A state of a catalogue, among those that small changes have made since the last whole load. */
export interface CatalogueState {
  /** 0 for the state that the load made. */
  readonly sequence: number;
  readonly stamp: string;
  /** Later states give their skills and vectors higher numbers. */
  readonly lastSkill: SkillNumber;
  readonly lastVector: VectorNumber;
}

/**
 * The states of a catalogue from which the present one was made by small changes, oldest first; the last one is the
 * present state. Derived files of all of them can be used, but not all can be read: see {@link oldestKept}. Empty if
 * there was no small change since the last whole load.
 *
 * @param until stamp of the last state that is wanted; left out for the present one
 */
export function readLineage(connection: Connection, until?: string): readonly CatalogueState[] {
  const states = connection
    .prepare<[], CatalogueState>(`
      SELECT sequence, stamp, last_skill AS lastSkill, last_vector AS lastVector FROM main.${STATES} ORDER BY sequence`)
    .all();
  // Rows that are damaged are none.
  if (states.at(-1)?.stamp !== readMeta(connection, 'stamp')) return [];
  if (until === undefined) return states;
  return states.slice(0, states.findIndex(({ stamp }) => stamp === until) + 1);
}

/** Sequence of the oldest state that can still be read: of earlier ones skills are forgotten. */
function oldestKept(connection: Connection): number {
  const last = connection.prepare<[], number | null>(`SELECT max(gone) FROM main.${FORGOTTEN}`).pluck();
  return last.get() ?? 0;
}

/** How much small changes have changed since a former state. */
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
 * @returns undefined if the present state was not made from it by small changes
 */
export function changesSince(path: string, stamp: string): ChangesSince | undefined {
  const connection = openForReading(path);
  try {
    const read = connection.transaction((): ChangesSince | undefined => {
      const since = readLineage(connection).find((state) => state.stamp === stamp);
      if (since === undefined) return undefined;
      const { sequence, lastSkill, lastVector } = since;
      const came = connection.prepare<[SkillNumber], number>('SELECT count(*) FROM skill WHERE number > ?').pluck();
      const gone = connection
        .prepare<[number, SkillNumber], number>(
          `SELECT count(*) FROM (
            SELECT number, gone FROM ${SUPERSEDED.skill} UNION ALL SELECT skill, gone FROM ${FORGOTTEN}
          ) WHERE gone > ? AND number <= ?`,
        )
        .pluck();
      const vectors = connection
        .prepare<[VectorNumber], number>('SELECT count(*) FROM vector WHERE number > ?')
        .pluck();
      return { skills: came.get(lastSkill)! + gone.get(sequence, lastSkill)!, vectors: vectors.get(lastVector)! };
    });
    return guarded(path, 'read', read);
  } finally {
    connection.close();
  }
}

/** Columns of `skill` that are read. */
const SKILL = `number, id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash,
  hash, tags, checksum`;

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

/** Columns of `skill` and of `superseded`. */
const COLUMNS = `number, id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash,
  hash, tags, checksum`;

/** Tables with what belongs to a skill, and their columns. */
const MOVED_PARTS: readonly (readonly [table: Exclude<keyof typeof SUPERSEDED, 'skill'>, columns: string])[] = [
  ['file', 'skill, position, filename, text, checksum'],
  ['contents', 'skill, hash, complete_id, checksum'],
  ['content_file', 'skill, path, size, sha256, executable, complete, is_text, kept'],
  ['derived_label', 'skill, hash, categories, checksum'],
  ['text_signature', 'skill, name, text, words, sketch, checksum'],
];

/** What a small change leaves for readers of the states before it, inside its transaction. */
export class Superseding {
  /** The state before the change. */
  readonly before: CatalogueState;
  readonly #connection: Connection;
  readonly #moves: readonly Statement<[SkillNumber], unknown>[];
  readonly #moveSkill: Statement<[gone: number, SkillNumber], unknown>;
  readonly #deletes: readonly Statement<[SkillNumber], unknown>[];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.before = readLineage(connection).at(-1) ?? firstState(connection);
    this.#moveSkill = connection.prepare(
      `INSERT INTO ${SUPERSEDED.skill} (gone, ${COLUMNS}) SELECT ?, ${COLUMNS} FROM skill WHERE number = ?`,
    );
    this.#moves = MOVED_PARTS.map(([table, columns]) =>
      connection.prepare(
        `INSERT INTO ${SUPERSEDED[table]} (${columns}) SELECT ${columns} FROM ${table} WHERE skill = ?`,
      ),
    );
    this.#deletes = [
      ...MOVED_PARTS.map(([table]) => connection.prepare<[SkillNumber]>(`DELETE FROM ${table} WHERE skill = ?`)),
      connection.prepare<[SkillNumber]>('DELETE FROM skill WHERE number = ?'),
    ];
  }

  /** Whether readers may have seen the skill. One that this change itself has written can be written over. */
  isSeen(skill: SkillNumber): boolean {
    return skill <= this.before.lastSkill;
  }

  /** Takes a skill, with what belongs to it but its claims, out of the present state. */
  move(skill: SkillNumber): void {
    if (this.isSeen(skill)) {
      this.#moveSkill.run(this.before.sequence + 1, skill);
      for (const move of this.#moves) move.run(skill);
    }
    for (const statement of this.#deletes) statement.run(skill);
  }

  /** Notes the state that the change makes, and forgets the oldest if too much is left of them. */
  end(stamp: string, lastSkill: SkillNumber, lastVector: VectorNumber): void {
    insertState(this.#connection, { sequence: this.before.sequence + 1, stamp, lastSkill, lastVector });
    forgetOldest(this.#connection);
  }
}

/** Deletes what small changes have left. For a whole load: nobody can read former states from its working copy. */
export function forgetFormerStates(connection: Connection): void {
  for (const table of [...Object.values(SUPERSEDED), FORGOTTEN, STATES]) connection.exec(`DELETE FROM main.${table}`);
}

/**
 * Keeps the derived files of a catalogue in use over a load that only removes skills. Readers of former states have the
 * file that this one replaces, so nothing else is kept of what went.
 *
 * @param working in the last transaction of the load, with the catalogue attached as `base`
 * @returns notes the state that the load makes
 */
export function carryStates(working: Connection): (stamp: string) => void {
  const before = readLineage(working).at(-1) ?? firstState(working, 'base');
  const sequence = before.sequence + 1;
  forgetUntil(working, before.sequence);
  working
    .prepare(`
      INSERT INTO ${FORGOTTEN} (skill, gone, name, text, words)
      SELECT number, ?, name, text, words FROM base.skill LEFT JOIN base.text_signature ON skill = number
      WHERE number NOT IN (SELECT number FROM main.skill)`)
    .run(sequence);
  dropOldest(working);
  const lastVector = working.prepare<[], number | null>('SELECT max(number) FROM main.vector').pluck().get() ?? 0;
  return (stamp) =>
    insertState(working, { ...before, sequence, stamp, lastVector: Math.max(before.lastVector, lastVector) });
}

/** @param schema of the database that has the state; it is noted in `main` */
function firstState(connection: Connection, schema: 'main' | 'base' = 'main'): CatalogueState {
  forgetFormerStates(connection);
  const last = (sql: string): number => connection.prepare<[], number>(sql).pluck().get()!;
  const state: CatalogueState = {
    sequence: 0,
    stamp: readMeta(connection, 'stamp') ?? '',
    lastSkill: last(`
      SELECT max(ifnull((SELECT max(number) FROM ${schema}.skill), 0),
        ifnull((SELECT max(skill) FROM ${schema}.contents), 0),
        ifnull((SELECT max(skill) FROM ${schema}.content_file), 0))`),
    lastVector: last(`
      SELECT max(ifnull((SELECT seq FROM ${schema}.sqlite_sequence WHERE name = 'vector'), 0),
        ifnull((SELECT max(number) FROM ${schema}.vector), 0))`),
  };
  insertState(connection, state);
  return state;
}

function insertState(connection: Connection, { sequence, stamp, lastSkill, lastVector }: CatalogueState): void {
  connection
    .prepare(`INSERT INTO ${STATES} (sequence, stamp, last_skill, last_vector) VALUES (?, ?, ?, ?)`)
    .run(sequence, stamp, lastSkill, lastVector);
}

/** Forgets the oldest states as long as more than {@link MAX_SUPERSEDED} skills are kept for readers of them. */
function forgetOldest(connection: Connection): void {
  const gone = connection
    .prepare<[number], number>(`SELECT gone FROM ${SUPERSEDED.skill} ORDER BY gone DESC LIMIT 1 OFFSET ?`)
    .pluck()
    .get(MAX_SUPERSEDED);
  if (gone === undefined) return;
  forgetUntil(connection, gone);
  dropOldest(connection);
}

/** Keeps of skills that went until a state only what derived files of the states before need. */
function forgetUntil(connection: Connection, gone: number): void {
  connection
    .prepare(`
      INSERT INTO ${FORGOTTEN} (skill, gone, name, text, words)
      SELECT number, gone, name, text, words FROM ${SUPERSEDED.skill}
        LEFT JOIN ${SUPERSEDED.text_signature} ON skill = number
      WHERE gone <= ?`)
    .run(gone);
  for (const [table] of MOVED_PARTS) {
    connection
      .prepare(
        `DELETE FROM ${SUPERSEDED[table]} WHERE skill IN (SELECT number FROM ${SUPERSEDED.skill} WHERE gone <= ?)`,
      )
      .run(gone);
  }
  connection.prepare(`DELETE FROM ${SUPERSEDED.skill} WHERE gone <= ?`).run(gone);
}

/** Drops the oldest states of which derived files may be as long as there are more than {@link MAX_FORGOTTEN}. */
function dropOldest(connection: Connection): void {
  const dropped = connection
    .prepare<[number], number>(`SELECT gone FROM ${FORGOTTEN} ORDER BY gone DESC LIMIT 1 OFFSET ?`)
    .pluck()
    .get(MAX_FORGOTTEN);
  if (dropped === undefined) return;
  connection.prepare(`DELETE FROM ${FORGOTTEN} WHERE gone <= ?`).run(dropped);
  connection.prepare(`DELETE FROM ${STATES} WHERE sequence < ?`).run(dropped);
}
