import type { Random } from './random.js';

/** Draws ranks, counted from 0, by Zipf's law: rank n comes 1/n times as often as the first. */
export class ZipfRanks {
  /** Sums of the shares up to each rank. */
  readonly #sums: Float64Array;
  readonly #random: Random;

  /** @param size how many ranks there are, one at least */
  constructor(size: number, random: Random) {
    this.#random = random;
    this.#sums = new Float64Array(size);
    let sum = 0;
    for (let rank = 0; rank < size; rank++) {
      sum += 1 / (rank + 1);
      this.#sums[rank] = sum;
    }
  }

  next(): number {
    const sums = this.#sums;
    const wanted = this.#random() * (sums[sums.length - 1] as number);
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] as number) <= wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
