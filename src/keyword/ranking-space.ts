/**
 * Working space for ranking by any word, made once: arrays by document made for each word would add up to tens of
 * megabytes a second, and every collection of them scans an index of gigabytes. It belongs to one ranking at a time,
 * from its first piece of work to its last.
 */
export class RankingSpace {
  /** Amount of one word in one field; all 0 between two fields. */
  readonly inField: Float64Array;
  /** Amount of one word over all fields, then its saturation; all 0 between two words. */
  readonly amounts: Float64Array;
  /** 1 for the documents that have one word; all 0 between two words. */
  readonly isHaving: Uint8Array;
  /** The documents that have one word, and those that have it in one field, in no particular order. */
  readonly having: Uint32Array;
  readonly havingInField: Uint32Array;
  /** Upper bounds of the scores by the words read so far; all 0 between two questions. */
  readonly sums: Float32Array;
  /** The documents whose sum is not 0, in no particular order. */
  readonly seen: Uint32Array;
  /** The documents among {@link seen} that can still be among the best. */
  readonly left: Uint32Array;

  /** @param size number of documents */
  constructor(size: number) {
    this.inField = new Float64Array(size);
    this.amounts = new Float64Array(size);
    this.isHaving = new Uint8Array(size);
    this.having = new Uint32Array(size);
    this.havingInField = new Uint32Array(size);
    this.sums = new Float32Array(size);
    this.seen = new Uint32Array(size);
    this.left = new Uint32Array(size);
  }
}

/** The working spaces of an index: one is kept, and more are made only while several rankings are on their way. */
export class RankingSpaces {
  readonly #size: number;
  #kept: RankingSpace | undefined;

  /** @param size number of documents */
  constructor(size: number) {
    this.#size = size;
  }

  take(): RankingSpace {
    const space = this.#kept ?? new RankingSpace(this.#size);
    this.#kept = undefined;
    return space;
  }

  /** Gives a space back. One of a ranking that was broken off must not be: it is not clean. */
  giveBack(space: RankingSpace): void {
    this.#kept = space;
  }
}
