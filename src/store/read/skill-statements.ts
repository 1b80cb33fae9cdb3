import { SkillSearchError } from '../../errors.js';
import type { SkillNumber } from '../../numbers.js';
import type { Skill } from '../../skill.js';
import type { Connection, Statement } from '../../sqlite/connection.js';

/** A stored file of a skill. */
export interface StoredFile {
  readonly filename: string;
  readonly text: string;
}

/** The SQL that reads a skill and the text of its files, prepared once for each connection. */
export class SkillStatements {
  readonly #skill: Statement<[skill: SkillNumber], [record: string, categories: string, occupations: string]>;
  readonly #files: Statement<[skill: SkillNumber], StoredFile>;

  constructor(connection: Connection) {
    this.#skill = connection
      .prepare<[SkillNumber], [string, string, string]>(
        'SELECT record, categories, occupations FROM skill WHERE number = ?',
      )
      .raw();
    this.#files = connection.prepare('SELECT filename, text FROM file WHERE skill = ? ORDER BY position');
  }

  /** @throws {SkillSearchError} `DATABASE_NOT_READABLE` if there is no such skill: a derived file was made up */
  skill(skill: SkillNumber): Skill {
    const row = this.#skill.get(skill);
    if (row === undefined) throw new SkillSearchError('DATABASE_NOT_READABLE', `there is no skill number ${skill}`);
    const [record, categories, occupations] = row;
    return toSkill(record, categories, occupations);
  }

  /** The files of a skill, in order. */
  files(skill: SkillNumber): StoredFile[] {
    return this.#files.all(skill);
  }
}

/** The skill in three columns of the table `skill`. */
export function toSkill(record: string, categories: string, occupations: string): Skill {
  const skill = JSON.parse(record) as Skill;
  // Added in place: copying each skill of a page would take as long as reading its labels.
  return Object.assign(skill, { categories: toLabels(categories), occupations: toLabels(occupations) });
}

function toLabels(list: string): string[] {
  return list === '[]' ? [] : (JSON.parse(list) as string[]);
}
