/**
 * Working space of an index for scoring, made once: the index answers one question at a time. Arrays made for each word
 * would add up to tens of megabytes a second, and every collection of them scans an index of gigabytes.
 */
export class ScoringSpace {
  /** Number of documents in the index. */
  readonly size: number;
  /** Amount of one word; all 0 between two words. */
  readonly amounts: Float64Array;
  /** The documents that have one word, in no particular order. */
  readonly having: Uint32Array;

  constructor(size: number) {
    this.size = size;
    this.amounts = new Float64Array(size);
    this.having = new Uint32Array(size);
  }
}
