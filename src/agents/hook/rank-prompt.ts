import { MAX_SEMANTIC_QUERY_LENGTH, requestIn } from '../../core/index.js';
import { readQuestion, stopWordsOf } from '../../keyword/index.js';
import type { WordCandidate } from '../../search/index.js';
import { proseOf } from './prompt-query.js';
import { wordTable } from './word-table.js';

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
  const text = requestIn(proseOf(prompt), MAX_SEMANTIC_QUERY_LENGTH);
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

/** So many skills with words of a prompt are looked at: more would take longer than the search for them. */
export const LOOKED_AT = 120;

/**
 * How much each feature counts: what a listwise fit to the prompts of `bench/hook` found among the best 100 by words,
 * rounded.
 */
const WEIGHTS = { name: 0.23, description: 0.3, coverage: 10, cosine: 10 };

/** A skill with what it has of a prompt. */
export interface RankedByWords extends Omit<WordCandidate, 'fields'> {
  /** BM25 of its name and of its description. */
  readonly name: number;
  readonly description: number;
  /** Of the prompt with its name and description, by the {@link wordTable}: -1 to 1. */
  readonly cosine: number;
  /** By which it is ranked. */
  readonly sum: number;
}

/** So many vectors of skills are kept: a server is asked about the same ones again and again. Some 0.5 kB each. */
const KEPT = 5000;

/** By name and description. */
const vectorsOfSkills = new Map<string, Float32Array>();

/**
 * Ranks skills for a prompt, the best first. A prompt is longer than a question to a search and has many words that say
 * little, so what its words mean together counts, and file text does not.
 */
export function rankByWords(text: string, candidates: readonly WordCandidate[]): readonly RankedByWords[] {
  const asked = wordTable().vectorOf(text);
  const ranked = candidates.map(({ skill, fields, coverage, copies }): RankedByWords => {
    const { name, description } = fields;
    const own = vectorOfSkill(`${skill.name.replaceAll('-', ' ')}. ${skill.description}`);
    let cosine = 0;
    for (let i = 0; i < own.length; i++) cosine += asked[i]! * own[i]!;
    const sum =
      WEIGHTS.name * name + WEIGHTS.description * description + WEIGHTS.coverage * coverage + WEIGHTS.cosine * cosine;
    return { skill, copies, coverage, name, description, cosine, sum };
  });
  return ranked.sort((a, b) => b.sum - a.sum || (a.skill.id < b.skill.id ? -1 : 1));
}

function vectorOfSkill(text: string): Float32Array {
  const kept = vectorsOfSkills.get(text);
  if (kept !== undefined) return kept;
  const vector = wordTable().vectorOf(text);
  if (vectorsOfSkills.size === KEPT) vectorsOfSkills.clear();
  vectorsOfSkills.set(text, vector);
  return vector;
}
