import { lowerBound } from '../../arrays/lower-bound.js';
import type { Pager } from '../../arrays/pager.js';
import type { DocumentNumber } from '../../numbers.js';
import type { LengthNorms } from '../length-norms.js';
import { BLOCK, MANY, type PackedPostings } from './packed-postings.js';

/** One posting list: the documents that have a term in a field. */
export class PostingList {
  readonly size: number;
  /** First entry of the list. */
  readonly from: number;
  /** Behind the last entry of the list. */
  readonly to: number;
  readonly field: number;
  readonly #postings: PackedPostings;
  readonly #pager: Pager;

  /** Reads the documents of the list if they are still in the file. */
  constructor(postings: PackedPostings, list: number, pager: Pager) {
    this.#postings = postings;
    this.#pager = pager;
    pager.need(postings.entryStarts, list, list + 2);
    pager.need(postings.listFields, list, list + 1);
    this.from = postings.entryStarts[list]!;
    this.to = postings.entryStarts[list + 1]!;
    this.size = this.to - this.from;
    this.field = postings.listFields[list]!;
    pager.need(postings.documents, this.from, this.to);
  }

  /** Reads the frequencies if they are still in the file. Call it before any method that returns frequencies. */
  needFrequencies(): this {
    this.#pager.need(this.#postings.manyEntries);
    this.#pager.need(this.#postings.manyFrequencies);
    this.#pager.need(this.#postings.frequencies, this.from, this.to);
    return this;
  }

  /** Reads the positions if they are still in the file. */
  needPositions(): void {
    const { blockStarts, positions } = this.#postings;
    this.needFrequencies();
    const block = Math.floor(this.from / BLOCK);
    // The block may begin with entries of another list. Their frequencies tell how many positions to skip.
    this.#pager.need(this.#postings.frequencies, block * BLOCK, this.from);
    const next = Math.ceil(this.to / BLOCK);
    this.#pager.need(blockStarts, block, Math.min(next + 1, blockStarts.length));
    this.#pager.need(positions, blockStarts[block], blockStarts[next] ?? positions.length);
  }

  get documents(): Uint32Array {
    return this.#postings.documents.subarray(this.from, this.to);
  }

  /** Frequency of the term in a document; undefined if the document is not in the list. */
  get(document: DocumentNumber): number | undefined {
    const entry = this.entryOf(document, this.from);
    return entry < this.to && this.#postings.documents[entry] === document ? this.frequencyOf(entry) : undefined;
  }

  forEach(visit: (frequency: number, document: DocumentNumber) => void): void {
    const { documents } = this.#postings;
    for (let entry = this.from; entry < this.to; entry++) visit(this.frequencyOf(entry), documents[entry]!);
  }

  /**
   * Adds the weighted frequencies, divided by the length norms, to `amounts`. Reads list and documents side by side, and
   * leaps in the list.
   */
  addAmounts(documents: Uint32Array, norms: LengthNorms, weight: number, amounts: Float64Array): void {
    const { documents: listed } = this.#postings;
    let entry = this.from;
    let i = 0;
    while (i < documents.length && entry < this.to) {
      const document = documents[i]!;
      const other = listed[entry]!;
      if (other === document) {
        amounts[i] = amounts[i]! + (weight * this.frequencyOf(entry)) / norms.of(document);
        i += 1;
        entry += 1;
      } else if (other < document) entry = this.entryOf(document, entry);
      else i += 1;
    }
  }

  documentAt(entry: number): DocumentNumber {
    return this.#postings.documents[entry]!;
  }

  frequencyOf(entry: number): number {
    const frequency = this.#postings.frequencies[entry]!;
    return frequency === MANY ? manyFrequencyOf(this.#postings, entry) : frequency;
  }

  /**
   * The first entry whose document is not less than `document`; `to` if there is none. Searches in steps that double,
   * so it is fast if called with ascending documents.
   *
   * @param least an entry that is not behind the wanted one
   */
  entryOf(document: DocumentNumber, least: number): number {
    const { documents } = this.#postings;
    let low = least;
    let step = 1;
    while (low + step < this.to && documents[low + step]! < document) {
      low += step;
      step *= 2;
    }
    return lowerBound(documents, document, low, Math.min(low + step, this.to));
  }
}

function manyFrequencyOf({ manyEntries, manyFrequencies }: PackedPostings, entry: number): number {
  return manyFrequencies[lowerBound(manyEntries, entry)]!;
}
