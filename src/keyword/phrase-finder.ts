import { FILES, INNER } from './keyword-index.js';
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

/** Finding a document in a list costs as much as reading this many postings. */
const SEEK_COST = 4;

/** Reading or comparing a position costs as much as reading this many postings. */
const POSITION_COST = 3;

/**
 * The documents that have all phrases. Without enough work for all documents, only the first of them are looked at.
 *
 * @param documents ascending
 */
export function documentsWithPhrases(documents: Uint32Array, step: PhraseStep, work: Work): Uint32Array {
  const { phrases, everywhere } = step;
  const isCore = (field: number): boolean => field < FILES && (everywhere || field !== INNER);
  const isFiles = (field: number): boolean => field === FILES;
  // The files have positions of their own, all other fields share theirs: a phrase stands in one of the two.
  const fields = everywhere ? [isCore, isFiles] : [isCore];
  const budget = new Budget(work);
  const spaces = fields.map((isSearched) => tokensIn(documents, step, isSearched, budget));
  const wanted = phrases.map(({ length, tokens }) => spaces.map((read) => ({ length, tokens: read(tokens) })));
  const found = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    const hasAll = wanted.every((places) => places.some((place) => hasPhrase(i, place, budget)));
    // What was found without enough work may be wrong.
    if (budget.isSpent) break;
    if (hasAll) found[count++] = documents[i]!;
  }
  return found.subarray(0, count);
}

/** What is left of the work. */
class Budget {
  readonly #work: Work;
  isSpent = false;

  constructor(work: Work) {
    this.#work = work;
  }

  affords(units: number): boolean {
    if (!this.#work.affords(units)) this.isSpent = true;
    return !this.isSpent;
  }
}

/** A token of a phrase: its position in the phrase, and where the terms that answer it stand. */
interface PhraseToken {
  readonly position: number;
  readonly span: number;
  readonly occurrences: () => Occurrences;
}

/** A phrase in one of the two spaces of positions. Its tokens are in the order of their positions. */
interface PlacedPhrase {
  readonly length: number;
  readonly tokens: readonly PhraseToken[];
}

/** Finds the occurrences of tokens in some fields of documents, of equal tokens once, when they are first needed. */
function tokensIn(
  documents: Uint32Array,
  { everywhere, listsOf, needPositions }: PhraseStep,
  isSearched: (field: number) => boolean,
  budget: Budget,
): (tokens: Phrase['tokens']) => PhraseToken[] {
  const known = new Map<string, Occurrences>();
  const occurrencesOf = (term: string): Occurrences => {
    let occurrences = known.get(term);
    if (occurrences === undefined) {
      const lists = listsOf(term).filter(({ field }) => isSearched(field));
      const cost = lists.reduce((sum, { size }) => sum + Math.min(size, documents.length * SEEK_COST), 0);
      occurrences = new Occurrences(budget.affords(cost) ? lists : [], documents, needPositions);
      known.set(term, occurrences);
    }
    return occurrences;
  };
  return (tokens) =>
    tokens
      .filter(({ kind }) => everywhere || kind !== 'inner')
      .map(({ term, position, span }) => {
        let own: Occurrences | undefined;
        const occurrences = (): Occurrences => {
          own ??= occurrencesOf(term);
          return own;
        };
        return { position, span, occurrences };
      })
      .sort((a, b) => a.position - b.position);
}

const read = new Positions();

/**
 * Goes through the positions of the phrase in order. For each it notes where in the text the beginning of the phrase up
 * to there can end. In the phrase as in the text, a compound counts as a whole or as its parts.
 *
 * @param place of the document
 */
function hasPhrase(place: number, { tokens, length }: PlacedPhrase, budget: Budget): boolean {
  // The farthest position of the phrase that a beginning may reach; first without a look at the positions in the text.
  let farthest = 0;
  for (const { position, span, occurrences } of tokens) {
    if (position > farthest) return false;
    if (position + span > farthest && occurrences().includes(place)) farthest = position + span;
  }
  if (farthest < length) return false;
  /** By length of a beginning. Those that nothing asks for any more are forgotten: a text may be long. */
  const ends: (Set<number> | undefined)[] = [];
  let unneeded = 0;
  farthest = 0;
  for (const { position, span, occurrences } of tokens) {
    if (position > farthest) return false;
    while (unneeded < position) ends[unneeded++] = undefined;
    const begun = ends[position];
    if (position > 0 && begun === undefined) continue;
    if (!occurrences().read(place, read, budget)) return false;
    const end = position + span;
    for (let i = 0; i < read.to; i++) {
      const inText = read.positions[i]!;
      if (position > 0 && !begun!.has(inText)) continue;
      if (end === length) return true;
      ends[end] ??= new Set();
      ends[end].add(inText + read.spans[i]!);
      if (end > farthest) farthest = end;
    }
  }
  return false;
}

/** Where a token of a phrase stands in some documents. */
class Occurrences {
  /** By place among the documents, the number of its last link; 0 if the document does not have the token. */
  readonly #links: Uint32Array;
  // By number of a link: the entry, what reads it, and the next link of the same document.
  readonly #entries: number[] = [0];
  readonly #readers: (PositionReader | undefined)[] = [undefined];
  readonly #next: number[] = [0];

  constructor(
    lists: readonly PostingList[],
    documents: Uint32Array,
    needPositions: (lists: readonly PostingList[]) => void,
  ) {
    this.#links = new Uint32Array(documents.length);
    needPositions(lists);
    for (const list of lists) {
      const reader = new PositionReader(list.stored);
      list.visitAmong(documents, (place, entry) => {
        this.#next.push(this.#links[place]!);
        this.#links[place] = this.#entries.length;
        this.#entries.push(list.storedEntry(entry));
        this.#readers.push(reader);
      });
    }
  }

  /** Whether a document has the token. */
  includes(place: number): boolean {
    return this.#links[place] !== 0;
  }

  /**
   * Reads the positions in a document, in no particular order.
   *
   * @returns false if the work is not afforded
   */
  read(place: number, into: Positions, budget: Budget): boolean {
    into.to = 0;
    for (let link = this.#links[place]!; link !== 0; link = this.#next[link]!) {
      const [reader, entry] = [this.#readers[link]!, this.#entries[link]!];
      if (!budget.affords(POSITION_COST * (reader.costOf(entry) + 1))) return false;
      reader.read(entry, into);
    }
    return true;
  }
}
