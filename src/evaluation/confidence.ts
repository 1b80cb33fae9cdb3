import { type Gains, LEAST_USEFUL, type Run } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import type { Answer } from './rank-questions.js';

/** How many answers of a group of questions are confident. */
export interface ConfidentShare {
  /** Number of questions. */
  readonly questions: number;
  /** Number of those with a confident answer. */
  readonly confident: number;
  /** The second divided by the first; 0 without questions. */
  readonly share: number;
  /** 95 % interval of the share. */
  readonly interval: Interval;
}

/** How confident answers are where there is a right one, and where there is none. */
export interface Confidence {
  readonly served: ConfidentShare;
  readonly unserved: ConfidentShare;
}

/** How far first scores are probabilities. */
export interface Reliability {
  /** Number of questions, served or not, that anything was found for. */
  readonly questions: number;
  /** Mean score of the first documents. */
  readonly score: number;
  /** Share of the first documents that are useful. One without a judgement counts as not useful. */
  readonly useful: number;
  /**
   * Expected calibration error: the mean distance of both over ten bins of equal width, weighted by the number of
   * questions (M. Naeini et al., Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015).
   */
  readonly error: number;
}

/** Counts confident answers. */
export function confidentShare(answers: readonly Answer[], seed: number): ConfidentShare {
  const values = Float64Array.from(answers, (answer) => (answer.confident === true ? 1 : 0));
  const confident = values.reduce((sum, value) => sum + value, 0);
  const [interval = [0, 0]] = values.length === 0 ? [] : bootstrapIntervals([values], { seed });
  return { questions: values.length, confident, share: confident / Math.max(1, values.length), interval };
}

const BINS = 10;

/** @param gains of the questions, by id */
export function reliability(run: Run, gains: ReadonlyMap<string, Gains>): Reliability {
  const bins = Array.from({ length: BINS }, () => ({ scores: 0, useful: 0 }));
  let [questions, scores, useful] = [0, 0, 0];
  for (const [question, [first]] of run) {
    if (first === undefined) continue;
    const isUseful = (gains.get(question)?.get(first.id) ?? 0) >= LEAST_USEFUL ? 1 : 0;
    const bin = bins[Math.min(BINS - 1, Math.floor(first.score * BINS))]!;
    bin.scores += first.score;
    bin.useful += isUseful;
    questions += 1;
    scores += first.score;
    useful += isUseful;
  }
  const off = bins.reduce((sum, bin) => sum + Math.abs(bin.scores - bin.useful), 0);
  const all = Math.max(1, questions);
  return { questions, score: scores / all, useful: useful / all, error: off / all };
}
