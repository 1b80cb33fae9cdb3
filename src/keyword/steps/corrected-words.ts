import { compareCodePoints, MAX_CORRECTIONS, normaliseText, readWords } from '../../core/index.js';
import type { CorrectedWord } from '../../result.js';
import type { CountedText } from '../keyword-index.js';
import type { Question, QuestionWord } from '../question.js';
import type { StepPlan } from './plan-steps.js';

/**
 * How a step read the words that occur nowhere.
 *
 * @param formsOf the terms that answer the first term of a word, and how many documents of the answer have each
 */
export function correctedWords(
  question: Question,
  { words, lookup }: Pick<StepPlan, 'words' | 'lookup'>,
  formsOf: (word: QuestionWord) => readonly CountedText[],
): CorrectedWord[] {
  return words
    .filter(({ terms: [term] }) => lookup(term!).kind === 'edits')
    .map((word) => ({ asked: askedText(question.text, word.terms[0]!), read: mostFrequent(formsOf(word)) }))
    .filter(({ read }) => read.length > 0);
}

function mostFrequent(forms: readonly CountedText[]): string[] {
  return forms
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareCodePoints(a.text, b.text))
    .slice(0, MAX_CORRECTIONS)
    .map(({ text }) => text);
}

/** A term as the question has it. */
function askedText(question: string, term: string): string {
  const text = normaliseText(question);
  const token = readWords(text).find((one) => one.term === term);
  return token === undefined ? term : text.slice(token.start, token.end);
}
