import type { KeywordStep } from '../result.js';
import { isUnspacedTerm } from '../text/characters.js';
import { isPartKind } from '../text/words.js';
import { editsAllowed } from './edit-distance.js';
import { isSingleCharacter, type Phrase, type Question, type QuestionWord } from './question.js';

/** Which terms of the catalogue answer a term of the question. */
export type Lookup =
  /** terms with the same stem */
  | { readonly kind: 'stem'; readonly term: string }
  /** terms that begin so, accents ignored; none of a text without spaces */
  | { readonly kind: 'prefix'; readonly term: string }
  /** forms of the terms that are at most so many edits away, accents ignored */
  | { readonly kind: 'edits'; readonly term: string; readonly edits: number }
  /** pairs and characters that begin with this character */
  | { readonly kind: 'character'; readonly term: string };

/** What one step asks of an index. */
export interface StepPlan {
  readonly step: KeywordStep;
  readonly words: readonly QuestionWord[];
  /** They must stand together, each word answered by `lookup`. */
  readonly phrases: readonly Phrase[];
  readonly lookup: (term: string) => Lookup;
  /** Whether file text and the parts of words in PascalCase count. */
  readonly everywhere: boolean;
  /** Whether all words are required, or at least half of the weight of those that occur. */
  readonly required: 'all' | 'half';
}

/** Letters from which on the last word may be the beginning of a word. */
const MIN_PREFIX_LETTERS = 3;

/**
 * The plans of the steps, in order, each made only when the one before found nothing.
 *
 * @param occurs whether anything in the catalogue answers a lookup
 */
export function* planSteps(question: Question, occurs: (lookup: Lookup) => boolean): Generator<StepPlan> {
  const { looseWords, phrases } = question;
  const every = { phrases, lookup: asItStands, required: 'all' } as const;
  yield { step: 'all-words', words: question.words, everywhere: false, ...every };
  yield { step: 'file-text', words: looseWords, everywhere: true, ...every };

  const beginnings = new Set(question.lastWord?.terms.filter(mayBeBeginning));
  if (beginnings.size > 0) {
    const lookup = (term: string): Lookup => (beginnings.has(term) ? { kind: 'prefix', term } : asItStands(term));
    yield { step: 'prefix', words: looseWords, everywhere: true, ...every, lookup };
  }

  const wordOccurs = (word: QuestionWord): boolean => word.terms.some((term) => occurs(asItStands(term)));
  const misspelt = new Set(looseWords.filter((word) => !wordOccurs(word)).flatMap((word) => word.terms));
  if (misspelt.size > 0) {
    const lookup = (term: string): Lookup =>
      misspelt.has(term) && !isUnspacedTerm(term)
        ? { kind: 'edits', term, edits: editsAllowed(term) }
        : asItStands(term);
    yield { step: 'typo', words: looseWords, everywhere: true, ...every, lookup };
  }

  const occurring = looseWords.filter(wordOccurs);
  if (occurring.length > 0 && !isQuoted(question)) {
    yield { step: 'some-words', words: occurring, everywhere: true, ...every, required: 'half' };
  }
}

/**
 * Whether all words are required whatever the step, since they stand in phrases: a document that has these has been found
 * already by then. Of compounds that cannot be said: a phrase can be read through the whole or the parts.
 */
function isQuoted({ looseWords, phrases }: Question): boolean {
  const tokens = phrases.flatMap((phrase) => phrase.tokens);
  const quoted = new Set(tokens.map(({ term }) => term));
  return tokens.every(({ kind }) => isPartKind(kind)) && looseWords.every(({ terms }) => quoted.has(terms[0]!));
}

/** Terms as they stand or by their stem; a single character of a text without spaces inside its pairs. */
export function asItStands(term: string): Lookup {
  return { kind: isSingleCharacter(term) ? 'character' : 'stem', term };
}

function mayBeBeginning(term: string): boolean {
  return !isUnspacedTerm(term) && [...term].length >= MIN_PREFIX_LETTERS;
}
