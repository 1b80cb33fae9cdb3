import { isDamage } from '../../errors.js';
import type { SkillNumber } from '../../numbers.js';
import type { Skill } from '../../skill.js';
import type { Connection, Statement } from '../../sqlite/connection.js';
import { fileChecksum, recordChecksum, shownChecksum } from '../checksums.js';
import { damagedError } from '../damaged.js';
import { corruptAsMissing, isCorrupt } from '../database.js';
import { DerivedLabels } from '../derived-labels.js';
import { FORMAT_VERSION } from '../schema.js';

/** A stored file of a skill. */
export interface StoredFile {
  readonly filename: string;
  readonly text: string;
}

type ShownRow = [
  record: unknown,
  categories: unknown,
  occupations: unknown,
  tags: unknown,
  recordChecksum: number | null,
  checksum: number | null,
  hash: Buffer | null,
];

/**
 * The SQL that reads a skill and the text of its files, prepared once for each connection. All that is read is checked;
 * in a catalogue without checksums only that it can be used.
 */
export class SkillStatements {
  readonly #path: string;
  /** Whether the catalogue has checksums. */
  readonly #isChecked: boolean;
  readonly #record: Statement<[skill: SkillNumber], [record: unknown, checksum: number | null]>;
  readonly #shown: Statement<[skill: SkillNumber], ShownRow>;
  readonly #files: Statement<[skill: SkillNumber], [filename: unknown, text: unknown, checksum: number | null]>;
  readonly #file: Statement<
    [{ readonly skill: SkillNumber; readonly position: number }],
    [filename: unknown, text: unknown, checksum: number | null, count: number]
  >;
  readonly #id: Statement<[skill: SkillNumber], unknown>;
  readonly #number: Statement<[id: string], SkillNumber>;
  readonly #derived: DerivedLabels | undefined;

  constructor(connection: Connection, path: string) {
    this.#path = path;
    this.#isChecked = connection.pragma('user_version', { simple: true }) === FORMAT_VERSION;
    const column = (name: string): string => (this.#isChecked ? name : 'NULL');
    this.#derived = DerivedLabels.in(connection);
    // Making a buffer takes a fifth of the time of reading such a row.
    const hash = this.#derived === undefined ? 'NULL' : 'hash';
    this.#record = connection
      .prepare<[SkillNumber], [unknown, number | null]>(
        `SELECT record, ${column('record_checksum')} FROM skill WHERE number = ?`,
      )
      .raw();
    this.#shown = connection
      .prepare<[SkillNumber], ShownRow>(`
        SELECT record, categories, occupations, ${this.#isChecked ? 'tags' : "'[]'"}, ${column('record_checksum')},
          ${column('shown_checksum')}, ${hash}
        FROM skill WHERE number = ?`)
      .raw();
    this.#files = connection
      .prepare<[SkillNumber], [unknown, unknown, number | null]>(
        `SELECT filename, text, ${column('checksum')} FROM file WHERE skill = ? ORDER BY position`,
      )
      .raw();
    this.#file = connection
      .prepare<
        [{ readonly skill: SkillNumber; readonly position: number }],
        [unknown, unknown, number | null, number]
      >(`
        SELECT filename, text, ${column('checksum')}, (SELECT count(*) FROM file WHERE skill = :skill)
        FROM file WHERE skill = :skill AND position = :position`)
      .raw();
    this.#id = connection.prepare<[SkillNumber], unknown>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#number = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
  }

  /**
   * The record of a skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  record(skill: SkillNumber): string {
    return this.guard(skill, () => {
      const [record, checksum] = this.#record.get(skill) ?? [];
      if (typeof record !== 'string') return undefined;
      const isWhole = this.#isChecked ? recordChecksum(skill, record) === checksum : isJson(record);
      return isWhole ? record : undefined;
    });
  }

  /**
   * A skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  skill(skill: SkillNumber): Skill {
    return this.guard(skill, () => {
      const row = this.#shown.get(skill);
      if (row === undefined || !isText(row)) return undefined;
      const [record, categories, occupations, tags, ofRecord, ofShown, hash] = row;
      if (this.#isChecked) {
        const checksum = recordChecksum(skill, record);
        if (checksum !== ofRecord || shownChecksum(checksum, categories, occupations, tags) !== ofShown) {
          return undefined;
        }
      }
      const derived = this.derivedLabels(skill, hash);
      return derived === undefined ? undefined : toSkill(record, categories, occupations, tags, derived);
    });
  }

  /**
   * The derived labels of a skill, as a JSON array; undefined if they are not as they were written.
   *
   * @param hash of the skill; null goes for a catalogue that is not classified
   */
  derivedLabels(skill: SkillNumber, hash: Buffer | null): string | undefined {
    return this.#derived === undefined || hash === null ? '[]' : this.#derived.of(skill, hash);
  }

  /**
   * The files of a skill, in order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  files(skill: SkillNumber): StoredFile[] {
    return this.guard(skill, () => {
      const rows = this.#files.all(skill);
      if (rows.length === 0) return undefined;
      const files: StoredFile[] = [];
      for (const [position, [filename, text, checksum]] of rows.entries()) {
        if (typeof filename !== 'string' || typeof text !== 'string') return undefined;
        if (this.#isChecked && fileChecksum(skill, position, rows.length, filename, text) !== checksum)
          return undefined;
        files.push({ filename, text });
      }
      return files;
    });
  }

  /**
   * One file of a skill that is there.
   *
   * @param position among the files of the skill, from 0
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  file(skill: SkillNumber, position: number): StoredFile {
    return this.guard(skill, () => {
      const [filename, text, checksum, count] = this.#file.get({ skill, position }) ?? [];
      if (typeof filename !== 'string' || typeof text !== 'string' || count === undefined) return undefined;
      const isWhole = !this.#isChecked || fileChecksum(skill, position, count, filename, text) === checksum;
      return isWhole ? { filename, text } : undefined;
    });
  }

  /** The record of a skill, if it is whole. Does not fail. */
  recordOrUndefined(skill: SkillNumber): string | undefined {
    try {
      return this.record(skill);
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  /**
   * Reads something of a skill.
   *
   * @param read returns undefined if it is missing or does not fit its checksum
   * @throws {SkillSearchError} `DATABASE_DAMAGED`, with the id of the skill if that can be read
   */
  guard<T>(skill: SkillNumber, read: () => T | undefined): T {
    let cause: unknown;
    try {
      const found = read();
      if (found !== undefined) return found;
    } catch (error) {
      if (isDamage(error)) throw error;
      // JSON that does not parse is damage, too: without checksums nothing else shows it.
      if (!isCorrupt(error) && !(error instanceof SyntaxError)) throw error;
      cause = error;
    }
    const id = this.idOf(skill);
    const name = id === undefined ? `a skill (number ${skill})` : `the skill ${id}`;
    throw damagedError(this.#path, `what is stored of ${name} is not as it was written`, id, cause);
  }

  /** The id of a skill if it is certain: row and index have the same. */
  idOf(skill: SkillNumber): string | undefined {
    return corruptAsMissing(() => {
      const id = this.#id.get(skill);
      return typeof id === 'string' && this.#number.get(id) === skill ? id : undefined;
    });
  }
}

function isText(row: ShownRow): row is [string, string, string, string, number | null, number | null, Buffer | null] {
  return (
    typeof row[0] === 'string' && typeof row[1] === 'string' && typeof row[2] === 'string' && typeof row[3] === 'string'
  );
}

function isJson(text: string): boolean {
  JSON.parse(text);
  return true;
}

/**
 * The skill in four columns of the table `skill`.
 *
 * @param derived its derived labels: a JSON array
 */
export function toSkill(
  record: string,
  categories: string,
  occupations: string,
  tags: string,
  derived: string = '[]',
): Skill {
  const skill = JSON.parse(record) as Skill;
  // Added in place: copying each skill of a page would take as long as reading its labels.
  return Object.assign(skill, {
    categories: toLabels(categories),
    occupations: toLabels(occupations),
    tags: toLabels(tags),
    ...(derived === '[]' ? undefined : { derivedCategories: toLabels(derived) }),
  });
}

function toLabels(list: string): string[] {
  return list === '[]' ? [] : (JSON.parse(list) as string[]);
}
