import type { TermNumber } from '../../core/index.js';
import type { Lookup } from '../steps/lookup.js';
import type { Work } from '../work.js';

/** The terms of an index. A term that several segments have has several numbers, one in each. */
export interface TermSource {
  /**
   * The terms that match a lookup, each number once.
   *
   * @param work without it, nothing is left out
   * @returns undefined if the work is not afforded
   */
  find(lookup: Lookup, work?: Work): readonly TermNumber[] | undefined;
  /** Whether any document has a term that matches a lookup. False if the work is not afforded. */
  occurs(lookup: Lookup, work: Work): boolean;
  termAt(term: TermNumber): string;
  /** Whether a term has accents: it differs from its form. */
  isAccented(term: TermNumber): boolean;
}
