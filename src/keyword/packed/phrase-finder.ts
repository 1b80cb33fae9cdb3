import { FILES, INNER } from '../index-fields.js';
import type { Phrase } from '../question.js';
import { type PackedPostings, PositionReader, type PostingList } from './packed-postings.js';

/** A list of a token's terms, and how far it was gone through: documents come ascending. */
interface ListCursor {
  readonly list: PostingList;
  readonly reader: PositionReader;
  entry: number;
  /** Document of the entry; past all documents behind the last. */
  document: number;
}

/** A token of a phrase: where it stands in the phrase, and the lists of the terms that answer it. */
interface AskedToken {
  readonly position: number;
  readonly span: number;
  readonly cursors: readonly ListCursor[];
}

/** Keeps the documents in which words stand together, by the positions of their terms. */
export class PhraseFinder {
  readonly #postings: PackedPostings;
  readonly #ends = new PhraseEnds();

  constructor(postings: PackedPostings) {
    this.#postings = postings;
  }

  /**
   * @param numbers documents, ascending
   * @param listsOf the lists of all terms that answer a term
   * @param everywhere whether file text and the parts of words in PascalCase count
   */
  filter(
    numbers: Uint32Array,
    phrases: readonly Phrase[],
    listsOf: (term: string) => PostingList[],
    everywhere: boolean,
  ): Uint32Array {
    let found = numbers;
    for (const phrase of phrases) {
      const inCore = this.#askedTokens(
        phrase,
        listsOf,
        everywhere,
        (field) => field < FILES && (everywhere || field !== INNER),
      );
      const inFiles = everywhere ? this.#askedTokens(phrase, listsOf, everywhere, (field) => field === FILES) : [];
      const { length } = phrase;
      found = found.filter(
        (number) => this.#standsIn(number, inCore, length) || (everywhere && this.#standsIn(number, inFiles, length)),
      );
    }
    this.#ends.trim();
    return found;
  }

  /**
   * Goes through the places of the phrase in order: at each it is known where in the text what comes before may end. A
   * compound may be read as a whole or part by part, in either.
   */
  #standsIn(number: number, tokens: readonly AskedToken[], length: number): boolean {
    const ends = this.#ends;
    ends.clear();
    let asked = 0;
    for (let t = 0; t < tokens.length; t++) {
      const { position, span, cursors } = tokens[t]!;
      for (; asked < position; asked++) ends.forget(asked);
      if (position > 0 && !ends.any(position)) continue;
      for (let c = 0; c < cursors.length; c++) {
        const cursor = cursors[c]!;
        if (cursor.document < number) advance(cursor, number);
        if (cursor.document !== number) continue;
        const { reader } = cursor;
        const count = reader.read(cursor.entry);
        const { places, spans } = reader;
        for (let i = 0; i < count; i++) {
          const place = places[i]!;
          if (position === 0 || ends.has(position, place)) ends.add(position + span, place + spans[i]!);
        }
      }
    }
    return ends.any(length);
  }

  /** In the order of their positions. */
  #askedTokens(
    { tokens }: Phrase,
    listsOf: (term: string) => PostingList[],
    everywhere: boolean,
    counts: (field: number) => boolean,
  ): AskedToken[] {
    // A word that stands in the phrase several times is read once.
    const cursorsOf = new Map<string, ListCursor[]>();
    const cursorsFor = (term: string): ListCursor[] => {
      const lists = listsOf(term).filter(({ field }) => counts(field));
      return lists.map((list) => {
        const reader = new PositionReader(this.#postings, list);
        return { list, reader, entry: list.from, document: list.documentAt(list.from) };
      });
    };
    return tokens
      .filter(({ kind }) => everywhere || kind !== 'inner')
      .map(({ term, position, span }) => {
        const cursors = cursorsOf.get(term) ?? cursorsFor(term);
        cursorsOf.set(term, cursors);
        return { position, span, cursors };
      })
      .sort((a, b) => a.position - b.position);
  }
}

/** Goes on to a document, or to the one behind it. */
function advance(cursor: ListCursor, number: number): void {
  const { list } = cursor;
  cursor.entry = list.entryOf(number, cursor.entry);
  cursor.document = cursor.entry < list.to ? list.documentAt(cursor.entry) : Number.POSITIVE_INFINITY;
}

/** Positions of a text up to which the memory for them is kept: four bytes each. Few texts are that long. */
const POSITIONS_KEPT = 1 << 20;

/**
 * Where in a text each beginning of a phrase may end, by the length of the beginning. What was noted is forgotten by
 * counting on, so that nothing is made or cleared for a document; and it is written over as soon as nobody asks for its
 * length any more, else a long phrase would take the memory of as many texts as it has words.
 */
class PhraseEnds {
  /** By length, by position in the text: the mark of the length where a beginning may end. */
  readonly #notes: (Uint32Array | undefined)[] = [];
  /** By length, for those that have notes: a number that was no mark before. */
  readonly #marks: number[] = [];
  readonly #free: Uint32Array[] = [];
  /** The greatest length that may have notes. */
  #longest = 0;
  #lastMark = 0;

  /** Forgets all; to be called for each document. */
  clear(): void {
    for (let length = 0; length <= this.#longest; length++) this.forget(length);
    this.#longest = 0;
    if (this.#lastMark < 2 ** 31) return;
    for (const notes of this.#free) notes.fill(0);
    this.#lastMark = 0;
  }

  /** Forgets all, and lets go of memory that few texts need. */
  trim(): void {
    this.clear();
    const kept = this.#free.filter((notes) => notes.length <= POSITIONS_KEPT);
    this.#free.length = 0;
    this.#free.push(...kept);
  }

  /** Forgets the beginnings of a length. */
  forget(length: number): void {
    const notes = this.#notes[length];
    if (notes === undefined) return;
    this.#free.push(notes);
    this.#notes[length] = undefined;
  }

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

  has(length: number, position: number): boolean {
    return this.#notes[length]?.[position] === this.#marks[length];
  }

  any(length: number): boolean {
    return this.#notes[length] !== undefined;
  }
}
