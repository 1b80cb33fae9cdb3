/**
 * Working space of an index for scoring, made once: the index answers one question at a time. Arrays made for each word
 * would add up to tens of megabytes a second, and every collection of them scans an index of gigabytes.
 */
export class ScoringSpace {
  /** Number of documents in the index. */
  readonly size: number;
  /** Amount of one word; all 0 between two words. */
  readonly amounts: Float64Array;
  /** Sums of the scores of the words read so far; all 0 between two questions. */
  readonly sums: Float64Array;
  /** The documents whose sum is not 0, in no particular order. */
  readonly seen: Uint32Array;
  /** The documents among {@link seen} that can still be among the best. */
  readonly left: Uint32Array;
  /** The documents that have one word, in no particular order. */
  readonly having: Uint32Array;

  constructor(size: number) {
    this.size = size;
    this.amounts = new Float64Array(size);
    this.sums = new Float64Array(size);
    this.seen = new Uint32Array(size);
    this.left = new Uint32Array(size);
    this.having = new Uint32Array(size);
  }
}
