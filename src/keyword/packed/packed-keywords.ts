import type { NameTable } from './name-table.js';
import type { PackedCompletions } from './packed-completions.js';
import type { PackedPostings } from './packed-postings.js';
import type { PackedDictionary } from './term-dictionary.js';

/** The arrays of a `PackedIndex`. */
export interface PackedKeywords {
  /** Number of documents. */
  readonly size: number;
  readonly dictionary: PackedDictionary;
  readonly postings: PackedPostings;
  /** Number of distinct terms by scored field, then by document. */
  readonly lengths: Uint32Array;
  /** By scored field: the sum of its lengths. */
  readonly totalLengths: Float64Array;
  /** By scored field: the greatest of its lengths. */
  readonly greatestLengths: Uint32Array;
  /** Documents by the keys of their names (`nameKey`). */
  readonly names: NameTable;
  /** Documents by the keys of the beginnings of their names (`beginningsOf`). */
  readonly beginnings: NameTable;
  readonly completions: PackedCompletions;
  /** A hash of the content of each document, two numbers each, see `unchangedDocuments`. Empty if it is not known. */
  readonly contentHashes: Uint32Array;
}
