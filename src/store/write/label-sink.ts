import type { SkillNumber } from '../../core/index.js';

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
