import { type Gains, LEAST_USEFUL, type Run } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import type { Answer } from './rank-questions.js';
import { calibrationError, reliabilityBins, type ScoredHit } from './reliability-bins.js';

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
  /** Expected calibration error over ten bins of equal width: how far both are apart. */
  readonly error: number;
}

/** Counts confident answers. */
export function confidentShare(answers: readonly Answer[], seed: number): ConfidentShare {
  const values = Float64Array.from(answers, (answer) => (answer.confident === true ? 1 : 0));
  const confident = values.reduce((sum, value) => sum + value, 0);
  const [interval = [0, 0]] = values.length === 0 ? [] : bootstrapIntervals([values], { seed });
  return { questions: values.length, confident, share: confident / Math.max(1, values.length), interval };
}

/** @param gains of the questions, by id */
export function reliability(run: Run, gains: ReadonlyMap<string, Gains>): Reliability {
  const hits: ScoredHit[] = [];
  for (const [question, [first]] of run) {
    if (first === undefined) continue;
    hits.push([first.score, (gains.get(question)?.get(first.id) ?? 0) >= LEAST_USEFUL]);
  }
  const bins = reliabilityBins(hits);
  const all = Math.max(1, hits.length);
  const meanOf = (figure: 'expected' | 'right'): number =>
    bins.reduce((sum, bin) => sum + bin.count * bin[figure], 0) / all;
  return { questions: hits.length, score: meanOf('expected'), useful: meanOf('right'), error: calibrationError(bins) };
}
