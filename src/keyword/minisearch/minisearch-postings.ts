import MiniSearch, { type Options } from 'minisearch';
import type { DocumentNumber } from '../../core/index.js';

/** The documents that have a term in one field, each with the frequency of the term. */
export type FieldPostings = ReadonlyMap<DocumentNumber, number>;

/** Postings of a term by field number, as MiniSearch keeps them. */
export type TermPostings = ReadonlyMap<number, FieldPostings>;

interface Numbered {
  readonly id: number;
}

/**
 * A MiniSearch index that is filled with terms instead of texts, and gives access to its postings.
 *
 * `addAll` descends the radix tree for every occurrence of every word: for 94,254 skills with file text that takes
 * minutes. Here the tree is filled at the end, once for each distinct term, with the same result. `search` gathers all
 * documents of all words before it checks which have every word: for a question of ten words that takes a second. With
 * access to the postings, the rarest word can come first. MiniSearch declares the fields used here `protected`, for
 * subclasses.
 */
export class MiniSearchPostings extends MiniSearch<Numbered> {
  readonly #fieldCount: number;
  readonly #terms = new Map<string, Map<number, Map<number, number>>>();
  readonly #totalLengths: number[];

  constructor(options: Options<Numbered>) {
    super(options);
    this.#fieldCount = options.fields.length;
    this.#totalLengths = options.fields.map(() => 0);
  }

  /**
   * Adds a document. Documents must come in the order of their numbers, from 0, without gaps.
   *
   * @param terms all terms of each field, with repetitions, in the order of the fields
   */
  addTerms(document: DocumentNumber, terms: readonly (readonly string[])[]): void {
    this._documentIds.set(document, document);
    this._idToShortId.set(document, document);
    this._documentCount = document + 1;
    this._nextId = document + 1;
    const lengths = terms.map((ofField, field) => this.#addField(document, field, ofField));
    this._fieldLength.set(document, lengths);
    for (let field = 0; field < this.#fieldCount; field++) {
      this.#totalLengths[field] = this.#totalLengths[field]! + lengths[field]!;
    }
  }

  /** @returns the number of distinct terms, which is MiniSearch's length of a field */
  #addField(document: DocumentNumber, field: number, terms: readonly string[]): number {
    // Counting in a small map first is faster: the large one is rarely in the processor's cache.
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) {
      let byField = this.#terms.get(term);
      if (byField === undefined) {
        byField = new Map();
        this.#terms.set(detach(term), byField);
      }
      const postings = byField.get(field);
      if (postings === undefined) byField.set(field, new Map([[document, frequency]]));
      else postings.set(document, frequency);
    }
    return frequencies.size;
  }

  /**
   * Completes the index. Lookups and searches work from here on.
   *
   * @param onTerm called with each distinct term once
   * @param pauseEvery the generator yields after this many terms, so that the caller can give way to other work
   */
  *finish(onTerm: (term: string) => void, pauseEvery: number): Generator<void> {
    let count = 0;
    for (const [term, byField] of this.#terms) {
      this._index.set(term, byField as never);
      onTerm(term);
      count += 1;
      if (count % pauseEvery === 0) yield;
    }
    this.#terms.clear();
    this._avgFieldLength = this.#totalLengths.map((length) => length / Math.max(1, this._documentCount));
  }

  /** The postings of a term; undefined if no document has it. */
  postingsOf(term: string): TermPostings | undefined {
    return this._index.get(term) as unknown as TermPostings | undefined;
  }

  /** The length of a field of a document, in distinct terms. */
  lengthOf(document: DocumentNumber, field: number): number {
    return this._fieldLength.get(document)![field]!;
  }
}

/** A copy of a term. A slice of a text would keep the whole text in memory as long as the term is used. */
function detach(term: string): string {
  return Buffer.from(term).toString();
}
