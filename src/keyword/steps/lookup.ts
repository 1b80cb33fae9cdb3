import { isSingleCharacter } from '../question.js';

/** Which terms of the catalogue answer a term of the question. */
export type Lookup =
  /** Terms with the same stem. */
  | { readonly kind: 'stem'; readonly term: string }
  /** Terms that begin with the term, accents ignored. None of the `UNSPACED_SCRIPTS`. */
  | { readonly kind: 'prefix'; readonly term: string }
  /** Forms of terms that are at most so many edits away, accents ignored. */
  | { readonly kind: 'edits'; readonly term: string; readonly edits: number }
  /** Pairs and single characters that begin with this character. */
  | { readonly kind: 'character'; readonly term: string };

/** The usual lookup: by stem; for a single character of the `UNSPACED_SCRIPTS` also inside its pairs. */
export function asItStands(term: string): Lookup {
  return { kind: isSingleCharacter(term) ? 'character' : 'stem', term };
}
