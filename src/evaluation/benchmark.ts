import type { ScoreParts } from '../index.js';

/** A question of a benchmark. */
export interface Question {
  readonly id: string;
  readonly text: string;
}

/** The gains of the judged documents of a question, by document id. Above 0 means relevant; all others have 0. */
export type Gains = ReadonlyMap<string, number>;

/**
 * How a gain counts in nDCG: `linear` as it is, `exponential` as 2^gain - 1 (C. Burges et al., Learning to rank using
 * gradient descent, ICML 2005).
 */
export const GAIN_FUNCTIONS = ['linear', 'exponential'] as const;
/** One of {@link GAIN_FUNCTIONS}. */
export type GainFunction = (typeof GAIN_FUNCTIONS)[number];

/**
 * The least gain of a useful document in a graded benchmark. Grades are 3 (made for the task), 2 (clearly useful), 1
 * (related, of little help) and 0 (not useful).
 */
export const LEAST_USEFUL = 2;

/** Questions, and which documents answer them. */
export interface Benchmark {
  /** Name of its folder, or of its file. */
  readonly name: string;
  /** The questions with a relevant document, if it is graded with a useful one, in the order of the file. */
  readonly questions: readonly Question[];
  /** The relevant documents by the id of a question, which is gains above 0; each question has an entry. */
  readonly gains: ReadonlyMap<string, Gains>;
  /**
   * All judged documents by the id of a question, those with a gain of 0 too. Only of a graded benchmark: there
   * `evaluate` also measures what is judged and what is useful.
   */
  readonly grades?: ReadonlyMap<string, Gains> | undefined;
  /** Questions that no judged document answers. `evaluate` asks them for confidence only. @default none */
  readonly unserved?: readonly Question[] | undefined;
  /** How gains count in nDCG where `evaluate` is not told. @default 'linear' */
  readonly gain?: GainFunction | undefined;
  /** Path of the benchmark's own documents; undefined if it has none. */
  readonly corpus: string | undefined;
  /** Notes for people: what was left out. */
  readonly remarks: readonly string[];
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Comparable within one ranking; never rises from one document to the next. */
  readonly score: number;
  /** The parts of the score, if asked for. */
  readonly explain?: ScoreParts;
}

/** The documents found for each question, best first, by the id of the question. */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>;
