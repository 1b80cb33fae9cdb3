import type { DocumentNumber, TermNumber } from '../../../core/index.js';
import { BLOCK, MANY, type PackedPostings } from '../packed-postings.js';
import { endOfPositions } from '../position-reader.js';
import { DROPPED } from './dropped.js';
import type { PostingsWriter } from './postings-writer.js';

/** Takes the place of a document or a field after the last one. Greater than all others. */
export const NONE: number = DROPPED;

/** Postings that go into others. */
export interface PostingsPart {
  readonly postings: PackedPostings;
  /** New number of each document: ascending, or {@link DROPPED}. */
  readonly documentOf: Uint32Array;
  /** New number of each term: ascending, or {@link DROPPED} if all documents that have it are dropped. */
  readonly termOf: Uint32Array;
}

/** Reads the entries of a part from the first to the last, list by list. Skips dropped terms and documents. */
export class PostingsCursor {
  readonly #postings: PackedPostings;
  readonly #documentOf: Uint32Array;
  readonly #termOf: Uint32Array;
  /** The term behind the current one. */
  #nextTerm = 0;
  #list = 0;
  /** Behind the last list of the current term. */
  #listEnd = 0;
  /** The next entry. */
  #entry = 0;
  /** Where its positions begin. */
  #position = 0;
  /** Index into `manyEntries` of the next entry with {@link MANY}. */
  #many = 0;
  /** New number of the document of the next entry of the list, or {@link NONE}. */
  next: DocumentNumber = NONE;

  constructor({ postings, documentOf, termOf }: PostingsPart) {
    this.#postings = postings;
    this.#documentOf = documentOf;
    this.#termOf = termOf;
  }

  /**
   * Goes to the lists of a term. All lists of the terms before must have been read.
   *
   * @param term new number
   * @returns whether the part has the term
   */
  goTo(term: TermNumber): boolean {
    while (this.#termOf[this.#nextTerm] === DROPPED) {
      this.#beginTerm();
      while (this.#list < this.#listEnd) this.nextList();
    }
    if (this.#termOf[this.#nextTerm] !== term) return false;
    this.#beginTerm();
    return true;
  }

  /** Field of the current list; {@link NONE} if the term has no more lists. */
  get field(): number {
    return this.#list < this.#listEnd ? this.#postings.listFields[this.#list]! : NONE;
  }

  /** Goes to the next list of the term that has a document. */
  nextList(): void {
    this.#list += 1;
    this.#skipDroppedDocuments();
    this.#skipEmptyLists();
  }

  #beginTerm(): void {
    this.#nextTerm += 1;
    this.#listEnd = this.#postings.listStarts[this.#nextTerm]!;
    this.#skipDroppedDocuments();
    this.#skipEmptyLists();
  }

  #skipEmptyLists(): void {
    while (this.#list < this.#listEnd && this.next === NONE) {
      this.#list += 1;
      this.#skipDroppedDocuments();
    }
  }

  /** Goes to the next entry of the list whose document is kept. */
  #skipDroppedDocuments(): void {
    this.next = NONE;
    if (this.#list >= this.#listEnd) return;
    const { documents, entryStarts } = this.#postings;
    const end = entryStarts[this.#list + 1]!;
    for (; this.#entry < end; this.#entry++) {
      this.next = this.#documentOf[documents[this.#entry]!]!;
      if (this.next !== DROPPED) return;
      this.#position = endOfPositions(this.#postings.positions, this.#position, this.#takeFrequency());
    }
  }

  #takeFrequency(): number {
    const frequency = this.#postings.frequencies[this.#entry]!;
    return frequency === MANY ? this.#postings.manyFrequencies[this.#many++]! : frequency;
  }

  /**
   * Copies entries of the list up to the first whose document has a new number of `limit` or more. The next entry must
   * be below the limit.
   */
  copyBelow(limit: DocumentNumber, writer: PostingsWriter): void {
    const { documents, frequencies, manyFrequencies, positions, entryStarts } = this.#postings;
    const documentOf = this.#documentOf;
    const end = entryStarts[this.#list + 1]!;
    let [entry, position, next] = [this.#entry, this.#position, this.next];
    let [toEntry, toPosition] = [writer.entryCount, writer.positionBytes];
    do {
      let frequency = frequencies[entry]!;
      writer.documents[toEntry] = next;
      writer.frequencies[toEntry] = frequency;
      if (frequency === MANY) {
        frequency = manyFrequencies[this.#many++]!;
        writer.addMany(toEntry, frequency);
      }
      if (toEntry % BLOCK === 0) writer.blockStarts[toEntry / BLOCK] = toPosition;
      for (const positionEnd = endOfPositions(positions, position, frequency); position < positionEnd; position++) {
        writer.positions[toPosition++] = positions[position]!;
      }
      toEntry += 1;
      entry += 1;
      next = NONE;
      while (entry < end) {
        next = documentOf[documents[entry]!]!;
        if (next !== DROPPED) break;
        this.#entry = entry;
        position = endOfPositions(positions, position, this.#takeFrequency());
        entry += 1;
      }
    } while (next < limit);
    [this.#entry, this.#position, this.next] = [entry, position, next];
    [writer.entryCount, writer.positionBytes] = [toEntry, toPosition];
  }
}
