import { isUnspacedTerm } from '../core/index.js';
import { SCORED_FIELDS, type ScoredField } from '../result.js';

/**
 * The fields of an index in the order of their numbers. `inner` holds the parts of words in PascalCase of the others.
 */
export const FIELDS = ['name', 'author', 'labels', 'description', 'inner', 'files'] as const;

/** Numbers of the last two fields. */
export const INNER = 4;
export const FILES = 5;

/**
 * The number of the last field that counts in a step.
 *
 * @param everywhere whether file text and the parts of words in PascalCase count
 */
export function lastFieldOf(everywhere: boolean): number {
  return everywhere ? FILES : INNER - 1;
}

/**
 * The fields that make up each scored field. A part of a word in PascalCase says less than a whole word, whichever
 * field it is from. So all parts count with the description, which is the longest of these fields: a word weighs
 * least there.
 */
const PARTS_OF_SCORED: Readonly<Record<ScoredField, readonly number[]>> = {
  name: [0],
  author: [1],
  labels: [2],
  description: [3, 4],
  files: [5],
};

/** By number of a field, the position of its scored field among {@link SCORED_FIELDS}. */
export const SCORED_OF: readonly number[] = FIELDS.map((_, field) =>
  SCORED_FIELDS.findIndex((scored) => PARTS_OF_SCORED[scored].includes(field)),
);

interface DescribedFiles {
  readonly description: string;
  readonly files: readonly { readonly text: string }[];
}

/**
 * The texts of a document's files, without those that only repeat the description. The one file of a skill that came
 * without files does: its words would count twice.
 */
export function textsOfFiles({ description, files }: DescribedFiles): readonly string[] {
  return files.map(({ text }) => text).filter((text) => text !== description);
}

/** The fields whose words complete what somebody types: what is in the text of files only is rarely meant. */
export const COMPLETED_FIELDS: readonly number[] = ['name', 'labels', 'description'].map((field) =>
  (FIELDS as readonly string[]).indexOf(field),
);

/** Longer terms are no words that somebody types. */
const LONGEST_WORD = 40;

const LETTER = /\p{L}/u;

/** Digests and the like. */
const HEXADECIMAL = /^(?=.*\d)[\da-f]{8,}$/;

/**
 * Whether a term may complete a word: it has a letter, is not very long, not a hexadecimal number, and no pair of
 * characters.
 */
export function completesWords(term: string): boolean {
  return term.length <= LONGEST_WORD && LETTER.test(term) && !HEXADECIMAL.test(term) && !isUnspacedTerm(term);
}
