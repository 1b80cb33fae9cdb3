import type { Phrase } from '../question.js';
import { type PackedPostings, PositionReader, type PostingList } from './packed-postings.js';

const INNER = 4;
const FILES = 5;

/** A token of a phrase: where it stands in the phrase, and the lists of the terms that answer it. */
interface AskedToken {
  readonly position: number;
  readonly span: number;
  readonly lists: readonly PostingList[];
  /** Of each list the entry that was looked at last: documents come ascending. */
  readonly cursors: number[];
}

/** Keeps the documents in which words stand together, by the positions of their terms. */
export class PhraseFinder {
  readonly #positions: PositionReader;

  constructor(postings: PackedPostings) {
    this.#positions = new PositionReader(postings);
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
    const inCore = phrases.map((phrase) => askedTokens(phrase, listsOf, everywhere, (field) => field < FILES));
    const inFiles = phrases.map((phrase) => askedTokens(phrase, listsOf, everywhere, (field) => field === FILES));
    return numbers.filter((number) =>
      phrases.every(
        ({ length }, i) =>
          this.#standsIn(number, inCore[i] as AskedToken[], length) ||
          (everywhere && this.#standsIn(number, inFiles[i] as AskedToken[], length)),
      ),
    );
  }

  /**
   * Goes through the places of the phrase in order: at each it is known where in the text what comes before may end. A
   * compound may be read as a whole or part by part, in either.
   */
  #standsIn(number: number, tokens: readonly AskedToken[], length: number): boolean {
    const ends: Set<number>[] = Array.from({ length: length + 1 }, () => new Set());
    for (const { position, span, lists, cursors } of tokens) {
      const before = ends[position] as Set<number>;
      if (position > 0 && before.size === 0) continue;
      const after = ends[position + span] as Set<number>;
      for (let l = 0; l < lists.length; l++) {
        const list = lists[l] as PostingList;
        const entry = list.entryOf(number, cursors[l] as number);
        cursors[l] = entry;
        if (entry >= list.to || list.documentAt(entry) !== number) continue;
        this.#positions.read(list, entry, (at, covers) => {
          if (position === 0 || before.has(at)) after.add(at + covers);
        });
      }
    }
    return (ends[length] as Set<number>).size > 0;
  }
}

/** In the order of their positions. */
function askedTokens(
  { tokens }: Phrase,
  listsOf: (term: string) => PostingList[],
  everywhere: boolean,
  counts: (field: number) => boolean,
): AskedToken[] {
  return tokens
    .filter(({ kind }) => everywhere || kind !== 'inner')
    .map(({ term, position, span }) => {
      const lists = listsOf(term).filter(({ field }) => counts(field) && (everywhere || field !== INNER));
      for (const list of lists) list.needPositions();
      return { position, span, lists, cursors: lists.map(({ from }) => from) };
    })
    .sort((a, b) => a.position - b.position);
}
