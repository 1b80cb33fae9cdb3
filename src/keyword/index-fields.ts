import { SCORED_FIELDS, type ScoredField } from '../result.js';

/** The fields in the order of their numbers. `inner` holds the parts of words in PascalCase of the fields before. */
export const FIELDS = ['name', 'author', 'labels', 'description', 'inner', 'files'] as const;

/** Numbers of the last two. */
export const INNER = 4;
export const FILES = 5;

/**
 * The fields that make up each field of `rank`. A part of a word in PascalCase says less than a word of its own, whichever
 * field it stands in, so all of them count in the longest field, where a word weighs least.
 */
export const PARTS_OF_SCORED: Readonly<Record<ScoredField, readonly number[]>> = {
  name: [0],
  author: [1],
  labels: [2],
  description: [3, 4],
  files: [5],
};

/**
 * The texts of a document's files. One that only repeats the description, as that of a skill which came without files does,
 * is none: its words would count twice.
 */
export function textsOfFiles({ description, files }: DescribedFiles): readonly string[] {
  return files.map(({ text }) => text).filter((text) => text !== description);
}

interface DescribedFiles {
  readonly description: string;
  readonly files: readonly { readonly text: string }[];
}

/** Weight of each field in the score: a name says most, file text least. */
export const FIELD_WEIGHTS: readonly number[] = [3, 1, 1.5, 1.5, 0.5, 0.5];

/** Weight of a term that answers in another form than the one asked for. */
export const OTHER_FORM_WEIGHT = 0.7;

/** BM25 scores are mapped to 0..1 by s / (s + this): monotone, and the same for all questions. */
export const HALF_SCORE = 10;

/**
 * Scores are of one of so many groups, the last of which is the best: by the document's name, as these say, and in each of
 * these one less where a word is there with other accents than the question's only.
 */
export const GROUPS = 6;
export const PLAIN_NAME = 1;
export const BEGINNING = 3;
export const EXACT_NAME = 5;

/** The place among the scored fields that each field counts in. */
export const SCORED_OF: readonly number[] = FIELDS.map((_, field) =>
  SCORED_FIELDS.findIndex((scored) => PARTS_OF_SCORED[scored].includes(field)),
);
