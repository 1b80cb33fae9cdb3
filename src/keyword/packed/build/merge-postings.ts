import { GrowingBytes, GrowingUint32 } from '../../../arrays/growing-array.js';
import { BLOCK, MANY, type PackedPostings } from '../packed-postings.js';
import { DROPPED } from './dropped.js';

/** Instead of the next document of a list that has none left. */
const NONE = DROPPED;

/** Postings that go into others. */
interface PostingsPart {
  readonly postings: PackedPostings;
  /** The number that each document gets: ascending, or {@link DROPPED}. */
  readonly documentOf: Uint32Array;
  /** The number that each term gets: ascending, or {@link DROPPED} where all documents are that have it. */
  readonly numberOf: Uint32Array;
}

/**
 * One of several postings. All of them are gone through once, from their beginning to their end.
 *
 * @param terms how many terms there are in the end
 */
export function mergePostings(parts: readonly PostingsPart[], terms: number): PackedPostings {
  const cursors = parts.map((part) => new PartCursor(part));
  const writer = new PostingsWriter(parts);
  const having: PartCursor[] = [];
  for (let term = 0; term < terms; term++) {
    having.length = 0;
    for (const cursor of cursors) if (cursor.goTo(term)) having.push(cursor);
    writer.beginTerm();
    const [only] = having;
    if (having.length === 1 && only !== undefined) copyLists(only, writer);
    else mergeLists(having, writer);
  }
  return writer.end();
}

/** Those of a term that one part has. */
function copyLists(cursor: PartCursor, writer: PostingsWriter): void {
  for (; cursor.field !== NONE; cursor.nextList()) {
    writer.beginList(cursor.field);
    cursor.copyBelow(NONE, writer);
  }
}

/** Those of a term that several parts have. */
function mergeLists(cursors: readonly PartCursor[], writer: PostingsWriter): void {
  for (;;) {
    const field = cursors.reduce((lowest, cursor) => Math.min(lowest, cursor.field), NONE);
    if (field === NONE) return;
    const having = cursors.filter((cursor) => cursor.field === field);
    writer.beginList(field);
    mergeList(having, writer);
    for (const cursor of having) cursor.nextList();
  }
}

/** Those of one term and field, in the order of documents. */
function mergeList(cursors: readonly PartCursor[], writer: PostingsWriter): void {
  for (;;) {
    let lowest: PartCursor | undefined;
    // Up to where no other part has a document.
    let below = NONE;
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

/** Goes through the entries of postings, list by list. */
class PartCursor {
  readonly #postings: PackedPostings;
  readonly #documentOf: Uint32Array;
  readonly #numberOf: Uint32Array;
  #term = 0;
  #list = 0;
  /** Behind the last list of the term that is read. */
  #lastList = 0;
  // The next entry, its places, and the next of those with many.
  #entry = 0;
  #byte = 0;
  #many = 0;
  /** New number of the next document of the list, or {@link NONE}. */
  next: number = NONE;

  constructor({ postings, documentOf, numberOf }: PostingsPart) {
    this.#postings = postings;
    this.#documentOf = documentOf;
    this.#numberOf = numberOf;
  }

  /** Goes to the lists of a term, given by its new number; all before it must have been read. */
  goTo(term: number): boolean {
    while (this.#numberOf[this.#term] === DROPPED) {
      this.#beginTerm();
      while (this.#list < this.#lastList) this.nextList();
    }
    if (this.#numberOf[this.#term] !== term) return false;
    this.#beginTerm();
    return true;
  }

  #beginTerm(): void {
    this.#term += 1;
    this.#lastList = this.#postings.listStarts[this.#term]!;
    this.#skipDropped();
    this.#skipEmpty();
  }

  /** Of the list; {@link NONE} where the term has no other. */
  get field(): number {
    return this.#list < this.#lastList ? this.#postings.listFields[this.#list]! : NONE;
  }

  /** Goes to the next list of the term that has a document. */
  nextList(): void {
    this.#list += 1;
    this.#skipDropped();
    this.#skipEmpty();
  }

  #skipEmpty(): void {
    while (this.#list < this.#lastList && this.next === NONE) {
      this.#list += 1;
      this.#skipDropped();
    }
  }

  /** Goes to the next entry of the list whose document is kept. */
  #skipDropped(): void {
    this.next = NONE;
    if (this.#list >= this.#lastList) return;
    const { documents, entryStarts } = this.#postings;
    const end = entryStarts[this.#list + 1]!;
    for (; this.#entry < end; this.#entry++) {
      this.next = this.#documentOf[documents[this.#entry]!]!;
      if (this.next !== DROPPED) return;
      this.#byte = endOfPlaces(this.#postings.positions, this.#byte, this.#takeFrequency());
    }
  }

  #takeFrequency(): number {
    const frequency = this.#postings.frequencies[this.#entry]!;
    return frequency === MANY ? this.#postings.manyFrequencies[this.#many++]! : frequency;
  }

  /** Copies the entries of the list whose documents have lower new numbers; there is one. */
  copyBelow(limit: number, writer: PostingsWriter): void {
    const { documents, frequencies, manyFrequencies, positions, entryStarts } = this.#postings;
    const documentOf = this.#documentOf;
    const end = entryStarts[this.#list + 1]!;
    let [entry, byte, next] = [this.#entry, this.#byte, this.next];
    let [to, toByte] = [writer.entries, writer.bytes];
    do {
      let frequency = frequencies[entry]!;
      writer.documents[to] = next;
      writer.frequencies[to] = frequency;
      if (frequency === MANY) {
        frequency = manyFrequencies[this.#many++]!;
        writer.addMany(to, frequency);
      }
      if (to % BLOCK === 0) writer.blockStarts[to / BLOCK] = toByte;
      for (const endByte = endOfPlaces(positions, byte, frequency); byte < endByte; byte++) {
        writer.positions[toByte++] = positions[byte]!;
      }
      to += 1;
      entry += 1;
      next = NONE;
      while (entry < end) {
        next = documentOf[documents[entry]!]!;
        if (next !== DROPPED) break;
        this.#entry = entry;
        byte = endOfPlaces(positions, byte, this.#takeFrequency());
        entry += 1;
      }
    } while (next < limit);
    [this.#entry, this.#byte, this.next] = [entry, byte, next];
    [writer.entries, writer.bytes] = [to, toByte];
  }
}

/** Where the places of an entry end: each is a number, and another where its lowest bit is set. */
function endOfPlaces(positions: Uint8Array, start: number, frequency: number): number {
  let at = start;
  for (let left = frequency; left > 0; left--) {
    const hasSpan = positions[at]! % 2 === 1;
    while (positions[at++]! > 127);
    if (hasSpan) while (positions[at++]! > 127);
  }
  return at;
}

/** Puts entries one behind the other, list by list. */
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
  /** How many entries there are, and how many bytes of places: who copies many at once writes both. */
  entries = 0;
  bytes = 0;

  /** @param parts nothing of theirs comes twice */
  constructor(parts: readonly PostingsPart[]) {
    const entries = parts.reduce((sum, { postings }) => sum + postings.documents.length, 0);
    this.documents = new Uint32Array(entries);
    this.frequencies = new Uint8Array(entries);
    this.positions = new Uint8Array(parts.reduce((sum, { postings }) => sum + postings.positions.length, 0));
    this.blockStarts = new Uint32Array(Math.ceil(entries / BLOCK));
  }

  beginTerm(): void {
    this.#listStarts.push(this.#listFields.length);
  }

  beginList(field: number): void {
    this.#listFields.push(field);
    this.#entryStarts.push(this.entries);
  }

  addMany(entry: number, frequency: number): void {
    this.#manyEntries.push(entry);
    this.#manyFrequencies.push(frequency);
  }

  /** Arrays that are longer than what was written keep their memory. */
  end(): PackedPostings {
    this.#listStarts.push(this.#listFields.length);
    this.#entryStarts.push(this.entries);
    return {
      listStarts: this.#listStarts.values.slice(),
      listFields: this.#listFields.bytes.slice(),
      entryStarts: this.#entryStarts.values.slice(),
      documents: this.documents.subarray(0, this.entries),
      frequencies: this.frequencies.subarray(0, this.entries),
      manyEntries: Uint32Array.from(this.#manyEntries),
      manyFrequencies: Uint32Array.from(this.#manyFrequencies),
      positions: this.positions.subarray(0, this.bytes),
      blockStarts: this.blockStarts.subarray(0, Math.ceil(this.entries / BLOCK)),
    };
  }
}
