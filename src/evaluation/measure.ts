import { checkChoice, checkFlag, checkOptions, namesOf } from '../core/index.js';
import { GAIN_FUNCTIONS, type GainFunction, type Gains, type RankedDocument } from './benchmark.js';
import { averagePrecision, judgedShare, ndcg, precision, recall, reciprocalRank, usefulShare } from './metrics.js';

/**
 * Figures by name, 0 to 1: `ndcg@10`, `mrr@10`, `recall@10`, `precision@10` for each depth, `map` and `hit@1`. Of
 * graded judgements also `judged@10` for each depth, `useful@5` and `useful@1`.
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
const USEFUL_AT = [5, 1] as const;

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
