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

/** The place among the scored fields that each field counts in. */
export const SCORED_OF: readonly number[] = FIELDS.map((_, field) =>
  SCORED_FIELDS.findIndex((scored) => PARTS_OF_SCORED[scored].includes(field)),
);
