import { fnv1a } from '../../core/index.js';
import type { Ranking } from '../../result.js';

/**
 * What decides whether the first hit of an answer is useful, beside what it is ranked by:
 *
 * - `sum`, `others`: what the first hit is ranked by, and the mean of the next nine, as parts of what a skill that fits
 *   in every way comes to
 * - `cosine`, `coverage`, `name`, `description`: of the first hit, as in `RANKING_FEATURES`; the last two are BM25 on a
 *   logarithmic scale
 * - `covered`: `coverage` times `length`: the same share of more words says more
 * - `size`: of the catalogue, on a logarithmic scale, 0 to 1: the best of many comes nearer
 * - `length`: words of the question, on a logarithmic scale
 * - `task`: how far the question is a task that a skill could serve, whatever the catalogue; see {@link taskScore}. 1
 *   for any task, below 0 for small talk, remarks and chores
 * - `glossed`: 1 for a question in another language that is also asked by what its words are in English, else 0
 */
export const DECISION_FEATURES = [
  'sum',
  'others',
  'cosine',
  'coverage',
  'name',
  'description',
  'covered',
  'size',
  'length',
  'task',
  'glossed',
] as const;
export type DecisionFeature = (typeof DECISION_FEATURES)[number];
export type DecisionValues = Readonly<Record<DecisionFeature, number>>;

/** What a feature counts: `weight + bySize * size` in a catalogue of the relative size `size`. */
export interface DecisionWeight {
  readonly weight: number;
  readonly bySize: number;
}

/** The decision by one ranking: the numbers that `npm run bench:decision fit` finds. */
export interface DecisionRule {
  /** A feature that the ranking does not have counts nothing. */
  readonly weights: Readonly<Record<DecisionFeature, DecisionWeight>>;
  readonly intercept: number;
  /** How fast later hits get less probable, by how far their sums are below the first; more than 0. */
  readonly later: number;
  /** The part of the highest sum that skills come to which do not fit: stands for hits that are missing. */
  readonly unfit: number;
  /** The probabilities from which the first hit is worth showing, and worth a mention. */
  readonly confident: number;
  readonly perhaps: number;
}

/** What is fitted for the decision: a rule for each ranking, and what tells tasks from other questions. */
export interface DecisionModel extends Readonly<Record<Ranking, DecisionRule>> {
  readonly task: TaskModel;
}

/** What is worth showing of an answer. */
export interface Decision {
  /** That the first hit is useful, 0 to {@link MOST_CERTAIN}; 1 if the question is its name; 0 without a hit. */
  readonly probability: number;
  /** How many of the first hits are worth showing: 0 to {@link MOST_SHOWN}. */
  readonly worth: number;
  /** Whether the first hit is worth a mention, no more. */
  readonly perhaps: boolean;
  /** The probabilities from which the first hit is worth showing, and worth a mention. */
  readonly thresholds: { readonly confident: number; readonly perhaps: number };
}

export const MOST_SHOWN = 3;

/** A later hit is worth showing, too, if it comes to so much of what the first one is ranked by. Chosen by hand. */
export const NEXT_SHOWN = 0.8;

/**
 * The highest probability that a first hit can have. Chosen by hand: questions that judges read alike are answered
 * right in no more.
 */
export const MOST_CERTAIN = 0.9;

/** The logarithm of the odds that the first hit is useful (logistic regression). */
export function oddsOf(values: DecisionValues, { weights, intercept }: DecisionRule): number {
  return DECISION_FEATURES.reduce((sum, name) => {
    const { weight, bySize } = weights[name];
    return sum + (weight + bySize * values.size) * values[name];
  }, intercept);
}

/** A decision where uses for near questions have raised the score of the first hit. */
export function raisedTo(score: number, decision: Decision): Decision {
  const { worth, thresholds } = decision;
  const probability = Math.max(decision.probability, score);
  const isWorth = probability >= thresholds.confident;
  return {
    ...{ probability, thresholds, worth: isWorth ? Math.max(1, worth) : 0 },
    perhaps: !isWorth && probability >= thresholds.perhaps,
  };
}

/** 0 to {@link MOST_CERTAIN}. */
export function probabilityOf(odds: number): number {
  return MOST_CERTAIN / (1 + Math.exp(-odds));
}

/** The sizes of catalogue between which size counts: those that the rules are fitted to. */
const [SMALLEST, LARGEST] = [20, 100_000];

/** 0 for 20 skills or fewer, 1 for 100,000 or more. */
export function sizeForDecision(skills: number): number {
  return Math.min(1, Math.max(0, Math.log(Math.max(1, skills) / SMALLEST) / Math.log(LARGEST / SMALLEST)));
}

/** A longer question is no more a task than one of so many words. */
const LONG = 40;

export function lengthForDecision(words: number): number {
  return Math.log1p(Math.min(LONG, words));
}

/** A linear rule that tells tasks that a skill could serve from other questions: a weight for each value of a vector. */
export interface TaskRule {
  /** Signed bytes, in base64. */
  readonly weights: string;
  /** What a byte is multiplied by. */
  readonly scale: number;
  readonly intercept: number;
}

/** By the words of a question, see {@link taskPlaces}, and by the vector that one model has for it. */
export interface TaskModel {
  readonly words: TaskRule;
  readonly vector: TaskRule & { readonly model: string };
}

/** Places that words are spread over: some share one. */
export const TASK_PLACES = 2048;

const TOKENS = /\p{L}[\p{L}\p{N}_']*|\p{N}+|[^\p{L}\p{N}\s]/gu;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
/** A word with fewer letters has no ending. */
const SHORTEST_WITH_ENDING = 5;

/**
 * What a question is made of, whatever it is about: its words and signs, the endings of its words, what it begins with,
 * pairs of characters in scripts without blanks, and about how long it is. As places of a vector, each once.
 */
export function taskPlaces(text: string): Set<number> {
  const parts = text.toLowerCase().match(TOKENS) ?? [];
  const kinds = new Set<string>();
  for (const part of parts) {
    kinds.add(/\p{N}/u.test(part[0]!) ? '0' : part);
    if (part.length >= SHORTEST_WITH_ENDING) kinds.add(`~${part.slice(-3)}`);
    if (UNSPACED.test(part)) for (let i = 0; i + 1 < part.length; i++) kinds.add(part.slice(i, i + 2));
  }
  if (parts.length > 0) kinds.add(`^${parts[0]}`);
  kinds.add(`length ${Math.min(6, Math.floor(Math.log2(parts.length + 1)))}`);
  return new Set(Array.from(kinds, (kind) => fnv1a(kind) % TASK_PLACES));
}

/** Beyond this nothing gets more certain: of one rule, and of a task. */
const [CERTAIN, CERTAIN_TASK] = [8, 1];

/**
 * How far a question is a task that a skill could serve, by itself: the logarithm of its odds by its words and by its
 * vector, added; where the vector is missing or another model's, by its words twice. -16 to 1.
 */
export function taskScore(
  text: string,
  meaning: { readonly vector: Float32Array; readonly model: string } | undefined,
  { words, vector }: TaskModel,
): number {
  const byWords = taskOdds(taskPlaces(text), words);
  const byVector = meaning?.model === vector.model ? taskOdds(meaning.vector, vector) : byWords;
  return Math.min(CERTAIN_TASK, byWords + byVector);
}

/**
 * The logarithm of the odds that a question is a task, -8 to 8.
 *
 * @param of a vector, or the places of one that count the same, of unit length
 */
function taskOdds(of: Float32Array | ReadonlySet<number>, { weights, scale, intercept }: TaskRule): number {
  const bytes = Buffer.from(weights, 'base64');
  let sum = 0;
  if (of instanceof Float32Array) for (const [i, value] of of.entries()) sum += value * bytes.readInt8(i);
  else for (const place of of) sum += bytes.readInt8(place) / Math.sqrt(of.size);
  return Math.max(-CERTAIN, Math.min(CERTAIN, intercept + scale * sum));
}
