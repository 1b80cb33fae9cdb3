import { checkOptions, namesOf } from '../check-arguments.js';
import type { Gains, RankedDocument } from './benchmark.js';
import { averagePrecision, ndcg, precision, recall, reciprocalRank } from './metrics.js';

/** Figures by name, 0 to 1: `ndcg@10`, `mrr@10`, `recall@10`, `precision@10` for each depth, `map` and `hit@1`. */
export type Figures = Readonly<Record<string, number>>;

/** Options of {@link measureRanking}. */
export interface MeasureOptions {
  /** Depths at which figures are cut, 1 or more each. */
  readonly at: readonly number[];
}

const OPTIONS = namesOf<MeasureOptions>({ at: true });

const AT_DEPTH = {
  ndcg: ({ found, ideal }: Judged, k: number) => ndcg(found, ideal, k),
  mrr: ({ found }: Judged, k: number) => reciprocalRank(found, k),
  recall: ({ found, ideal }: Judged, k: number) => recall(found, ideal.length, k),
  precision: ({ found }: Judged, k: number) => precision(found, k),
} as const;

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
 * @param gains of the question; at least one above 0
 * @example
 * import { measureRanking } from 'skill-discovery/evaluation';
 *
 * const ranking = [{ id: 'b', score: 2 }, { id: 'a', score: 1 }];
 * console.log(measureRanking(ranking, new Map([['a', 1]]), { at: [10] })['mrr@10']); // 0.5
 */
export function measureRanking(ranking: readonly RankedDocument[], gains: Gains, options: MeasureOptions): Figures {
  checkOptions(options, OPTIONS);
  const { at } = options;
  const judged = judge(ranking, gains);
  const figures: Record<string, number> = {};
  for (const k of at) {
    for (const [name, measure] of Object.entries(AT_DEPTH)) figures[`${name}@${k}`] = measure(judged, k);
  }
  figures['map'] = averagePrecision(judged.found, judged.ideal.length);
  figures['hit@1'] = precision(judged.found, 1);
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
