import type { TermNumber } from '../../core/index.js';
import type { PostingList } from '../posting-list.js';

/** Reads posting lists from where they are. None of them is empty. */
export interface ListReader {
  /**
   * The posting lists of a term.
   *
   * @param lastField the last field that counts
   */
  listsOf(term: TermNumber, lastField: number): PostingList[];
  /**
   * Appends the posting lists of some terms. Those of a term are neighbours.
   *
   * @param lastField the last field that counts
   * @param termOf the term of each list is appended to it
   */
  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void;
  /** Reads the frequencies of some lists if they are still in the file. */
  needFrequencies(lists: readonly PostingList[]): void;
  /** Reads the positions, and the frequencies, of some lists if they are still in the file. */
  needPositions(lists: readonly PostingList[]): void;
}
