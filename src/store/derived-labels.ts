import type { SkillNumber } from '../core/index.js';
import { derivedLabelChecksum } from './checksums.js';
import { readMeta } from './meta.js';
import { DERIVED_LABELS } from './schema.js';
import type { Connection, Statement } from './sqlite/connection.js';

/** The key of `meta` that has the rules of the classifier. */
export const CLASSIFIER_KEY = 'classifier';

/** SQL of the numbers of skills that a classifier has seen. */
export const LABELLED_SKILLS: string = `SELECT skill FROM ${DERIVED_LABELS}`;

/** What is stored of the derived labels of a skill. */
export interface DerivedLabelRow {
  /** Hash of the skill that they belong to. */
  readonly hash: Buffer;
  /** A JSON array of slugs. */
  readonly categories: string;
  readonly checksum: number | null;
}

/** Whether derived labels are as they were written. */
export function isDerivedLabelWhole(skill: SkillNumber, { hash, categories, checksum }: DerivedLabelRow): boolean {
  const isTyped = Buffer.isBuffer(hash) && typeof categories === 'string';
  return isTyped && derivedLabelChecksum(skill, hash, categories) === checksum;
}

/** Reads the derived labels of skills. */
export class DerivedLabels {
  readonly #row: Statement<[SkillNumber], DerivedLabelRow>;
  readonly #present: Statement<[], DerivedLabelRow & { readonly skill: SkillNumber }>;

  /** @returns undefined if the catalogue is not classified */
  static in(connection: Connection): DerivedLabels | undefined {
    return readMeta(connection, CLASSIFIER_KEY) === undefined ? undefined : new DerivedLabels(connection);
  }

  private constructor(connection: Connection) {
    this.#row = connection.prepare(`SELECT hash, categories, checksum FROM ${DERIVED_LABELS} WHERE skill = ?`);
    this.#present = connection.prepare(`
      SELECT label.skill, label.hash, label.categories, label.checksum FROM ${DERIVED_LABELS} AS label
        JOIN skill ON skill.number = label.skill AND skill.hash = label.hash
      WHERE label.categories <> '[]'`);
  }

  /** How many skills have each derived label. Those that are void or damaged do not count. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { skill, ...row } of this.#present.iterate()) {
      if (!isDerivedLabelWhole(skill, row)) continue;
      for (const slug of JSON.parse(row.categories) as string[]) counts.set(slug, (counts.get(slug) ?? 0) + 1);
    }
    return counts;
  }

  /**
   * The derived labels of a skill in its present state, as a JSON array.
   *
   * @param hash of the skill
   * @returns `[]` if there are none; undefined if they are not as they were written
   */
  of(skill: SkillNumber, hash: Buffer): string | undefined {
    const row = this.#row.get(skill);
    if (row === undefined) return '[]';
    if (!isDerivedLabelWhole(skill, row)) return undefined;
    return row.hash.equals(hash) ? row.categories : '[]';
  }
}
