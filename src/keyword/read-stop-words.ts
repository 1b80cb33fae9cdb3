import type { SkillSearchError } from '../core/index.js';
import { foldAccents, foldCase, invalidArgument, normaliseText } from '../core/index.js';
import { readQuestion } from './question.js';
import type { StopWords } from './stop-words.js';

/**
 * Reads stop words in the same way as the words of a question: without case and accents, `don't` as `don` and `t`.
 *
 * @param words an iterable of words; empty for no stop words
 * @returns undefined for undefined: then each question has those of its language
 * @throws {SkillSearchError} `INVALID_OPTION` for anything else
 */
export function readStopWords(words: unknown): StopWords | undefined {
  if (words === undefined) return undefined;
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
  const read = readQuestion(foldCase(normaliseText(word)), NONE).looseWords;
  // The parts of a compound are required together, so none of them can be a stop word by itself.
  const single = read.length > 0 && !/\s/u.test(word.trim()) && read.every(({ terms }) => terms.length === 1);
  if (!single) throw refusal('single words', word);
  return read.map(({ terms }) => foldAccents(terms[0]!));
}

function refusal(expected: string, value: unknown): SkillSearchError {
  return invalidArgument({ name: 'stopWords', code: 'INVALID_OPTION' }, expected, value);
}
