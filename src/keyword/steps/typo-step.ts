import { isUnspacedTerm } from '../../core/index.js';
import type { QuestionWord } from '../question.js';
import { asItStands, type Lookup } from './lookup.js';

/** Words of so many letters may be two edits away from what is meant, shorter ones one edit. */
const LONG_WORD = 8;

/**
 * The lookup of the step `typo`: words that occur nowhere stand for words a few edits away.
 *
 * @param misspelt the words that occur nowhere
 * @returns undefined if there are none
 */
export function typoLookup(misspelt: readonly QuestionWord[]): ((term: string) => Lookup) | undefined {
  if (misspelt.length === 0) return undefined;
  const terms = new Set(misspelt.flatMap((word) => word.terms));
  return (term) =>
    terms.has(term) && !isUnspacedTerm(term) ? { kind: 'edits', term, edits: editsAllowed(term) } : asItStands(term);
}

function editsAllowed(term: string): number {
  return [...term].length >= LONG_WORD ? 2 : 1;
}
