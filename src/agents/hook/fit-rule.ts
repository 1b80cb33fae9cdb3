import { readFileSync } from 'node:fs';
import { dataFile } from '../../core/index.js';
import type { SemanticHit, SemanticResult } from '../../result.js';
import type { PromptQuestion, RankedByWords } from './rank-prompt.js';
import { wordVector } from './word-table.js';

/**
 * What decides whether the skills that were found fit a prompt:
 *
 * - `length`: how many words of the prompt say something, on a logarithmic scale. A task takes some words; remarks and
 *   answers have few
 * - `code`: share of the prompt that is code. A question about code at hand needs no skill
 * - `pointing`: share of words that point to what was said or is at hand
 * - `pasted`: 1 for a prompt of several lines
 * - `lead`: by how much the first skill is above the mean of the next nine
 * - `sum`: by what the first skill is ranked by words; 0 by meaning
 * - `coverage`: mean of the first five skills; see `RANKING_FEATURES`. High where the prompt has only words that are
 *   anywhere
 * - `name`, `description`: BM25 of these fields of the first skill, on a logarithmic scale
 * - `cosine`: the highest of all skills found; by words that of the {@link wordVector}s
 * - `near`: mean of their cosines
 * - `feedback`: of the first skill, as in `RANKING_FEATURES`; 0 by words alone
 * - `task`: whether the prompt by itself is a task that a skill could serve; see {@link taskScore}
 */
export const FIT_FEATURES = [
  'length',
  'code',
  'pointing',
  'pasted',
  'lead',
  'sum',
  'coverage',
  'name',
  'description',
  'cosine',
  'near',
  'feedback',
  'task',
] as const;
type FitFeature = (typeof FIT_FEATURES)[number];
export type FitValues = Readonly<Record<FitFeature, number>>;

/** How a search answered: by words alone, or by meaning and words. */
export type FitWay = 'words' | 'hybrid';

/** The rule of one way: skills fit if the weighted features come to more than the bound. */
export interface FitRule {
  /** By words, of the {@link wordVector}; by meaning, of the question's vector. */
  readonly task: TaskRule;
  readonly weights: FitValues;
  /**
   * Bounds by the number of skills in the catalogue, ascending: the best of many comes nearer. Between two of them the
   * bound lies on a straight line over the logarithm of the number.
   */
  readonly bounds: readonly { readonly skills: number; readonly bound: number }[];
}

export function boundFor({ bounds }: Pick<FitRule, 'bounds'>, skills: number): number {
  const above = bounds.findIndex((one) => one.skills >= skills);
  const [low, high] = [bounds[above - 1], bounds[above]];
  if (high === undefined) return bounds.at(-1)!.bound;
  if (low === undefined) return high.bound;
  const share = Math.log(skills / low.skills) / Math.log(high.skills / low.skills);
  return low.bound + share * (high.bound - low.bound);
}

/** The rules, and the model whose vectors the task is told by: vectors of others mean something else. */
export interface FitRules extends Readonly<Record<FitWay, FitRule>> {
  readonly model: string;
}

/** The file with the rules, which `npm run bench:hook` writes. */
export const FIT_RULES: URL = dataFile('hook.json');

let rules: FitRules | undefined;

/**
 * Whether the skills that a search by meaning found fit the prompt; false if it found none.
 *
 * @param found what the search answered to a query with `explain: true`
 * @param questionVector undefined for an answer by words
 * @param skills number of skills in the catalogue
 */
export function fits(
  question: PromptQuestion,
  found: SemanticResult,
  questionVector: Float32Array | undefined,
  skills: number,
): boolean {
  if (found.hits.length === 0) return false;
  const { model, hybrid, words } = fitRules();
  const vector = found.model === model ? questionVector : undefined;
  const task = vector === undefined ? taskScore(words.task, wordVector(question.text)) : taskScore(hybrid.task, vector);
  return fitSum({ ...fitValues(question, found.hits), task }, hybrid.weights) > boundFor(hybrid, skills);
}

/** Whether the skills that were found by words fit the prompt; false if there are none. */
export function fitsByWords(question: PromptQuestion, ranked: readonly RankedByWords[], skills: number): boolean {
  if (ranked.length === 0) return false;
  const { words } = fitRules();
  const task = taskScore(words.task, wordVector(question.text));
  return fitSum({ ...fitValuesByWords(question, ranked), task }, words.weights) > boundFor(words, skills);
}

function fitRules(): FitRules {
  rules ??= JSON.parse(readFileSync(FIT_RULES, 'utf8')) as FitRules;
  return rules;
}

/** A hit whose query had `explain: true`. */
export type ExplainedHit = Pick<SemanticHit, 'explain'>;

export function fitSum(values: FitValues, weights: FitValues): number {
  return FIT_FEATURES.reduce((sum, feature) => sum + weights[feature] * values[feature], 0);
}

/** A long prompt is no more a task than one of so many words. */
const LONG = 16;

/** The search asks for so many skills, also where fewer are shown: the means are of as many. */
export const FIT_HITS = 5;

/**
 * @param hits the best first, at least one; the first {@link FIT_HITS} count
 */
export function fitValues(question: PromptQuestion, hits: readonly ExplainedHit[]): Omit<FitValues, 'task'> {
  const looked = hits.slice(0, FIT_HITS).map(({ explain }) => explain!);
  const first = looked[0]!;
  return {
    ...valuesOf(question),
    lead: first.sum - first.others,
    sum: 0,
    // Skills that are missing have none of the words.
    coverage: looked.reduce((sum, { coverage = 0 }) => sum + coverage, 0) / FIT_HITS,
    name: Math.log1p(first.bm25?.name ?? 0),
    description: Math.log1p(first.bm25?.description ?? 0),
    cosine: Math.max(0, ...looked.map(({ cosine = 0 }) => cosine)),
    near: looked.reduce((sum, { cosine = 0 }) => sum + cosine, 0) / looked.length,
    feedback: first.features?.find(({ feature }) => feature === 'feedback')?.value ?? 0,
  };
}

/** So many skills are compared with the first. */
const OTHERS = 9;

/**
 * @param ranked the best first, at least one; all that were found
 */
export function fitValuesByWords(question: PromptQuestion, ranked: readonly RankedByWords[]): Omit<FitValues, 'task'> {
  const looked = ranked.slice(0, FIT_HITS);
  const first = ranked[0]!;
  const others = ranked.slice(1, 1 + OTHERS);
  return {
    ...valuesOf(question),
    lead: first.sum - others.reduce((sum, other) => sum + other.sum, 0) / Math.max(1, others.length),
    sum: first.sum,
    coverage: looked.reduce((sum, { coverage }) => sum + coverage, 0) / FIT_HITS,
    name: Math.log1p(first.name),
    description: Math.log1p(first.description),
    cosine: Math.max(...looked.map(({ cosine }) => cosine)),
    near: looked.reduce((sum, { cosine }) => sum + cosine, 0) / looked.length,
    feedback: 0,
  };
}

/** What the prompt says by itself. */
function valuesOf({
  words,
  code,
  pointing,
  isPasted,
}: PromptQuestion): Pick<FitValues, 'length' | 'code' | 'pointing' | 'pasted'> {
  return { length: Math.log1p(Math.min(LONG, words)), code, pointing, pasted: isPasted ? 1 : 0 };
}

/** What tells a task that a skill could serve from other prompts, by a vector of the prompt. */
export interface TaskRule {
  /** Weights of the vector's values as signed bytes, in base64. */
  readonly weights: string;
  /** What a byte is multiplied by. */
  readonly scale: number;
  readonly intercept: number;
}

/** Beyond this nothing gets more certain. */
const CERTAIN = 8;

/** The logarithm of the odds that a prompt is a task that a skill could serve, judged by its vector alone; -8 to 8. */
export function taskScore({ weights, scale, intercept }: TaskRule, vector: Float32Array): number {
  const bytes = Buffer.from(weights, 'base64');
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * bytes.readInt8(i);
  return Math.max(-CERTAIN, Math.min(CERTAIN, intercept + scale * sum));
}
