import {
  functionWords,
  isFunctionWord,
  isListedLanguage,
  isUnspacedTerm,
  japaneseFunctionPairs,
} from '../core/index.js';

/**
 * The default stop words of English: the usual list of 33 words (Lucene's), and the pronouns, question words and
 * auxiliaries that are frequent in requests in plain language. Lower case, without accents.
 */
export const STOP_WORDS: readonly string[] = Object.freeze(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with
  about am any can could did do does from had has have he her his how i its just me my our please should so some than
  us want we were what when where which who why would you your`.split(/\s+/),
);

/** Words that are required only if a question has no others, as terms without accents. */
export type StopWords = ReadonlySet<string>;

const ENGLISH: StopWords = new Set(STOP_WORDS);
const NONE: StopWords = new Set();

/**
 * The default stop words of a language: what is a small word in one means something in another (`die`, `son`, `para`).
 *
 * @param language ISO 639-1
 * @returns none for a language without a list
 */
export function stopWordsOf(language: string): StopWords {
  if (language === 'en') return ENGLISH;
  if (language === 'ja') return japaneseFunctionPairs();
  return isListedLanguage(language) ? functionWords(language) : NONE;
}

/**
 * Whether a term is a stop word of some language, perhaps. Where no word of a question is, its language need not be
 * found out for its stop words, and that takes as long as opening a catalogue.
 *
 * @param term without accents
 */
export function mayBeStopWord(term: string): boolean {
  return ENGLISH.has(term) || isUnspacedTerm(term) || isFunctionWord(term);
}
