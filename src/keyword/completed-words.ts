import { isUnspacedTerm } from '../core/index.js';
import { FIELDS } from './index-fields.js';

/** The fields whose words complete what somebody types: what is in the text of files only is rarely meant. */
export const COMPLETED_FIELDS: readonly number[] = ['name', 'labels', 'description'].map((field) =>
  (FIELDS as readonly string[]).indexOf(field),
);

/** Longer terms are no words that somebody types. */
const LONGEST_WORD = 40;

const LETTER = /\p{L}/u;

/** Digests and the like. */
const HEXADECIMAL = /^(?=.*\d)[\da-f]{8,}$/;

/**
 * Whether a term may complete a word: it has a letter, is not very long, not a hexadecimal number, and no pair of
 * characters.
 */
export function completesWords(term: string): boolean {
  return term.length <= LONGEST_WORD && LETTER.test(term) && !HEXADECIMAL.test(term) && !isUnspacedTerm(term);
}
