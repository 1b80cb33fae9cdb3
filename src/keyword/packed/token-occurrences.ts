import type { DocumentNumber } from '../../numbers.js';
import type { PackedPostings } from './packed-postings.js';
import { PositionReader, Positions } from './position-reader.js';
import type { PostingList } from './posting-list.js';

/** Where a word of a phrase stands in one document after the other. Documents must be asked for in ascending order. */
export interface TokenOccurrences {
  /**
   * Goes to a document.
   *
   * @returns how many positions must be read or compared there; 0 if the document does not have the word
   */
  seek(document: DocumentNumber): number;
  /** The positions in the document of {@link seek}, in no particular order. Valid until the next call. */
  read(): Positions;
}

/** With more lists than this, looking into each for each document takes longer than sorting all entries. */
const FEW_LISTS = 8;

/** Whether all entries of so many lists are sorted before the first is read. */
export function areSorted(lists: readonly PostingList[]): boolean {
  return lists.length > FEW_LISTS;
}

/** @param lists their positions must have been read from the file */
export function occurrencesOf(lists: readonly PostingList[], postings: PackedPostings): TokenOccurrences {
  return areSorted(lists) ? new ManyLists(lists, postings) : new FewLists(lists, postings);
}

interface ListCursor {
  readonly list: PostingList;
  readonly reader: PositionReader;
  entry: number;
  /** Document of the entry; infinity behind the last one. */
  document: DocumentNumber;
}

class FewLists implements TokenOccurrences {
  readonly #cursors: readonly ListCursor[];
  readonly #found = new Positions();
  #document = -1;
  #isRead = false;

  constructor(lists: readonly PostingList[], postings: PackedPostings) {
    this.#cursors = lists.map((list) => ({
      list,
      reader: new PositionReader(postings),
      entry: list.from,
      document: list.documentAt(list.from),
    }));
  }

  seek(document: DocumentNumber): number {
    // The word may stand in the phrase several times, and in other phrases.
    if (document === this.#document && this.#isRead) return this.#found.count;
    this.#document = document;
    this.#isRead = false;
    let cost = 0;
    for (let c = 0; c < this.#cursors.length; c++) {
      const cursor = this.#cursors[c]!;
      if (cursor.document < document) advance(cursor, document);
      if (cursor.document === document) cost += cursor.reader.costOf(cursor.entry);
    }
    if (cost > 0) return cost;
    this.#found.count = 0;
    this.#isRead = true;
    return 0;
  }

  read(): Positions {
    if (this.#isRead) return this.#found;
    this.#found.count = 0;
    for (let c = 0; c < this.#cursors.length; c++) {
      const cursor = this.#cursors[c]!;
      if (cursor.document === this.#document) cursor.reader.read(cursor.entry, this.#found);
    }
    this.#isRead = true;
    return this.#found;
  }
}

/** Goes to the entry of a document, or of the next document behind it. */
function advance(cursor: ListCursor, document: DocumentNumber): void {
  const { list } = cursor;
  cursor.entry = list.entryOf(document, cursor.entry);
  cursor.document = cursor.entry < list.to ? list.documentAt(cursor.entry) : Number.POSITIVE_INFINITY;
}

/** The entries of many lists, of a beginning of words for example, sorted by document. */
class ManyLists implements TokenOccurrences {
  /** Where the entries of each document begin in `#entries`; one more than there are documents. */
  readonly #starts: Uint32Array;
  readonly #entries: Uint32Array;
  readonly #reader: PositionReader;
  readonly #found = new Positions();
  #document = -1;
  #isRead = false;

  constructor(lists: readonly PostingList[], postings: PackedPostings) {
    this.#reader = new PositionReader(postings);
    const { documents } = postings;
    let [size, last] = [0, 0];
    for (const list of lists) {
      size += list.size;
      last = Math.max(last, documents[list.to - 1]!);
    }
    // Counting sort. Behind the counting, each start is that of the next document; the filling sets it right.
    this.#starts = new Uint32Array(last + 2);
    this.#entries = new Uint32Array(size);
    for (const { from, to } of lists) for (let entry = from; entry < to; entry++) this.#starts[documents[entry]!]! += 1;
    let sum = 0;
    for (let document = 0; document < this.#starts.length; document++) {
      sum += this.#starts[document]!;
      this.#starts[document] = sum;
    }
    for (let l = lists.length - 1; l >= 0; l--) {
      const { from, to } = lists[l]!;
      for (let entry = from; entry < to; entry++) {
        const start = this.#starts[documents[entry]!]! - 1;
        this.#starts[documents[entry]!] = start;
        this.#entries[start] = entry;
      }
    }
  }

  seek(document: DocumentNumber): number {
    if (document === this.#document && this.#isRead) return this.#found.count;
    this.#document = document;
    this.#isRead = false;
    let cost = 0;
    const end = this.#endOf(document);
    for (let i = this.#startOf(document); i < end; i++) cost += this.#reader.costOf(this.#entries[i]!);
    if (cost > 0) return cost;
    this.#found.count = 0;
    this.#isRead = true;
    return 0;
  }

  read(): Positions {
    if (this.#isRead) return this.#found;
    this.#found.count = 0;
    const end = this.#endOf(this.#document);
    for (let i = this.#startOf(this.#document); i < end; i++) this.#reader.read(this.#entries[i]!, this.#found);
    this.#isRead = true;
    return this.#found;
  }

  #startOf(document: DocumentNumber): number {
    return this.#starts[document] ?? this.#entries.length;
  }

  #endOf(document: DocumentNumber): number {
    return this.#starts[document + 1] ?? this.#entries.length;
  }
}
