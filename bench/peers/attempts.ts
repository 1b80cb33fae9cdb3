import { stemOf } from '../../src/core/index.js';
import type { KeywordStep } from '../../src/index.js';
import { isSingleCharacter, type Question, readQuestion } from '../../src/keyword/question.js';

/** One word that is asked for: a document has it if it has any of these terms. */
export interface AttemptWord {
  readonly terms: readonly string[];
  /** How a term answers: as it stands, as the beginning of a term, or with so many edits. */
  readonly by: 'term' | 'beginning' | 'edits';
}

/** One step of our keyword search, put as a peer can be asked. */
export interface Attempt {
  readonly step: KeywordStep;
  readonly words: readonly AttemptWord[];
  /** Whether all words are required or any. */
  readonly required: 'all' | 'any';
  /** Whether the text of files counts. */
  readonly everywhere: boolean;
  /** Terms that must stand together. */
  readonly phrases: readonly (readonly string[])[];
}

/**
 * The steps of our search in the words of a peer: terms are stems, for that is what it has indexed. The last three
 * steps cannot be put exactly: beginnings and edits of stems are not those of words, and half of the weight is not any
 * word.
 */
export function* attemptsOf(text: string): Generator<Attempt> {
  const question = readQuestion(text);
  const phrases = phrasesOf(question);
  const words = question.words.map(({ terms }) => wordOf(terms));
  const looseWords = question.looseWords.map(({ terms }) => wordOf(terms));
  yield { step: 'all-words', words, required: 'all', everywhere: false, phrases };
  yield { step: 'file-text', words: looseWords, required: 'all', everywhere: true, phrases };
  const last = question.lastWord?.terms.join(' ');
  const begun = question.looseWords.map(({ terms }): AttemptWord => {
    return terms.join(' ') === last ? { terms, by: 'beginning' } : wordOf(terms);
  });
  yield { step: 'prefix', words: begun, required: 'all', everywhere: true, phrases };
  const edited = looseWords.map(({ terms }): AttemptWord => ({ terms, by: 'edits' }));
  yield { step: 'typo', words: edited, required: 'all', everywhere: true, phrases };
  yield { step: 'some-words', words: looseWords, required: 'any', everywhere: true, phrases };
}

function wordOf(terms: readonly string[]): AttemptWord {
  const [term = ''] = terms;
  if (isSingleCharacter(term)) return { terms, by: 'beginning' };
  return { terms: [...new Set(terms.map(stemOf))], by: 'term' };
}

function phrasesOf({ phrases }: Question): string[][] {
  return phrases.map(({ tokens }) => tokens.map(({ term }) => stemOf(term)));
}
