import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { MAX_FORGOTTEN, MAX_SUPERSEDED } from '../../core/index.js';
import { type CatalogueState, readLineage } from '../lineage.js';
import { readMeta } from '../meta.js';
import { FORGOTTEN, STATES, SUPERSEDED } from '../schema.js';
import type { Connection, Statement } from '../sqlite/connection.js';

/** Columns of `skill` and of `superseded`. */
const COLUMNS = `number, id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash,
  hash, tags, record_checksum, shown_checksum, checksum`;

/** Tables with what belongs to a skill, and their columns. */
const PARTS: readonly (readonly [table: Exclude<keyof typeof SUPERSEDED, 'skill'>, columns: string])[] = [
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
    this.#moves = PARTS.map(([table, columns]) =>
      connection.prepare(
        `INSERT INTO ${SUPERSEDED[table]} (${columns}) SELECT ${columns} FROM ${table} WHERE skill = ?`,
      ),
    );
    this.#deletes = [
      ...PARTS.map(([table]) => connection.prepare<[SkillNumber]>(`DELETE FROM ${table} WHERE skill = ?`)),
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
  for (const [table] of PARTS) {
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
