import { isUnspacedTerm } from '../../core/index.js';
import type { Question } from '../question.js';
import { asItStands, type Lookup } from './lookup.js';

/** A shorter last word would be the beginning of too many words. */
const MIN_PREFIX_LETTERS = 3;

/**
 * The lookup of the step `prefix`: the last word may be the beginning of a word.
 *
 * @returns undefined if the last word is too short, or of the `UNSPACED_SCRIPTS`
 */
export function prefixLookup({ lastWord }: Question): ((term: string) => Lookup) | undefined {
  const beginnings = new Set(lastWord?.terms.filter(mayBeBeginning));
  if (beginnings.size === 0) return undefined;
  return (term) => (beginnings.has(term) ? { kind: 'prefix', term } : asItStands(term));
}

function mayBeBeginning(term: string): boolean {
  return !isUnspacedTerm(term) && [...term].length >= MIN_PREFIX_LETTERS;
}
