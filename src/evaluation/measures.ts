import { checkChoice, checkFlag, checkOptions, lowerBound, lowerBoundBy, namesOf } from '../core/index.js';
import {
  GAIN_FUNCTIONS,
  type GainFunction,
  type Gains,
  LEAST_USEFUL,
  type RankedDocument,
  type Run,
} from './benchmark.js';
import type { Interval } from './compare.js';

/**
 * Figures by name, 0 to 1: `ndcg@10`, `mrr@10`, `recall@10`, `precision@10` for each depth, `map` and `hit@1`. Of
 * graded judgements also `judged@10` for each depth, `useful@5`, `useful@3` and `useful@1`.
 */
export type Figures = Readonly<Record<string, number>>;

/** Options of {@link measureRanking}. */
export interface MeasureOptions {
  /** Depths at which figures are cut, 1 or more each. */
  readonly at: readonly number[];
  /** How gains count in nDCG. @default 'linear' */
  readonly gain?: GainFunction | undefined;
  /** Whether to measure also what is judged and what is useful. @default false */
  readonly graded?: boolean | undefined;
}

const OPTIONS = namesOf<MeasureOptions>({ at: true, gain: true, graded: true });

const AT_DEPTH = {
  mrr: ({ found }: Judged, k: number) => reciprocalRank(found, k),
  recall: ({ found, ideal }: Judged, k: number) => recall(found, ideal.length, k),
  precision: ({ found }: Judged, k: number) => precision(found, k),
} as const;

const COUNTS: Readonly<Record<GainFunction, (gain: number) => number>> = {
  linear: (gain) => gain,
  exponential: (gain) => 2 ** gain - 1,
};

/** Depths at which useful documents are counted: a short list, and the one that an agent would load. */
const USEFUL_AT = [5, 3, 1] as const;

/** A ranking as gains. */
interface Judged {
  /** Gains in the order in which documents were found. */
  readonly found: readonly number[];
  /** Gains of all relevant documents, the largest first. */
  readonly ideal: readonly number[];
}

/**
 * Measures the ranking of a question. An empty ranking has 0 in all figures.
 *
 * @param gains of the question; at least one above 0. With `graded` all that is here counts as judged.
 * @example
 * import { measureRanking } from 'skill-discovery/evaluation';
 *
 * const ranking = [{ id: 'b', score: 2 }, { id: 'a', score: 1 }];
 * console.log(measureRanking(ranking, new Map([['a', 1]]), { at: [10] })['mrr@10']); // 0.5
 */
export function measureRanking(ranking: readonly RankedDocument[], gains: Gains, options: MeasureOptions): Figures {
  checkOptions(options, OPTIONS);
  checkChoice({ name: 'gain', code: 'INVALID_OPTION' }, options.gain, GAIN_FUNCTIONS);
  checkFlag('graded', options.graded);
  const { at, gain = 'linear', graded = false } = options;
  const judged = judge(ranking, gains);
  const { found, ideal } = judged;
  const [foundCounts, idealCounts] = [found.map(COUNTS[gain]), ideal.map(COUNTS[gain])];
  const isJudged = graded ? ranking.map(({ id }) => gains.has(id)) : [];
  const figures: Record<string, number> = {};
  for (const k of at) {
    figures[`ndcg@${k}`] = ndcg(foundCounts, idealCounts, k);
    for (const [name, measure] of Object.entries(AT_DEPTH)) figures[`${name}@${k}`] = measure(judged, k);
    if (graded) figures[`judged@${k}`] = judgedShare(isJudged, k);
  }
  figures['map'] = averagePrecision(found, ideal.length);
  figures['hit@1'] = precision(found, 1);
  if (graded) for (const k of USEFUL_AT) figures[`useful@${k}`] = usefulShare(found, k);
  return figures;
}

/** Recall among the first 1, 2, … documents of a ranking, up to `depth`. */
export function recallByDepth(ranking: readonly RankedDocument[], gains: Gains, depth: number): Float64Array {
  const { found, ideal } = judge(ranking, gains);
  let hits = 0;
  return Float64Array.from({ length: depth }, (_, i) => {
    if ((found[i] ?? 0) > 0) hits += 1;
    return hits / ideal.length;
  });
}

function judge(ranking: readonly RankedDocument[], gains: Gains): Judged {
  return {
    found: ranking.map(({ id }) => Math.max(0, gains.get(id) ?? 0)),
    ideal: [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a),
  };
}

/**
 * Measures of one ranking, with the definitions of trec_eval (https://github.com/usnistgov/trec_eval). `found` has the
 * gains of the documents in the order of the ranking, 0 for one that is not relevant; `k` is an integer from 1.
 */

/** Discounted cumulative gain of the first `k`: linear gain, divided by log2 of the rank plus one. */
function discountedGain(found: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < found.length && i < k; i++) sum += found[i]! / Math.log2(i + 2);
  return sum;
}

/**
 * nDCG@k, 0 to 1, with gains as they are; `ndcg_cut` of trec_eval (K. Järvelin and J. Kekäläinen, Cumulated gain-based
 * evaluation of IR techniques, ACM TOIS 20(4), 2002).
 *
 * @param ideal the gains of all relevant documents, found or not, the largest first; at least one
 * @example
 * ndcg([0, 1], [1], 10); // 0.63…
 */
export function ndcg(found: readonly number[], ideal: readonly number[], k: number): number {
  return discountedGain(found, k) / discountedGain(ideal, k);
}

/** 1 divided by the rank of the first relevant document, 0 if none is among the first `k`: MRR of one question. */
export function reciprocalRank(found: readonly number[], k: number): number {
  for (let i = 0; i < found.length && i < k; i++) if (found[i]! > 0) return 1 / (i + 1);
  return 0;
}

/**
 * Share of the relevant documents that is among the first `k`; `recall` of trec_eval.
 *
 * @param relevant the number of relevant documents, 1 or more
 */
export function recall(found: readonly number[], relevant: number, k: number): number {
  return countRelevant(found, k) / relevant;
}

/** Share of the first `k` documents that is relevant; of `k` even if fewer were found. `P` of trec_eval. */
export function precision(found: readonly number[], k: number): number {
  return countRelevant(found, k) / k;
}

/** Share of the first `k` documents with a gain of 2 or more: the useful ones. Of `k` even if fewer were found. */
export function usefulShare(found: readonly number[], k: number): number {
  return found.slice(0, k).filter((gain) => gain >= LEAST_USEFUL).length / k;
}

/**
 * Share of the documents found among the first `k` that have a judgement, whatever it is. 1 if nothing was found: then
 * nothing lacks a judgement, and no other figure of the ranking is in doubt.
 *
 * @param judged whether each document of the ranking has a judgement
 */
export function judgedShare(judged: readonly boolean[], k: number): number {
  const shown = judged.slice(0, k);
  return shown.length === 0 ? 1 : shown.filter(Boolean).length / shown.length;
}

/** Mean of the precision at the rank of each relevant document, 0 for one not found. `map` of trec_eval. */
export function averagePrecision(found: readonly number[], relevant: number): number {
  let [hits, sum] = [0, 0];
  for (let i = 0; i < found.length; i++) {
    if (found[i]! > 0) sum += ++hits / (i + 1);
  }
  return sum / relevant;
}

function countRelevant(found: readonly number[], k: number): number {
  return found.slice(0, k).filter((gain) => gain > 0).length;
}

/** The figures of one mode or run. */
export interface ModeEvaluation {
  /** Of the mode, or as the run was named. */
  readonly name: string;
  /** What was found. */
  readonly run: Run;
  /** Figures by the id of a question, in the order of the questions. */
  readonly byQuestion: ReadonlyMap<string, Figures>;
  /** Means over all questions; with `auroc` where `abstention` was asked for. */
  readonly figures: Figures;
  /** The 95 % interval of each mean, by the name of the figure. */
  readonly intervals: Readonly<Record<string, Interval>>;
  /** Mean recall among the first 1, 2, … documents, up to the depth of the evaluation. */
  readonly recallByDepth: readonly number[];
  /**
   * How confident the answers are. Only of a mode that says so, with a benchmark that is graded or has `unserved`
   * questions.
   */
  readonly confident?: Confidence | undefined;
  /** How far first scores are probabilities. Only of `hybrid`, whose scores are meant to be, if graded. */
  readonly reliability?: Reliability | undefined;
}

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
  /** The same of the questions of each kind, where they have one. */
  readonly byKind?: Readonly<Record<string, Pick<Confidence, 'served' | 'unserved'>>>;
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

/** First hits of like score: how many of them are right. */
interface ReliabilityBin {
  /** The least score of the bin. */
  readonly from: number;
  /** Number of first hits, 1 or more. */
  readonly count: number;
  /** Their mean score. */
  readonly expected: number;
  /** Share of them that is right. */
  readonly right: number;
}

/** A first hit: its score, 0 to 1, and whether it is right. */
type ScoredHit = readonly [score: number, right: boolean];

const BINS = 10;

/** First hits in ten bins of equal width, without the empty ones. */
export function reliabilityBins(hits: Iterable<ScoredHit>): ReliabilityBin[] {
  const bins = Array.from({ length: BINS }, (_, i) => ({ from: i / BINS, count: 0, scores: 0, right: 0 }));
  for (const [score, right] of hits) {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))]!;
    bin.count += 1;
    bin.scores += score;
    bin.right += right ? 1 : 0;
  }
  return bins
    .filter(({ count }) => count > 0)
    .map(({ from, count, scores, right }) => ({ from, count, expected: scores / count, right: right / count }));
}

/**
 * Expected calibration error: the mean distance of score and share that is right, weighted by the number of hits
 * (M. Naeini, G. Cooper and M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015).
 *
 * @returns 0 to 1; 0 without hits
 */
export function calibrationError(bins: readonly ReliabilityBin[]): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { count, expected, right }) => sum + (count / all) * Math.abs(expected - right), 0);
}

/** How well scores separate questions with an answer from questions without one. */
export interface Separation {
  /** Area under the ROC curve, 0 to 1: how often an answerable question scores higher; ties count half. */
  readonly area: number;
  /** The contribution of each pair; their mean is the area. */
  readonly parts: Float64Array;
}

/**
 * Area under the ROC curve of first scores: those of questions with their answers, against those of the same questions
 * without their answers.
 *
 * The part of a pair is linear in the ranks of its scores (the placement values of E. DeLong et al., Comparing the
 * areas under two or more correlated ROC curves, Biometrics 44, 1988). So resampling pairs gives an interval.
 *
 * @param answerable one score for each question; `-Infinity` for one without a hit
 * @param unanswerable as many scores, in the same order
 * @example
 * import { separation } from 'skill-discovery/evaluation';
 *
 * const { area } = separation(Float64Array.of(0.9, 0.6, 0.4), Float64Array.of(0.5, 0.4, 0.1));
 * console.log(area.toFixed(3)); // 0.833
 */
export function separation(answerable: Float64Array, unanswerable: Float64Array): Separation {
  const [low, high] = [Float64Array.from(unanswerable).sort(), Float64Array.from(answerable).sort()];
  const above = Float64Array.from(answerable, (score) => shareBelow(score, low));
  const below = Float64Array.from(unanswerable, (score) => 1 - shareBelow(score, high));
  const area = above.reduce((sum, share) => sum + share, 0) / above.length;
  return { area, parts: above.map((share, i) => share + below[i]! - area) };
}

/** Share of ascending numbers that are below a score. Equal numbers count half. */
function shareBelow(score: number, sorted: Float64Array): number {
  const { length } = sorted;
  const [below, notAbove] = [lowerBound(sorted, score), lowerBoundBy(length, (i) => sorted[i]! <= score)];
  return (below + notAbove) / 2 / length;
}
