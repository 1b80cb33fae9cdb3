import type { PackedStrings } from './packed-strings.js';

/** What the question that somebody is typing is completed by. */
export interface PackedCompletions {
  /** The terms that complete a word, see `completesWords`; ascending. */
  readonly terms: Uint32Array;
  /** Beside each the number of documents that have it in name, labels or description. */
  readonly termCounts: Uint32Array;
  /** The distinct names of the documents by `typedNameKey`, then by themselves; in code-point order. */
  readonly names: PackedStrings;
  /**
   * Beside each the number of documents whose names have the same `typedNameKey`; 0 unless this is the spelling that
   * most of them have, of several the first.
   */
  readonly nameCounts: Uint32Array;
  /** By document the number of its name. */
  readonly nameOf: Uint32Array;
}
