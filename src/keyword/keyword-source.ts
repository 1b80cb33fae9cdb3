import type { DocumentNumber, TermNumber } from '../core/index.js';
import type { LengthNorms } from './bm25.js';
import { type CountedText, FILES } from './keyword-index.js';
import type { Lookup } from './plan-steps.js';
import type { PostingList } from './posting-list.js';
import type { Work } from './work.js';

/**
 * What an index answers from: packed segments, or words in memory. A term that several segments have has several
 * numbers, one in each.
 */
export interface KeywordSource {
  /**
   * The terms that match a lookup, each number once. They may be terms that only documents have which are gone.
   *
   * @param work without it, nothing is left out
   * @returns undefined if the work is not afforded
   */
  find(lookup: Lookup, work?: Work): readonly TermNumber[] | undefined;
  termAt(term: TermNumber): string;
  /** Whether a term has accents: it differs from its form. */
  isAccented(term: TermNumber): boolean;
  /**
   * Appends the posting lists of some terms, none of them empty. Those of a term are neighbours.
   *
   * @param lastField the last field that counts
   * @param termOf the term of each list is appended to it
   */
  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf?: TermNumber[]): void;
  /** Reads the frequencies of some lists if they are still in the file. */
  needFrequencies(lists: readonly PostingList[]): void;
  /** Reads the positions, and the frequencies, of some lists if they are still in the file. */
  needPositions(lists: readonly PostingList[]): void;
  /** By scored field. */
  readNorms(): readonly LengthNorms[];
  /** Documents by the key of their names, or of the beginnings of these, ascending; some may have another key. */
  documentsOf(table: 'names' | 'beginnings', key: string): readonly DocumentNumber[];
  /** See `KeywordIndex.wordsBeginning`. */
  wordsBeginning(letters: string, limit: number): readonly CountedTerm[];
  /** See `KeywordIndex.namesBeginning`. */
  namesBeginning(text: string, limit: number): readonly CountedText[];
}

/** A word with its numbers. */
export interface CountedTerm extends CountedText {
  readonly terms: readonly TermNumber[];
}

/** The posting lists of some terms. */
export function listsOf(
  source: Pick<KeywordSource, 'addLists'>,
  terms: readonly TermNumber[],
  lastField: number = FILES,
): PostingList[] {
  const lists: PostingList[] = [];
  source.addLists(terms, lastField, lists);
  return lists;
}
