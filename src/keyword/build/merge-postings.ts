import { type DocumentNumber, GrowingBytes, GrowingUint32, type TermNumber } from '../../core/index.js';
import { FIELDS } from '../keyword-index.js';
import { BLOCK, GONE, MANY, type PackedPostings } from '../packed-keywords.js';
import { endOfPositions } from '../posting-list.js';

/** Postings that go into others. */
export interface PostingsPart {
  readonly postings: PackedPostings;
  /** New number of each document: ascending, or {@link GONE}. */
  readonly documentOf: Uint32Array;
  /** New number of each term: ascending, or {@link GONE} if all documents that have it are dropped. */
  readonly termOf: Uint32Array;
}

/**
 * Merges postings. Reads each part once, from its beginning to its end.
 *
 * @param termCount number of terms of the result
 */
export function mergePostings(parts: readonly PostingsPart[], termCount: number): PackedPostings {
  const cursors = parts.map((part) => new PostingsCursor(part));
  const writer = new PostingsWriter(parts.map(({ postings }) => postings));
  for (let term = 0; term < termCount; term++) {
    writer.beginTerm();
    const having = cursors.filter((cursor) => cursor.goToTerm(term));
    for (let field = 0; field < FIELDS.length; field++) {
      const lists = having.filter((cursor) => cursor.goToField(field));
      if (lists.length === 0) continue;
      writer.beginList(field);
      mergeList(lists, writer);
    }
  }
  return writer.end();
}

/** Writes the lists of one term and field in the order of their documents. */
function mergeList(cursors: readonly PostingsCursor[], writer: PostingsWriter): void {
  for (;;) {
    let lowest = cursors[0]!;
    for (let c = 1; c < cursors.length; c++) if (cursors[c]!.document < lowest.document) lowest = cursors[c]!;
    if (lowest.document === GONE) return;
    lowest.moveTo(writer);
  }
}

/** Reads the entries of a part from the first to the last. Passes over those of documents that are dropped. */
class PostingsCursor {
  readonly #part: PostingsPart;
  /** The term behind the current one, the next of its lists, and behind its last list. */
  #nextTerm = 0;
  #nextList = 0;
  #listEnd = 0;
  /** The next entry, and behind the last one of the list. */
  #entry = 0;
  #end = 0;
  /** Where the positions of the entry begin. */
  #position = 0;
  /** Index into `manyEntries` of the next entry with {@link MANY}. */
  #many = 0;
  /** New number of the document of the entry; {@link GONE}, which is above all others, behind the last one. */
  document: DocumentNumber = GONE;

  constructor(part: PostingsPart) {
    this.#part = part;
  }

  /** Goes to a term, by its new number. @returns whether the part has it */
  goToTerm(term: TermNumber): boolean {
    const { termOf, postings } = this.#part;
    while (termOf[this.#nextTerm] === GONE) this.#nextTerm += 1;
    if (termOf[this.#nextTerm] !== term) return false;
    this.#nextList = postings.listStarts[this.#nextTerm]!;
    this.#nextTerm += 1;
    this.#listEnd = postings.listStarts[this.#nextTerm]!;
    return true;
  }

  /** Goes to the list of a field. @returns whether any document of it is kept */
  goToField(field: number): boolean {
    const { listFields, entryStarts } = this.#part.postings;
    if (this.#nextList === this.#listEnd || listFields[this.#nextList] !== field) return false;
    while (this.#entry < entryStarts[this.#nextList]!) this.#pass();
    this.#nextList += 1;
    this.#end = entryStarts[this.#nextList]!;
    this.#goToKept();
    return this.document !== GONE;
  }

  /** Copies the entry, and goes to the next one. */
  moveTo(writer: PostingsWriter): void {
    const { positions, frequencies } = this.#part.postings;
    const [from, frequency] = [this.#position, frequencies[this.#entry]!];
    const exact = this.#pass();
    writer.add(this.document, frequency, exact, positions, from, this.#position);
    this.#goToKept();
  }

  #goToKept(): void {
    const { documents } = this.#part.postings;
    for (; this.#entry < this.#end; this.#pass()) {
      this.document = this.#part.documentOf[documents[this.#entry]!]!;
      if (this.document !== GONE) return;
    }
    this.document = GONE;
  }

  /** Goes to the next entry. @returns the frequency of the one before */
  #pass(): number {
    const { frequencies, manyFrequencies, positions } = this.#part.postings;
    let frequency = frequencies[this.#entry++]!;
    if (frequency === MANY) frequency = manyFrequencies[this.#many++]!;
    this.#position = endOfPositions(positions, this.#position, frequency);
    return frequency;
  }
}

/** Writes postings list by list. */
class PostingsWriter {
  readonly #listStarts = new GrowingUint32();
  readonly #listFields = new GrowingBytes();
  readonly #entryStarts = new GrowingUint32();
  readonly #documents: Uint32Array;
  readonly #frequencies: Uint8Array;
  readonly #manyEntries: number[] = [];
  readonly #manyFrequencies: number[] = [];
  readonly #positions: Uint8Array;
  readonly #blockStarts: Uint32Array;
  /** Entries written so far, and bytes of their positions. */
  #entry = 0;
  #position = 0;

  /** @param sources all entries written come from these, each at most once */
  constructor(sources: readonly PackedPostings[]) {
    const entries = sources.reduce((sum, { documents }) => sum + documents.length, 0);
    this.#documents = new Uint32Array(entries);
    this.#frequencies = new Uint8Array(entries);
    this.#positions = new Uint8Array(sources.reduce((sum, { positions }) => sum + positions.length, 0));
    this.#blockStarts = new Uint32Array(Math.ceil(entries / BLOCK));
  }

  beginTerm(): void {
    this.#listStarts.push(this.#listFields.length);
  }

  beginList(field: number): void {
    this.#listFields.push(field);
    this.#entryStarts.push(this.#entry);
  }

  /** @param exact the frequency, also where a byte is too small for it */
  add(document: DocumentNumber, frequency: number, exact: number, from: Uint8Array, start: number, end: number): void {
    const entry = this.#entry++;
    this.#documents[entry] = document;
    this.#frequencies[entry] = frequency;
    if (entry % BLOCK === 0) this.#blockStarts[entry / BLOCK] = this.#position;
    if (frequency === MANY) {
      this.#manyEntries.push(entry);
      this.#manyFrequencies.push(exact);
    }
    for (let at = start; at < end; at++) this.#positions[this.#position++] = from[at]!;
  }

  /** Ends the writing. Arrays that are longer than what was written keep their memory. */
  end(): PackedPostings {
    this.beginTerm();
    this.#entryStarts.push(this.#entry);
    return {
      listStarts: this.#listStarts.values.slice(),
      listFields: this.#listFields.bytes.slice(),
      entryStarts: this.#entryStarts.values.slice(),
      documents: this.#documents.subarray(0, this.#entry),
      frequencies: this.#frequencies.subarray(0, this.#entry),
      manyEntries: Uint32Array.from(this.#manyEntries),
      manyFrequencies: Uint32Array.from(this.#manyFrequencies),
      positions: this.#positions.subarray(0, this.#position),
      blockStarts: this.#blockStarts.subarray(0, Math.ceil(this.#entry / BLOCK)),
    };
  }
}
