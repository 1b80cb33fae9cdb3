/**
 * What a text of a pair is:
 *
 * - `quote`: a phrase in quotation marks in the description, mostly what a user would say
 * - `file-quote`: the same in the text of the file
 * - `use-when`: what follows "use when" in the description, or a point of a list under such a heading in the file
 * - `heading`: a heading of the file
 * - `sentence`: the first sentence of the file
 * - `name`: the name as words
 * - `words`: two or three words of the description that stand together
 * - `request`: what a person wrote for this skill
 */
export const PAIR_KINDS = [
  'quote',
  'file-quote',
  'use-when',
  'heading',
  'sentence',
  'name',
  'words',
  'request',
] as const;
export type PairKind = (typeof PAIR_KINDS)[number];

/** A text and the skill that it asks for: what a model learns from. */
export interface TrainingPair {
  readonly text: string;
  /** Id of the skill. */
  readonly skill: string;
  /**
   * Name and description as the model gets them. Of the kinds `quote` and `use-when` without the text: otherwise the
   * model would learn to look for the very words.
   */
  readonly document: string;
  readonly kind: PairKind;
  /** Language of the text: ISO 639-1. */
  readonly language: string;
  /** Of a request in another language than English: the same in English. */
  readonly english?: string;
  /** Ids of skills that are near but not meant, if they were asked for. */
  readonly negatives?: readonly string[];
}
