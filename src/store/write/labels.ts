import type { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import { CLASSIFIER_KEY, derivedLabelChecksum, isDerivedLabelWhole } from '../checksums.js';
import { writeMeta } from '../notes.js';
import { DERIVED_LABELS } from '../schema.js';
import type { Connection, Statement } from '../sqlite.js';

/** A skill without categories, as a classifier sees it. */
export interface SkillToLabel {
  readonly skill: SkillNumber;
  /** Hash of the skill: labels belong to it. */
  readonly hash: Buffer;
  readonly name: string;
  readonly description: string;
  /** Undefined if it has none. */
  readonly vector: Float32Array | undefined;
}

/** What a classifier found of a skill. */
export interface LabelledSkill {
  readonly skill: SkillNumber;
  readonly hash: Buffer;
  /** Slugs, the likeliest first; none where it was unsure. */
  readonly categories: readonly string[];
}

/** Where a load puts derived labels. */
export interface LabelSink {
  /**
   * Begins to write labels. Those that were made by other rules are deleted.
   *
   * @param rules of the classifier
   * @returns the skills without categories that have no labels of these rules, in ascending order
   */
  begin(rules: string): SkillNumber[];
  /**
   * @param model whose vector is wanted
   * @returns undefined if the skill is damaged
   */
  skillToLabel(skill: SkillNumber, model: string): SkillToLabel | undefined;
  putLabels(skills: Iterable<LabelledSkill>): void;
}

/** The SQL that writes derived labels, and finds what has none. */
export class LabelStatements {
  readonly #connection: Connection;
  readonly #put: Statement<[skill: SkillNumber, hash: Buffer, categories: string, checksum: number], unknown>;
  readonly #forget: Statement<[skill: SkillNumber], unknown>;
  readonly #of: Statement<[skill: SkillNumber, hash: Buffer], string>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#put = connection.prepare(
      `INSERT OR REPLACE INTO main.${DERIVED_LABELS} (skill, hash, categories, checksum) VALUES (?, ?, ?, ?)`,
    );
    this.#forget = connection.prepare(`DELETE FROM main.${DERIVED_LABELS} WHERE skill = ?`);
    this.#of = connection
      .prepare<[SkillNumber, Buffer], string>(
        `SELECT categories FROM main.${DERIVED_LABELS} WHERE skill = ? AND hash = ?`,
      )
      .pluck();
  }

  /** Deletes all labels, and notes the rules of those that come; undefined if none come. */
  restart(rules: string | undefined): void {
    this.#connection.exec(`DELETE FROM main.${DERIVED_LABELS}`);
    if (rules !== undefined) this.useRules(rules);
    else this.#connection.prepare('DELETE FROM main.meta WHERE key = ?').run(CLASSIFIER_KEY);
  }

  /** Notes the rules of the labels, without a look at those that are there. */
  useRules(rules: string): void {
    writeMeta(this.#connection, CLASSIFIER_KEY, rules);
  }

  /**
   * The skills without categories that have no labels, or damaged ones, in ascending order.
   *
   * @param after only skills with a number above
   */
  missing(after: SkillNumber): { readonly skills: SkillNumber[]; readonly hasDamaged: boolean } {
    const skills: SkillNumber[] = [];
    let hasDamaged = false;
    const all = this.#connection
      .prepare<[SkillNumber], [SkillNumber, Buffer, Buffer | null, string, number | null]>(`
        SELECT number, skill.hash, label.hash, label.categories, label.checksum
        FROM main.skill LEFT JOIN main.${DERIVED_LABELS} AS label ON label.skill = number
        WHERE skill.categories = '[]' AND number > ? ORDER BY number`)
      .raw();
    for (const [skill, hash, labelHash, categories, checksum] of all.iterate(after)) {
      const row = labelHash === null ? undefined : { hash: labelHash, categories, checksum };
      const isWhole = row !== undefined && isDerivedLabelWhole(skill, row);
      hasDamaged ||= row !== undefined && !isWhole;
      if (!isWhole || !row.hash.equals(hash)) skills.push(skill);
    }
    return { skills, hasDamaged };
  }

  /** The labels of a skill with a hash, as they are stored; undefined if no classifier has seen it. */
  of(skill: SkillNumber, hash: Buffer): string | undefined {
    return this.#of.get(skill, hash);
  }

  put(skill: SkillNumber, hash: Buffer, categories: readonly string[]): void {
    const text = JSON.stringify(categories);
    this.#put.run(skill, hash, text, derivedLabelChecksum(skill, hash, text));
  }

  forget(skills: readonly SkillNumber[]): void {
    for (const skill of skills) this.#forget.run(skill);
  }

  /** Deletes labels of skills that are gone, have changed, or have categories by now. For the end of a load. */
  deleteVoid(): void {
    this.#connection.exec(`
      DELETE FROM main.${DERIVED_LABELS} AS label WHERE NOT EXISTS (
        SELECT 1 FROM main.skill
        WHERE skill.number = label.skill AND skill.hash = label.hash AND skill.categories = '[]')`);
  }

  /** Differs between two databases if their derived labels differ. */
  fingerprint(schema: 'main' | 'base'): string {
    const rules = rulesIn(this.#connection, schema) ?? '';
    const sums = this.#connection
      .prepare<[], string>(`
        SELECT count(*) || ' ' || ifnull(sum(skill), 0) || ' ' || ifnull(sum(checksum), 0)
        FROM ${schema}.${DERIVED_LABELS}`)
      .pluck()
      .get()!;
    return `${sums} ${rules}`;
  }
}

function rulesIn(connection: Connection, schema: 'main' | 'base'): string | undefined {
  return connection
    .prepare<[string], string>(`SELECT value FROM ${schema}.meta WHERE key = ?`)
    .pluck()
    .get(CLASSIFIER_KEY);
}
