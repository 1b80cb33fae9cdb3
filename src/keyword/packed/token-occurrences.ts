import type { DocumentNumber } from '../../core/index.js';
import type { Work } from '../work.js';
import type { PackedPostings } from './packed-postings.js';
import { PositionReader, Positions } from './position-reader.js';
import type { PostingList } from './posting-list.js';

/** Where a word of a phrase stands in one document after the other. Documents must be asked for in ascending order. */
export interface TokenOccurrences {
  /**
   * Goes to a document.
   *
   * @returns the work of reading and comparing the positions there; 0 if the document does not have the word
   */
  seek(document: DocumentNumber): number;
  /** The positions in the document of {@link seek}, in no particular order. Valid until the next call. */
  read(): Positions;
  /** The work of {@link seek} itself. */
  readonly seekCost: number;
}

/** Up to so many lists are looked into for each document, however many documents there are. */
const FEW_LISTS = 8;

/** Looking a document up costs, positions aside, as much as reading this many postings: at least, and for each list. */
const SEEK_COST = 15;
const SEEK_COST_OF_A_LIST = 4;

/** Sorting a posting by document costs as much as reading this many. */
const SORTING_COST = 6;

/** Reading or comparing a position costs as much as reading this many postings. */
const POSITION_COST = 3;

/**
 * @param lists their positions must have been read from the file
 * @param documentCount of documents that may be asked for
 * @returns undefined if the work is not afforded
 */
export function occurrencesOf(
  lists: readonly PostingList[],
  documentCount: number,
  work: Work,
): TokenOccurrences | undefined {
  const size = lists.reduce((sum, list) => sum + list.size, 0);
  const seekCost = Math.max(SEEK_COST, lists.length * SEEK_COST_OF_A_LIST);
  if (lists.length <= FEW_LISTS || documentCount * seekCost < size * SORTING_COST) {
    return new FewLists(lists, seekCost);
  }
  if (!work.affords(size * SORTING_COST)) return undefined;
  let cost = 0;
  const readers = readersOf(lists);
  for (const list of lists) {
    cost += readers.get(list.stored)!.costOf(list.storedEntry(list.from));
    for (let entry = list.from + 1; entry < list.to; entry++) cost += list.frequencyOf(entry);
  }
  return work.affords(2 * cost * POSITION_COST) ? new ManyLists(lists, readers) : undefined;
}

/** A reader for each of the postings that some lists are stored in. */
function readersOf(lists: readonly PostingList[]): ReadonlyMap<PackedPostings, PositionReader> {
  const readers = new Map<PackedPostings, PositionReader>();
  for (const { stored } of lists) if (!readers.has(stored)) readers.set(stored, new PositionReader(stored));
  return readers;
}

interface ListCursor {
  readonly list: PostingList;
  readonly reader: PositionReader;
  entry: number;
  /** Document of the entry; infinity behind the last one. */
  document: DocumentNumber;
}

class FewLists implements TokenOccurrences {
  readonly seekCost: number;
  readonly #cursors: readonly ListCursor[];
  readonly #found = new Positions();
  #document = -1;
  #isRead = false;

  constructor(lists: readonly PostingList[], seekCost: number) {
    this.seekCost = seekCost;
    this.#cursors = lists.map((list) => ({
      list,
      reader: new PositionReader(list.stored),
      entry: list.from,
      document: list.documentAt(list.from),
    }));
  }

  seek(document: DocumentNumber): number {
    // The word may stand in the phrase several times, and in other phrases.
    if (document === this.#document && this.#isRead) return this.#found.to * POSITION_COST;
    this.#document = document;
    this.#isRead = false;
    let cost = 0;
    for (let c = 0; c < this.#cursors.length; c++) {
      const cursor = this.#cursors[c]!;
      if (cursor.document < document) advance(cursor, document);
      if (cursor.document === document) cost += cursor.reader.costOf(cursor.list.storedEntry(cursor.entry));
    }
    if (cost > 0) return cost * POSITION_COST;
    this.#found.to = 0;
    this.#isRead = true;
    return 0;
  }

  read(): Positions {
    if (this.#isRead) return this.#found;
    this.#found.to = 0;
    for (let c = 0; c < this.#cursors.length; c++) {
      const cursor = this.#cursors[c]!;
      if (cursor.document === this.#document) cursor.reader.read(cursor.list.storedEntry(cursor.entry), this.#found);
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

/**
 * Many lists, those of a beginning of words for example. All positions are read at once, in the order in which they are
 * stored: to find those of one entry takes as long as to read those of the 30 entries before it.
 */
class ManyLists implements TokenOccurrences {
  readonly seekCost: number = SEEK_COST;
  /** Where the positions of each document begin in {@link #found}; one more than there are documents. */
  readonly #starts: Uint32Array;
  readonly #found = new Positions();

  constructor(lists: readonly PostingList[], readers: ReadonlyMap<PackedPostings, PositionReader>) {
    let last = 0;
    for (const list of lists) last = Math.max(last, list.documentAt(list.to - 1));
    // A counting sort. At first, each start is the one of the document after it.
    const starts = new Uint32Array(last + 2);
    this.#starts = starts;
    for (const list of lists) {
      for (let entry = list.from; entry < list.to; entry++) {
        const document = list.documentAt(entry);
        starts[document + 1] = starts[document + 1]! + list.frequencyOf(entry);
      }
    }
    for (let document = 1; document < starts.length; document++) {
      starts[document] = starts[document]! + starts[document - 1]!;
    }
    this.#found.reserve(starts.at(-1)!);
    const ends = starts.slice();
    const { positions, spans } = this.#found;
    const read = new Positions();
    for (const list of lists) {
      const reader = readers.get(list.stored)!;
      for (let entry = list.from; entry < list.to; entry++) {
        const document = list.documentAt(entry);
        read.to = 0;
        reader.read(list.storedEntry(entry), read);
        const end = ends[document]!;
        for (let i = 0; i < read.to; i++) {
          positions[end + i] = read.positions[i]!;
          spans[end + i] = read.spans[i]!;
        }
        ends[document] = end + read.to;
      }
    }
  }

  seek(document: DocumentNumber): number {
    if (document + 1 >= this.#starts.length) return 0;
    this.#found.from = this.#starts[document]!;
    this.#found.to = this.#starts[document + 1]!;
    return (this.#found.to - this.#found.from) * POSITION_COST;
  }

  read(): Positions {
    return this.#found;
  }
}
