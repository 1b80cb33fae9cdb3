import { MAX_SEMANTIC_QUERY_LENGTH } from '../../core/index.js';
import { readQuestion, stopWordsOf } from '../../keyword/index.js';
import { proseOf } from './prompt-query.js';

/** What a prompt asks, and what tells a task from an answer or a remark. */
export interface PromptQuestion {
  /** At most as long as a question may be, without blocks of code. */
  readonly text: string;
  /** Words that say something: no stop words. Two characters of an unspaced script count as one word. */
  readonly words: number;
  /** Share of the text that is code, 0 to 1: names of code, paths, signs, numbers. */
  readonly code: number;
  /** Share of its words that point to what was said or is at hand (English only), 0 to 1. */
  readonly pointing: number;
  /** Whether it has several lines: then something was pasted, as a rule. */
  readonly isPasted: boolean;
}

/**
 * Words that point to what was said before, to what lies open, or to the one who is asked: a remark has many of them, a
 * task that stands for itself few.
 */
const POINTING = new Set(
  `the this that these those it its there here again now above same last only just instead still also
  you your we let's ok okay yes no please thanks`.split(/\s+/),
);

/** A part between blanks that no sentence has: signs of code in it, or upper case behind lower case, or digits. */
const CODE = /[(){}[\]=<>;\\|$#@_`*^~]|\.\w|\w[/:]\w|::|[a-z][A-Z]|\d/;

/** @returns undefined if there is nothing to look skills up for */
export function readPromptQuestion(prompt: string): PromptQuestion | undefined {
  const text = [...proseOf(prompt)].slice(0, MAX_SEMANTIC_QUERY_LENGTH).join('').trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const question = readQuestion(text);
  const stopWords = stopWordsOf(question.language);
  let words = 0;
  for (const { terms, weight } of question.looseWords) {
    if (!terms.every((term) => stopWords.has(term))) words += weight;
  }
  return { text, words, code: codeShare(text), pointing: pointingShare(text), isPasted: prompt.trim().includes('\n') };
}

function pointingShare(text: string): number {
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  return words.filter((word) => POINTING.has(word)).length / Math.max(1, words.length);
}

function codeShare(text: string): number {
  let [code, all] = [0, 0];
  for (const part of text.split(/\s+/)) {
    all += part.length;
    if (CODE.test(part)) code += part.length;
  }
  return all === 0 ? 0 : code / all;
}
