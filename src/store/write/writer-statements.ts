import type { Connection, Statement } from '../../sqlite/connection.js';
import type { SkillColumns, SkillToStore } from '../stored-skill.js';
import { VectorStatements } from './vector-statements.js';

export interface StoredRow {
  readonly number: number;
  readonly hash: Buffer;
}

interface TouchedRow {
  readonly id: string;
  /** Number the skill has now; null where it is gone. */
  readonly number: number | null;
  /** Its hash before the load; null where it was not there. */
  readonly was: Buffer | null;
}

/** The SQL of a load, prepared once for a connection. */
export class WriterStatements {
  readonly find: Statement<[id: string], StoredRow>;
  readonly placeOf: Statement<[id: string], string>;
  readonly idOf: Statement<[number: number], string>;
  readonly insert: Statement<[SkillColumns], unknown>;
  readonly update: Statement<[Omit<SkillColumns, 'id'> & { number: number }], unknown>;
  readonly insertFile: Statement<[skill: number, position: number, filename: string, text: string], unknown>;
  readonly deleteFiles: Statement<[skill: number], unknown>;
  readonly deleteSkill: Statement<[number: number], unknown>;
  readonly insertSource: Statement<[name: string], unknown>;
  readonly hasClaim: Statement<[source: string, skill: number], unknown>;
  readonly anyClaim: Statement<[skill: number], unknown>;
  readonly insertClaim: Statement<[skill: number, source: string], unknown>;
  readonly deleteClaim: Statement<[source: string, skill: number], unknown>;
  readonly deleteClaims: Statement<[skill: number], unknown>;
  readonly claimedBy: Statement<
    [source: string],
    { readonly number: number; readonly id: string; readonly place: string }
  >;
  readonly numbers: Statement<[], number>;
  readonly touch: Statement<[id: string, was: Buffer | null], unknown>;
  readonly untouch: Statement<[id: string], unknown>;
  readonly touched: Statement<[], TouchedRow>;
  readonly vectors: VectorStatements;
  readonly connection: Connection;
  readonly #count: Statement<[], { readonly added: number; readonly updated: number; readonly removed: number }>;

  constructor(connection: Connection) {
    this.connection = connection;
    this.vectors = new VectorStatements(connection);
    this.find = connection.prepare('SELECT number, hash FROM skill WHERE id = ?');
    this.placeOf = connection.prepare<[string], string>('SELECT place FROM skill WHERE id = ?').pluck();
    this.idOf = connection.prepare<[number], string>('SELECT id FROM skill WHERE number = ?').pluck();
    this.insert = connection.prepare(`
      INSERT INTO skill
        (id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash, hash)
      VALUES
        (:id, :stars, :updatedAt, :record, :categories, :occupations, :properties, :copyKey, :place, :textHash, :hash)`);
    this.update = connection.prepare(`
      UPDATE skill SET stars = :stars, updated_at = :updatedAt, record = :record, categories = :categories,
        occupations = :occupations, properties = :properties, copy_key = :copyKey, place = :place, text_hash = :textHash, hash = :hash
      WHERE number = :number`);
    this.insertFile = connection.prepare('INSERT INTO file (skill, position, filename, text) VALUES (?, ?, ?, ?)');
    this.deleteFiles = connection.prepare('DELETE FROM file WHERE skill = ?');
    this.deleteSkill = connection.prepare('DELETE FROM skill WHERE number = ?');
    this.insertSource = connection.prepare('INSERT OR IGNORE INTO source (name) VALUES (?)');
    this.hasClaim = connection.prepare(
      'SELECT 1 FROM claim WHERE source = (SELECT number FROM source WHERE name = ?) AND skill = ?',
    );
    this.anyClaim = connection.prepare('SELECT 1 FROM claim WHERE skill = ?');
    this.insertClaim = connection.prepare(
      'INSERT OR IGNORE INTO claim (skill, source) VALUES (?, (SELECT number FROM source WHERE name = ?))',
    );
    this.deleteClaim = connection.prepare(
      'DELETE FROM claim WHERE source = (SELECT number FROM source WHERE name = ?) AND skill = ?',
    );
    this.deleteClaims = connection.prepare('DELETE FROM claim WHERE skill = ?');
    this.claimedBy = connection.prepare(`
      SELECT skill.number, skill.id, skill.place FROM claim JOIN skill ON skill.number = claim.skill
      WHERE claim.source = (SELECT number FROM source WHERE name = ?)`);
    this.numbers = connection.prepare<[], number>('SELECT number FROM skill').pluck();
    // The first note counts: later changes of the same load do not alter what the skill was before it.
    this.touch = connection.prepare('INSERT OR IGNORE INTO touched (id, was) VALUES (?, ?)');
    this.untouch = connection.prepare('DELETE FROM touched WHERE id = ?');
    this.touched = connection.prepare(
      'SELECT touched.id, skill.number, touched.was FROM touched LEFT JOIN skill ON skill.id = touched.id',
    );
    this.#count = connection.prepare(`
      SELECT
        count(*) FILTER (WHERE was IS NULL AND hash IS NOT NULL) AS added,
        count(*) FILTER (WHERE was <> hash) AS updated,
        count(*) FILTER (WHERE was IS NOT NULL AND hash IS NULL) AS removed
      FROM touched LEFT JOIN skill ON skill.id = touched.id`);
  }

  /**
   * Writes a skill under a new number, or over the one it has.
   *
   * @returns its number
   */
  save(columns: SkillColumns, files: SkillToStore['files'], number: number | undefined): number {
    let saved = number;
    if (saved === undefined) {
      saved = Number(this.insert.run(columns).lastInsertRowid);
    } else {
      const { id: _, ...values } = columns;
      this.update.run({ ...values, number: saved });
      this.deleteFiles.run(saved);
    }
    for (const [position, { filename, text }] of files.entries()) this.insertFile.run(saved, position, filename, text);
    return saved;
  }

  /** Deletes a skill with its files and claims. */
  deleteWithAll(number: number): void {
    this.deleteFiles.run(number);
    this.deleteClaims.run(number);
    this.deleteSkill.run(number);
  }

  /** Closes the connection the statements belong to. */
  close(): void {
    this.connection.close();
  }

  /** What the first load into a catalogue changed so far. */
  countAllAsAdded(): { readonly added: number; readonly updated: number; readonly removed: number } {
    return { added: this.numbers.all().length, updated: 0, removed: 0 };
  }

  /** What the load changed so far, net. */
  countChanges(): { readonly added: number; readonly updated: number; readonly removed: number } {
    return this.#count.get() as { added: number; updated: number; removed: number };
  }
}

/** Copies a skill, with files and claims, from the attached database `base`, under a new number. */
export function restoreFromBase(connection: Connection): (id: string) => void {
  const columns =
    'id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash, hash';
  const skill = connection.prepare<[string], unknown>(
    `INSERT INTO main.skill (${columns}) SELECT ${columns} FROM base.skill WHERE id = ?`,
  );
  const from = '(SELECT number FROM base.skill WHERE id = :id)';
  const files = connection.prepare<[{ id: string; number: number | bigint }], unknown>(`
    INSERT INTO main.file (skill, position, filename, text)
    SELECT :number, position, filename, text FROM base.file WHERE skill = ${from}`);
  const claims = connection.prepare<[{ id: string; number: number | bigint }], unknown>(`
    INSERT INTO main.claim (source, skill)
    SELECT main.source.number, :number FROM base.claim
      JOIN base.source ON base.source.number = base.claim.source
      JOIN main.source ON main.source.name = base.source.name
    WHERE base.claim.skill = ${from}`);
  return (id) => {
    const number = skill.run(id).lastInsertRowid;
    files.run({ id, number });
    claims.run({ id, number });
  };
}
