import type { NameTable } from './name-table.js';
import type { PackedPostings } from './packed-postings.js';
import type { PackedDictionary } from './term-dictionary.js';

/** All that a `PackedIndex` holds. */
export interface PackedKeywords {
  readonly size: number;
  readonly dictionary: PackedDictionary;
  readonly postings: PackedPostings;
  /** Distinct terms by scored field and document: those of all documents in the first field, then in the next. */
  readonly lengths: Uint32Array;
  /** Of each scored field what its lengths add up to, and the greatest of them. */
  readonly totalLengths: Float64Array;
  readonly greatestLengths: Uint32Array;
  /** Documents by the keys of their names (`nameKey`). */
  readonly names: NameTable;
  /** Documents by the first words of their names (`beginningsOf`). */
  readonly beginnings: NameTable;
  /**
   * Two numbers a document that tell whether it has changed since, see `unchangedDocuments`; none at all where the
   * documents are of no file.
   */
  readonly contentHashes: Uint32Array;
}
