import { type DocumentNumber, GrowingBytes, GrowingUint32, type TermNumber } from '../../core/index.js';
import { BLOCK, MANY, type PackedKeywords, type PackedPostings } from '../packed-keywords.js';
import { packDictionary, TermTable } from './pack-dictionary.js';

/** Collects the terms of documents and their positions, field by field. */
export class PostingsBuilder {
  /** Gives the numbers of the terms for {@link add}. */
  readonly terms: TermTable = new TermTable();
  readonly #field = new FieldPositions();
  readonly #log = new PostingsLog();

  /** Adds one occurrence of a term to the current field. */
  add(term: TermNumber, position: number, span: number): void {
    this.#field.add(term, position, span);
  }

  /**
   * Ends the current field of a document. Documents must come in ascending order.
   *
   * @returns the number of its distinct terms
   */
  endField(document: DocumentNumber, field: number): number {
    const { termCount } = this.#field;
    if (termCount === 0) return 0;
    this.#log.add(document, field, this.#field, this.terms.size);
    this.#field.clear();
    return termCount;
  }

  /** Ends the collecting. Nothing can be added any more. */
  pack(): Pick<PackedKeywords, 'dictionary' | 'postings'> & { readonly texts: readonly string[] } {
    const { dictionary, texts, numberOf } = packDictionary(this.terms.texts);
    return { dictionary, texts, postings: this.#log.sort(numberOf) };
  }
}

/** Number of fields that a list can have: three bits. */
const MAX_FIELDS = 8;

/**
 * Postings in the order in which they come: document by document, field by field. One counting sort puts them in the
 * order of terms and keeps the documents of each list ascending.
 */
class PostingsLog {
  /** Three numbers for each field of each document: document, field, number of entries. */
  readonly #runs = new GrowingUint32();
  /** Term of each entry. */
  readonly #terms = new GrowingUint32();
  /** Frequency of each entry, or {@link MANY}. */
  readonly #frequencies = new GrowingBytes();
  /** The frequencies that a byte is too small for, in the order of the entries. */
  readonly #manyFrequencies: number[] = [];
  /** Positions of each entry, see {@link PackedPostings.positions}. */
  readonly #positions = new GrowingBytes();
  /**
   * By field, two numbers for each term: at `term * 2` its entries, behind that the bytes of their positions. While
   * sorting, where the next entry of the list goes, and where its positions go.
   */
  readonly #counts: Uint32Array[] = Array.from({ length: MAX_FIELDS }, () => new Uint32Array(0));

  /** @param termTotal number of terms so far; all terms of the field are below */
  add(document: DocumentNumber, field: number, fieldPositions: FieldPositions, termTotal: number): void {
    const counts = this.#countsOf(field, termTotal);
    const { termCount } = fieldPositions;
    this.#runs.push(document);
    this.#runs.push(field);
    this.#runs.push(termCount);
    for (let i = 0; i < termCount; i++) {
      const term = fieldPositions.termAt(i);
      const start = this.#positions.length;
      const frequency = fieldPositions.write(i, this.#positions);
      this.#terms.push(term);
      this.#frequencies.push(Math.min(frequency, MANY));
      if (frequency >= MANY) this.#manyFrequencies.push(frequency);
      const key = term * 2;
      counts[key] = counts[key]! + 1;
      counts[key + 1] = counts[key + 1]! + this.#positions.length - start;
    }
  }

  #countsOf(field: number, termTotal: number): Uint32Array {
    const counts = this.#counts[field]!;
    if (counts.length >= termTotal * 2) return counts;
    const larger = new Uint32Array(Math.max(2048, termTotal * 4));
    larger.set(counts);
    this.#counts[field] = larger;
    return larger;
  }

  /**
   * Sorts the entries by term. Nothing can be added any more.
   *
   * @param numberOf final number of each term
   */
  sort(numberOf: Uint32Array): PackedPostings {
    const { entryCount, positionBytes, ...lists } = this.#layOut(numberOf);
    const [terms, logFrequencies, log] = [this.#terms.values, this.#frequencies.bytes, this.#positions.bytes];
    const documents = new Uint32Array(entryCount);
    const frequencies = new Uint8Array(entryCount);
    const positions = new Uint8Array(positionBytes);
    const blockStarts = new Uint32Array(Math.ceil(entryCount / BLOCK));
    const many: { readonly entry: number; readonly frequency: number }[] = [];
    const runs = this.#runs.values;
    let [logEntry, logPosition] = [0, 0];
    for (let run = 0; run < runs.length; run += 3) {
      const [document, field] = [runs[run]!, runs[run + 1]!];
      const next = this.#counts[field]!;
      for (const end = logEntry + runs[run + 2]!; logEntry < end; logEntry++) {
        const key = terms[logEntry]! * 2;
        const entry = next[key]!;
        const position = next[key + 1]!;
        let frequency = logFrequencies[logEntry]!;
        documents[entry] = document;
        frequencies[entry] = frequency;
        if (entry % BLOCK === 0) blockStarts[entry / BLOCK] = position;
        if (frequency === MANY) {
          frequency = this.#manyFrequencies[many.length]!;
          many.push({ entry, frequency });
        }
        const length = copyPositions(log, logPosition, frequency, positions, position);
        logPosition += length;
        next[key] = entry + 1;
        next[key + 1] = position + length;
      }
    }
    many.sort((a, b) => a.entry - b.entry);
    return {
      ...lists,
      documents,
      frequencies,
      manyEntries: Uint32Array.from(many, ({ entry }) => entry),
      manyFrequencies: Uint32Array.from(many, ({ frequency }) => frequency),
      positions,
      blockStarts,
    };
  }

  /** Makes a list of each term and field that occurs. Turns the counts into where the entries and positions begin. */
  #layOut(numberOf: Uint32Array): Pick<PackedPostings, 'listStarts' | 'listFields' | 'entryStarts'> & {
    readonly entryCount: number;
    readonly positionBytes: number;
  } {
    const inOrder = new Uint32Array(numberOf.length);
    for (let term = 0; term < numberOf.length; term++) inOrder[numberOf[term]!] = term;
    const listStarts = new Uint32Array(numberOf.length + 1);
    const listFields = new GrowingBytes();
    const entryStarts = new GrowingUint32();
    let [entryCount, positionBytes] = [0, 0];
    for (let number = 0; number < inOrder.length; number++) {
      listStarts[number] = listFields.length;
      const key = inOrder[number]! * 2;
      for (let field = 0; field < MAX_FIELDS; field++) {
        const counts = this.#counts[field]!;
        const count = counts[key];
        // The array of a field may not reach the last terms.
        if (count === undefined || count === 0) continue;
        const bytes = counts[key + 1]!;
        listFields.push(field);
        entryStarts.push(entryCount);
        counts[key] = entryCount;
        counts[key + 1] = positionBytes;
        entryCount += count;
        positionBytes += bytes;
      }
    }
    listStarts[inOrder.length] = listFields.length;
    entryStarts.push(entryCount);
    return {
      listStarts,
      listFields: listFields.bytes.slice(),
      entryStarts: entryStarts.values.slice(),
      entryCount,
      positionBytes,
    };
  }
}

/**
 * Copies the positions of one entry: for each a number, and another one if the lowest bit of the first is set. A number
 * ends with its first byte below 128.
 *
 * @returns the number of bytes
 */
function copyPositions(
  from: Uint8Array,
  fromStart: number,
  frequency: number,
  to: Uint8Array,
  toStart: number,
): number {
  let [at, toAt] = [fromStart, toStart];
  for (let left = frequency; left > 0; left--) {
    let byte = from[at]!;
    const hasSpan = (byte & 1) === 1;
    do {
      byte = from[at++]!;
      to[toAt++] = byte;
    } while (byte > 127);
    if (!hasSpan) continue;
    do {
      byte = from[at++]!;
      to[toAt++] = byte;
    } while (byte > 127);
  }
  return at - fromStart;
}

/** Ends a chain of occurrences. */
const END = 0xffffffff;

/**
 * The positions of the terms in one field of one document. The occurrences are numbered as they come; those of a term
 * form a chain. The arrays are reused for the next field.
 */
class FieldPositions {
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
