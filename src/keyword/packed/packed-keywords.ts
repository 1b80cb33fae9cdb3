import type { PackedPostings } from './packed-postings.js';
import type { PackedDictionary } from './term-dictionary.js';

/** All that a `PackedIndex` holds. */
export interface PackedKeywords {
  readonly size: number;
  readonly dictionary: PackedDictionary;
  readonly postings: PackedPostings;
  /** Distinct terms by field and document: those of all documents in the first field, then in the next. */
  readonly lengths: Uint32Array;
  /** Hashes of the documents' names, ascending, and the documents. */
  readonly nameHashes: Uint32Array;
  readonly nameDocuments: Uint32Array;
  /**
   * Two numbers a document that tell whether it has changed since, see `unchangedDocuments`; none at all where the
   * documents are of no file.
   */
  readonly contentHashes: Uint32Array;
}
