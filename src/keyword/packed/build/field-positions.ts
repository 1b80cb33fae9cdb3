import type { GrowingBytes, TermNumber } from '../../../core/index.js';

/** Ends a chain of occurrences. */
const END = 0xffffffff;

/**
 * The positions of the terms in one field of one document. The occurrences are numbered as they come; those of a term
 * form a chain. The arrays are reused for the next field.
 */
export class FieldPositions {
  // By occurrence.
  #positions = new Uint32Array(1024);
  #spans = new Uint32Array(1024);
  /** The next occurrence of the same term, or {@link END}. */
  #next = new Uint32Array(1024);
  #count = 0;
  /** Whether the positions of each term came in ascending order. */
  #isSorted = true;

  /** The terms of the field in the order of their first occurrences. */
  #terms = new Uint32Array(1024);
  /** The first occurrence of each of them. */
  #firstOccurrences = new Uint32Array(1024);
  #termCount = 0;

  /** By term: its last occurrence so far plus `#base`. Less than `#base` if it does not occur in this field. */
  #lastOccurrences = new Uint32Array(1024);
  #base = 1;

  /** Number of distinct terms. */
  get termCount(): number {
    return this.#termCount;
  }

  /** The term that was the `i`-th to occur first. */
  termAt(i: number): TermNumber {
    return this.#terms[i]!;
  }

  /** @param span how many positions the term covers */
  add(term: TermNumber, position: number, span: number): void {
    if (term >= this.#lastOccurrences.length) this.#growTerms(term);
    const occurrence = this.#count++;
    if (occurrence === this.#positions.length) this.#growOccurrences();
    this.#positions[occurrence] = position;
    this.#spans[occurrence] = span;
    this.#next[occurrence] = END;
    const last = this.#lastOccurrences[term]! - this.#base;
    if (last >= 0) {
      this.#next[last] = occurrence;
      if (position < this.#positions[last]!) this.#isSorted = false;
    } else {
      const i = this.#termCount++;
      this.#terms[i] = term;
      this.#firstOccurrences[i] = occurrence;
    }
    this.#lastOccurrences[term] = this.#base + occurrence;
  }

  /**
   * Writes the positions of the `i`-th term as `PackedPostings` has them.
   *
   * @returns their number
   */
  write(i: number, into: GrowingBytes): number {
    const first = this.#firstOccurrences[i]!;
    // Positions may come unordered: a word that is cut to the maximum length can equal a compound that it is a part of.
    if (!this.#isSorted) this.#sortChain(first);
    let count = 0;
    let before = 0;
    for (let occurrence = first; occurrence !== END; occurrence = this.#next[occurrence]!) {
      const [position, span] = [this.#positions[occurrence]!, this.#spans[occurrence]!];
      into.pushNumber((position - before) * 2 + (span > 1 ? 1 : 0));
      if (span > 1) into.pushNumber(span);
      before = position;
      count += 1;
    }
    return count;
  }

  /** Forgets all occurrences. */
  clear(): void {
    this.#base += this.#count;
    if (this.#base > 0x7fffffff) {
      this.#lastOccurrences.fill(0);
      this.#base = 1;
    }
    this.#count = 0;
    this.#isSorted = true;
    this.#termCount = 0;
  }

  /** Sorts the positions and spans of a chain. The chain itself stays. */
  #sortChain(first: number): void {
    const chain: number[] = [];
    for (let occurrence = first; occurrence !== END; occurrence = this.#next[occurrence]!) chain.push(occurrence);
    const sorted = chain
      .map((occurrence) => ({ position: this.#positions[occurrence]!, span: this.#spans[occurrence]! }))
      .sort((a, b) => a.position - b.position);
    for (const [i, { position, span }] of sorted.entries()) {
      this.#positions[chain[i]!] = position;
      this.#spans[chain[i]!] = span;
    }
  }

  /** A term may be far above all before: terms get their numbers early, and some are added at the end of a document. */
  #growTerms(term: TermNumber): void {
    while (term >= this.#lastOccurrences.length) this.#lastOccurrences = doubled(this.#lastOccurrences);
  }

  #growOccurrences(): void {
    this.#positions = doubled(this.#positions);
    this.#spans = doubled(this.#spans);
    this.#next = doubled(this.#next);
    this.#terms = doubled(this.#terms);
    this.#firstOccurrences = doubled(this.#firstOccurrences);
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
