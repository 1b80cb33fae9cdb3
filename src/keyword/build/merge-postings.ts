import { type DocumentNumber, GrowingBytes, GrowingUint32, type TermNumber } from '../../core/index.js';
import { BLOCK, GONE, MANY, type PackedPostings } from '../packed-keywords.js';
import { endOfPositions } from '../posting-list.js';

/**
 * Merges postings. Reads each part once, from its beginning to its end.
 *
 * @param termCount number of terms of the result
 */
export function mergePostings(parts: readonly PostingsPart[], termCount: number): PackedPostings {
  const cursors = parts.map((part) => new PostingsCursor(part));
  const writer = new PostingsWriter(parts.map(({ postings }) => postings));
  const having: PostingsCursor[] = [];
  for (let term = 0; term < termCount; term++) {
    having.length = 0;
    for (const cursor of cursors) if (cursor.goTo(term)) having.push(cursor);
    writer.beginTerm();
    const [only] = having;
    if (having.length === 1 && only !== undefined) copyLists(only, writer);
    else mergeLists(having, writer);
  }
  return writer.end();
}

/** Copies the lists of a term that only one part has. */
function copyLists(cursor: PostingsCursor, writer: PostingsWriter): void {
  for (; cursor.field !== NONE; cursor.nextList()) {
    writer.beginList(cursor.field);
    cursor.copyBelow(NONE, writer);
  }
}

/** Merges the lists of a term that several parts have. */
function mergeLists(cursors: readonly PostingsCursor[], writer: PostingsWriter): void {
  for (;;) {
    const field = cursors.reduce((lowest, cursor) => Math.min(lowest, cursor.field), NONE);
    if (field === NONE) return;
    const having = cursors.filter((cursor) => cursor.field === field);
    writer.beginList(field);
    mergeList(having, writer);
    for (const cursor of having) cursor.nextList();
  }
}

/** Merges the lists of one term and field in the order of their documents. */
function mergeList(cursors: readonly PostingsCursor[], writer: PostingsWriter): void {
  for (;;) {
    let lowest: PostingsCursor | undefined;
    /** The lowest document of the other parts. */
    let below: DocumentNumber = NONE;
    for (const cursor of cursors) {
      if (cursor.next === NONE) continue;
      if (lowest === undefined || cursor.next < lowest.next) {
        below = lowest?.next ?? NONE;
        lowest = cursor;
      } else {
        below = Math.min(below, cursor.next);
      }
    }
    if (lowest === undefined) return;
    lowest.copyBelow(below, writer);
  }
}

/** Takes the place of a document or a field after the last one. Greater than all others. */
const NONE: number = GONE;

/** Postings that go into others. */
export interface PostingsPart {
  readonly postings: PackedPostings;
  /** New number of each document: ascending, or {@link GONE}. */
  readonly documentOf: Uint32Array;
  /** New number of each term: ascending, or {@link GONE} if all documents that have it are dropped. */
  readonly termOf: Uint32Array;
}

/** Reads the entries of a part from the first to the last, list by list. Skips dropped terms and documents. */
class PostingsCursor {
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
    while (this.#termOf[this.#nextTerm] === GONE) {
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
      if (this.next !== GONE) return;
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
        if (next !== GONE) break;
        this.#entry = entry;
        position = endOfPositions(positions, position, this.#takeFrequency());
        entry += 1;
      }
    } while (next < limit);
    [this.#entry, this.#position, this.next] = [entry, position, next];
    [writer.entryCount, writer.positionBytes] = [toEntry, toPosition];
  }
}

/** Writes postings list by list. */
class PostingsWriter {
  readonly #listStarts = new GrowingUint32();
  readonly #listFields = new GrowingBytes();
  readonly #entryStarts = new GrowingUint32();
  readonly documents: Uint32Array;
  readonly frequencies: Uint8Array;
  readonly #manyEntries: number[] = [];
  readonly #manyFrequencies: number[] = [];
  readonly positions: Uint8Array;
  readonly blockStarts: Uint32Array;
  /** Entries written so far, and bytes of their positions. Whoever writes entries into the arrays updates both. */
  entryCount = 0;
  positionBytes = 0;

  /** @param sources all entries written come from these, each at most once */
  constructor(sources: readonly PackedPostings[]) {
    const entries = sources.reduce((sum, { documents }) => sum + documents.length, 0);
    this.documents = new Uint32Array(entries);
    this.frequencies = new Uint8Array(entries);
    this.positions = new Uint8Array(sources.reduce((sum, { positions }) => sum + positions.length, 0));
    this.blockStarts = new Uint32Array(Math.ceil(entries / BLOCK));
  }

  beginTerm(): void {
    this.#listStarts.push(this.#listFields.length);
  }

  beginList(field: number): void {
    this.#listFields.push(field);
    this.#entryStarts.push(this.entryCount);
  }

  addMany(entry: number, frequency: number): void {
    this.#manyEntries.push(entry);
    this.#manyFrequencies.push(frequency);
  }

  /** Ends the writing. Arrays that are longer than what was written keep their memory. */
  end(): PackedPostings {
    this.#listStarts.push(this.#listFields.length);
    this.#entryStarts.push(this.entryCount);
    return {
      listStarts: this.#listStarts.values.slice(),
      listFields: this.#listFields.bytes.slice(),
      entryStarts: this.#entryStarts.values.slice(),
      documents: this.documents.subarray(0, this.entryCount),
      frequencies: this.frequencies.subarray(0, this.entryCount),
      manyEntries: Uint32Array.from(this.#manyEntries),
      manyFrequencies: Uint32Array.from(this.#manyFrequencies),
      positions: this.positions.subarray(0, this.positionBytes),
      blockStarts: this.blockStarts.subarray(0, Math.ceil(this.entryCount / BLOCK)),
    };
  }
}
