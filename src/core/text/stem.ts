import { stemmer } from 'stemmer';
import { foldAccents } from './characters.js';

const ENGLISH = /^[a-z]{3,}$/;

/**
 * The stem of a term: without accents, traditional Chinese characters simplified, then Porter's algorithm for terms
 * of plain Latin letters (M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980). Two terms are forms
 * of one word if their stems are equal.
 */
export function stemOf(term: string): string {
  const folded = foldAccents(term);
  return ENGLISH.test(folded) ? stemmer(folded) : folded;
}
