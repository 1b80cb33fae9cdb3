import MiniSearch, { type Options } from 'minisearch';

/** Document numbers with the frequency of a term in one field. */
export type FieldPostings = ReadonlyMap<number, number>;

/** Postings of a term by field number, as MiniSearch keeps them. */
export type TermPostings = ReadonlyMap<number, FieldPostings>;

interface Numbered {
  readonly id: number;
}

/**
 * A MiniSearch index that is filled with terms instead of texts, and shows its postings.
 *
 * `addAll` descends the radix tree for every occurrence of every word: for 94,254 skills with file text that takes
 * minutes. Here the tree is filled once for each distinct term, at the end; what it then holds is the same, and so are
 * the scores. `search` gathers all documents of all words before it looks which have every word: with a question of
 * ten words that takes a second. With the postings at hand, the rarest word can come first. The fields used are
 * declared `protected` by MiniSearch, for subclasses.
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
  addTerms(number: number, terms: readonly (readonly string[])[]): void {
    this._documentIds.set(number, number);
    this._idToShortId.set(number, number);
    this._documentCount = number + 1;
    this._nextId = number + 1;
    const lengths = terms.map((ofField, field) => this.#addField(number, field, ofField));
    this._fieldLength.set(number, lengths);
    for (let field = 0; field < this.#fieldCount; field++) {
      this.#totalLengths[field] = this.#totalLengths[field]! + lengths[field]!;
    }
  }

  /** @returns the number of distinct terms, which MiniSearch takes for the length of a field */
  #addField(number: number, field: number, terms: readonly string[]): number {
    // Counted in a small map first: the large one is rarely in a cache.
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) {
      let byField = this.#terms.get(term);
      if (byField === undefined) {
        byField = new Map();
        this.#terms.set(detach(term), byField);
      }
      const postings = byField.get(field);
      if (postings === undefined) byField.set(field, new Map([[number, frequency]]));
      else postings.set(number, frequency);
    }
    return frequencies.size;
  }

  /**
   * Ends the adding; look-ups and searches work from here on.
   *
   * @param onTerm called with each distinct term once
   * @returns a generator that pauses now and then, so that the caller can give way to others
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

  /** The postings of a term, or undefined where no document has it. */
  postingsOf(term: string): TermPostings | undefined {
    return this._index.get(term) as unknown as TermPostings | undefined;
  }

  /** The length of a field of a document, in distinct terms. */
  lengthOf(number: number, field: number): number {
    return (this._fieldLength.get(number) as number[])[field]!;
  }
}

/** A copy of a term. A slice of a text would keep the whole text in memory for as long as the term lives. */
function detach(term: string): string {
  return Buffer.from(term).toString();
}
