import type { DocumentNumber } from '../core/index.js';
import { amongCost, type DocumentSets, type Word } from './document-sets.js';
import { FILES, INNER } from './keyword-index.js';
import type { PackedPostings } from './packed-keywords.js';
import { PositionReader, Positions, type PostingList } from './posting-list.js';
import type { Phrase } from './question.js';
import type { Work } from './work.js';

/** What a search for phrases needs of a step. */
export interface PhraseStep {
  readonly phrases: readonly Phrase[];
  /** Whether file texts and the parts of words in PascalCase count. */
  readonly everywhere: boolean;
  /** The posting lists of all terms that answer a term of a phrase. */
  readonly listsOf: (term: string) => readonly PostingList[];
  /** Reads the positions of lists from the file. */
  readonly needPositions: (lists: readonly PostingList[]) => void;
}

/** A token of a phrase: its position in the phrase, and where the terms that answer it stand. */
interface PhraseToken {
  readonly position: number;
  readonly span: number;
  readonly lists: readonly PostingList[];
  /** Equal tokens share it, so a word that occurs several times is read once. */
  readonly occurrences: () => TokenOccurrences;
}

/** A phrase in one of the two spaces of positions: the files, or all other fields. */
interface PlacedPhrase {
  readonly length: number;
  /** In the order of their positions. */
  readonly tokens: readonly PhraseToken[];
  /** Documents that have each rare word of the phrase, ascending: no others can have the phrase. */
  readonly documents: Uint32Array;
  /** The first of these documents that was not looked at. */
  next: number;
}

/** Finds phrases by the positions of their terms. */
export class PhraseFinder {
  readonly #sets: DocumentSets;
  readonly #ends = new PhraseEnds();
  /** Whether there was not enough work for a document. What was found there may be wrong. */
  #isExhausted = false;
  /** Documents that are looked at. */
  #documentCount = 0;

  constructor(sets: DocumentSets) {
    this.#sets = sets;
  }

  /**
   * The documents that have all phrases. Without enough work for all documents, only the first of them are looked at.
   *
   * @param documents ascending
   */
  filter(documents: Uint32Array, step: PhraseStep, work: Work): Uint32Array {
    const { phrases, everywhere } = step;
    const isCore = (field: number): boolean => field < FILES && (everywhere || field !== INNER);
    const isFiles = (field: number): boolean => field === FILES;
    const [inCore, inFiles] = [this.#tokensFor(step, isCore, work), this.#tokensFor(step, isFiles, work)];
    let left = documents;
    const places: PlacedPhrase[][] = [];
    for (const phrase of phrases) {
      const spaces = everywhere ? [inCore(phrase), inFiles(phrase)] : [inCore(phrase)];
      const placed = spaces.map((tokens) => ({
        length: phrase.length,
        tokens,
        documents: this.#withAllPositions(left, tokens, phrase.length, work),
        next: 0,
      }));
      places.push(placed);
      left = unionOf(placed.map((place) => place.documents));
      if (left.length === 0) return left;
    }
    // The phrase that the fewest documents can have is looked for first.
    places.sort((a, b) => countOf(a) - countOf(b));
    this.#isExhausted = false;
    this.#documentCount = left.length;
    const found = new Uint32Array(left.length);
    let count = 0;
    for (let i = 0; i < left.length; i++) {
      const document = left[i]!;
      const isFound = this.#hasAll(document, places, work);
      if (this.#isExhausted) break;
      if (isFound) found[count++] = document;
    }
    this.#ends.trim();
    return found.subarray(0, count);
  }

  #hasAll(document: DocumentNumber, places: readonly PlacedPhrase[][], work: Work): boolean {
    for (let p = 0; p < places.length; p++) {
      let isFound = false;
      for (const place of places[p]!) {
        isFound = mayHave(place, document) && this.#hasPhrase(document, place, work);
        if (isFound) break;
      }
      if (!isFound) return false;
    }
    return true;
  }

  /**
   * Goes through the positions of the phrase in order. For each it knows where in the text the beginning of the phrase
   * up to there can end. In the phrase as in the text, a compound counts as a whole or as its parts.
   */
  #hasPhrase(document: DocumentNumber, { tokens, length }: PlacedPhrase, work: Work): boolean {
    const ends = this.#ends;
    ends.clear();
    let unneeded = 0;
    // The farthest position of the phrase that a beginning reaches.
    let farthest = 0;
    for (let t = 0; t < tokens.length; t++) {
      const { position, span, occurrences } = tokens[t]!;
      if (position > farthest) break;
      for (; unneeded < position; unneeded++) ends.forget(unneeded);
      if (position > 0 && !ends.any(position)) continue;
      const token = occurrences();
      const cost = token.seek(document);
      if (!work.affords(cost + token.seekCost)) {
        this.#isExhausted = true;
        return false;
      }
      if (cost === 0) continue;
      const { from, to, positions, spans } = token.read();
      for (let i = from; i < to; i++) {
        const inText = positions[i]!;
        if (position > 0 && !ends.has(position, inText)) continue;
        ends.add(position + span, inText + spans[i]!);
        if (position + span > farthest) farthest = position + span;
      }
    }
    return ends.any(length);
  }

  /** Reads the tokens of a phrase in one space of positions, in the order of their positions. */
  #tokensFor(
    { listsOf, needPositions, everywhere }: PhraseStep,
    isSearched: (field: number) => boolean,
    work: Work,
  ): (phrase: Phrase) => PhraseToken[] {
    const known = new Map<string, Pick<PhraseToken, 'lists' | 'occurrences'>>();
    const read = (term: string): Pick<PhraseToken, 'lists' | 'occurrences'> => {
      const lists = listsOf(term).filter(({ field }) => isSearched(field));
      const begin = (): TokenOccurrences => {
        needPositions(lists);
        const begun = occurrencesOf(lists, this.#documentCount, work);
        if (begun === undefined) this.#isExhausted = true;
        return begun ?? NOWHERE;
      };
      let begun: TokenOccurrences | undefined;
      const occurrences = (): TokenOccurrences => {
        begun ??= begin();
        return begun;
      };
      return { lists, occurrences };
    };
    return ({ tokens }) =>
      tokens
        .filter(({ kind }) => everywhere || kind !== 'inner')
        .map(({ term, position, span }) => {
          const token = known.get(term) ?? read(term);
          known.set(term, token);
          return { ...token, position, span };
        })
        .sort((a, b) => a.position - b.position);
  }

  /** Those of some documents that have, at each position of a phrase, a token that covers it, where these are rare. */
  #withAllPositions(documents: Uint32Array, tokens: readonly PhraseToken[], length: number, work: Work): Uint32Array {
    const words = new Map<readonly PostingList[], Word>();
    for (let position = 0; position < length; position++) {
      const covering = tokens.filter((token) => token.position <= position && position < token.position + token.span);
      const distinct = [...new Set(covering.map((token) => token.lists))];
      const lists = distinct.length === 1 ? distinct[0]! : [...new Set(distinct.flat())];
      words.set(lists, { lists, size: lists.reduce((sum, { size }) => sum + size, 0), key: undefined });
    }
    let found = documents;
    for (const word of [...words.values()].sort((a, b) => a.size - b.size)) {
      if (word.size === 0) return new Uint32Array();
      // Reading a frequent word for this takes longer than to look at more documents.
      if (word.size < found.length && work.saves(amongCost(found.length, word))) found = this.#sets.among(found, word);
    }
    return found;
  }
}

/** What takes the place of occurrences that are not afforded. */
const NOWHERE: TokenOccurrences = {
  seekCost: 0,
  seek: () => 0,
  read: () => {
    throw new Error('there is nothing to read');
  },
};

/** Whether a document is among those that can have a phrase. Documents must be asked for in ascending order. */
function mayHave(place: PlacedPhrase, document: DocumentNumber): boolean {
  const { documents } = place;
  while (place.next < documents.length && documents[place.next]! < document) place.next += 1;
  return documents[place.next] === document;
}

function countOf(places: readonly PlacedPhrase[]): number {
  return places.reduce((sum, { documents }) => sum + documents.length, 0);
}

/** The documents of any of some ascending lists, ascending. */
function unionOf(lists: readonly Uint32Array[]): Uint32Array {
  const [first, second] = lists;
  if (second === undefined || second.length === 0) return first!;
  if (first!.length === 0) return second;
  const all = new Uint32Array(first!.length + second.length);
  let [i, j, count] = [0, 0, 0];
  while (i < first!.length && j < second.length) {
    const [a, b] = [first![i]!, second[j]!];
    all[count++] = Math.min(a, b);
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  for (; i < first!.length; i++) all[count++] = first![i]!;
  for (; j < second.length; j++) all[count++] = second[j]!;
  return all.subarray(0, count);
}

/** Memory of longer texts is not kept: four bytes a position. Few texts have this many positions. */
const MAX_POSITIONS_KEPT = 1 << 20;

/**
 * Where in a text each beginning of a phrase can end, by the length of the beginning in positions.
 *
 * Notes are arrays by position in the text. A position is noted if it holds the mark of its length. Marks count
 * upwards, so nothing is cleared or allocated for a document. The notes of a length are reused as soon as nothing asks
 * for that length any more. Otherwise a long phrase would take the memory of as many texts as it has words.
 */
class PhraseEnds {
  /** By length; undefined if nothing is noted. */
  readonly #notes: (Uint32Array | undefined)[] = [];
  /** By length, for those that have notes: a number that was not used as a mark before. */
  readonly #marks: number[] = [];
  readonly #free: Uint32Array[] = [];
  /** The greatest length that may have notes. */
  #longest = 0;
  #lastMark = 0;

  /** Forgets everything. Call it for each document. */
  clear(): void {
    for (let length = 0; length <= this.#longest; length++) this.forget(length);
    this.#longest = 0;
    if (this.#lastMark < 2 ** 31) return;
    for (const notes of this.#free) notes.fill(0);
    this.#lastMark = 0;
  }

  /** Forgets everything, and frees the memory that only long texts need. */
  trim(): void {
    this.clear();
    const kept = this.#free.filter((notes) => notes.length <= MAX_POSITIONS_KEPT);
    this.#free.length = 0;
    this.#free.push(...kept);
  }

  /** Forgets where beginnings of a length end. */
  forget(length: number): void {
    const notes = this.#notes[length];
    if (notes === undefined) return;
    this.#free.push(notes);
    this.#notes[length] = undefined;
  }

  /** Notes that a beginning of a length can end before a position. */
  add(length: number, position: number): void {
    let notes = this.#notes[length];
    if (notes === undefined) {
      notes = this.#free.pop() ?? new Uint32Array(1024);
      while (this.#notes.length <= length) this.#notes.push(undefined);
      this.#notes[length] = notes;
      this.#marks[length] = ++this.#lastMark;
      if (length > this.#longest) this.#longest = length;
    }
    if (position >= notes.length) {
      const larger = new Uint32Array(2 * position);
      larger.set(notes);
      this.#notes[length] = larger;
      notes = larger;
    }
    notes[position] = this.#marks[length]!;
  }

  /** Whether a beginning of a length can end before a position. */
  has(length: number, position: number): boolean {
    return this.#notes[length]?.[position] === this.#marks[length];
  }

  /** Whether a beginning of a length can end anywhere. */
  any(length: number): boolean {
    return this.#notes[length] !== undefined;
  }
}

/** Where a word of a phrase stands in one document after the other. Documents must be asked for in ascending order. */
interface TokenOccurrences {
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
function occurrencesOf(lists: readonly PostingList[], documentCount: number, work: Work): TokenOccurrences | undefined {
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
