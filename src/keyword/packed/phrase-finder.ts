import type { DocumentNumber } from '../../core/index.js';
import { FILES, INNER } from '../index-fields.js';
import type { Phrase } from '../question.js';
import type { Work } from '../work.js';
import { amongCost, type DocumentSets, type Word } from './document-sets.js';
import { PhraseEnds } from './phrase-ends.js';
import type { PostingList } from './posting-list.js';
import { occurrencesOf, type TokenOccurrences } from './token-occurrences.js';

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
