import { invalidArgument } from '../check-arguments.js';
import type { SkillSearchError } from '../errors.js';
import { foldAccents, foldCase, normaliseText } from '../text/characters.js';
import { readQuestion } from './question.js';
import { DEFAULT_STOP_WORDS, type StopWords } from './stop-words.js';

/**
 * Reads stop words as words of a question are read: case and accents aside, `don't` as `don` and `t`.
 *
 * @param words undefined for the default list, none for no stop words
 * @throws {SkillSearchError} `INVALID_OPTION` where they are no list of words
 */
export function readStopWords(words: unknown): StopWords {
  if (words === undefined) return DEFAULT_STOP_WORDS;
  if (typeof words !== 'object' || words === null || !(Symbol.iterator in words)) {
    throw refusal('a list of words', words);
  }
  const terms = new Set<string>();
  for (const word of words as Iterable<unknown>) for (const term of termsOf(word)) terms.add(term);
  return terms;
}

const NONE: StopWords = new Set();

function termsOf(word: unknown): string[] {
  if (typeof word !== 'string') throw refusal('words', word);
  const asked = readQuestion(foldCase(normaliseText(word)), NONE).looseWords;
  // The parts of a compound are asked for together: none of them is a stop word by itself.
  const single = asked.length > 0 && !/\s/u.test(word.trim()) && asked.every(({ terms }) => terms.length === 1);
  if (!single) throw refusal('single words', word);
  return asked.map(({ terms }) => foldAccents(terms[0]!));
}

function refusal(expected: string, value: unknown): SkillSearchError {
  return invalidArgument({ name: 'stopWords', code: 'INVALID_OPTION' }, expected, value);
}
