import { type FeatureShare, RANKING_FEATURES, type Ranking, type ScoreParts } from '../../result.js';
import {
  type Candidate,
  type FeatureScale,
  type FeatureValues,
  featuresOf,
  type NameMatch,
  ownShare,
  type QuestionKind,
  type RankingModel,
  rankingModel,
  reachOf,
  sizeOf,
  weigh,
  weightsFor,
} from './features.js';

/** Hits are in the order of their names first, the last of these on top. Only then their sums decide. */
const NAME_ORDER: readonly NameMatch[] = ['other', 'beginning', 'exact'];

/**
 * The highest probability that a first hit can have. Chosen by hand, and borne out: of the first hits with 0.8 or more
 * 85 % are useful (bench/README.md, Graded requests), so a higher value would promise too much.
 */
export const MOST_CERTAIN = 0.9;

/**
 * Where the scores of names that begin with the question start, and those of exact names. Scores must fall from hit to
 * hit, so each kind of name gets a range of its own above the probabilities of all others: 0.9 to 0.99, and 0.99 to 1.
 */
const BEGINNING_FROM = MOST_CERTAIN;
const EXACT_FROM = 0.99;

/** What scores depend on beside the candidate: the ranking, the question and its catalogue. */
export interface QuestionContext extends FeatureScale, QuestionKind {
  readonly ranking: Ranking;
}

/** A candidate with what it is ordered by: first the name, then the sum. */
export interface ScoredCandidate {
  readonly candidate: Candidate;
  /** Undefined unless the ranking is `hybrid`. */
  readonly values: FeatureValues | undefined;
  /**
   * Place of the name in the order: 2 if it is the question, 1 if it begins with it, else 0; always 0 unless `hybrid`.
   */
  readonly nameRank: number;
  /**
   * `vector`: the cosine, 0 to 1. `words`: BM25 as a share of its upper bound, 0 to 1. `hybrid`: the weighted features.
   */
  readonly sum: number;
}

/** The scores of one answer. */
export interface CalibratedScores {
  /** The score of a candidate, 0 to 1. */
  readonly scoreOf: (scored: ScoredCandidate) => number;
  /** What that score is made of. */
  readonly partsOf: (scored: ScoredCandidate) => Omit<ScoreParts, 'copies'>;
  /** Whether the first hit is likely to be useful; false if there is none. */
  readonly confident: boolean;
}

/** Scores the candidates of one question, by the numbers that were fitted to judged questions (`data/ranking.json`). */
export class HybridScorer {
  readonly #context: QuestionContext;
  readonly #weights: FeatureValues;
  readonly #calibration: Calibration;
  readonly #scale: SumScale;

  /** @param pass `first` ranks without feedback, to choose what that comes from */
  constructor(context: QuestionContext, pass: 'first' | 'last' = 'last', model: RankingModel = rankingModel()) {
    const { first, readable, foreign } = model.weights;
    this.#context = context;
    this.#weights = weightsFor({ readable: pass === 'first' ? first : readable, foreign }, context);
    const isForeign = context.ranking === 'hybrid' && ownShare(context) < 0.5;
    this.#calibration = model.calibration[isForeign ? 'foreign' : context.ranking];
    const reach = context.ranking === 'hybrid' ? reachOf(this.#weights) : 1;
    this.#scale = { size: sizeOf(context), reach };
  }

  score(candidate: Candidate): ScoredCandidate {
    const { ranking } = this.#context;
    if (ranking === 'vector') {
      return { candidate, values: undefined, nameRank: 0, sum: Math.min(1, Math.max(0, candidate.cosine ?? 0)) };
    }
    const values = featuresOf(candidate, this.#context);
    if (ranking === 'words') return { candidate, values: undefined, nameRank: 0, sum: values.words };
    return { candidate, values, nameRank: NAME_ORDER.indexOf(candidate.nameMatch), sum: weigh(values, this.#weights) };
  }

  /**
   * Turns sums into scores.
   *
   * @param best at least the best ten candidates, no two of them copies, in order: the first is the first hit
   */
  calibrate(best: readonly ScoredCandidate[]): CalibratedScores {
    const [first] = best;
    const sums = best.map(({ sum }) => sum).sort((a, b) => b - a);
    const others = meanOfOthers(sums, this.#scale, this.#calibration);
    const probability = ({ sum }: ScoredCandidate): number =>
      probabilityOf(sum, others, this.#scale, this.#calibration);
    return {
      scoreOf: (scored) => this.#scoreOf(scored, probability(scored)),
      partsOf: (scored) => ({ ...this.#partsOf(scored), probability: probability(scored), others }),
      confident:
        first !== undefined &&
        (NAME_ORDER[first.nameRank] === 'exact' || probability(first) >= this.#calibration.confident),
    };
  }

  #scoreOf({ nameRank, sum }: ScoredCandidate, probability: number): number {
    if (this.#context.ranking !== 'hybrid') return sum;
    if (NAME_ORDER[nameRank] === 'exact') return EXACT_FROM + (1 - EXACT_FROM) * probability;
    if (NAME_ORDER[nameRank] === 'beginning') return BEGINNING_FROM + (EXACT_FROM - BEGINNING_FROM) * probability;
    return probability;
  }

  #partsOf({
    candidate,
    values,
    nameRank,
    sum,
  }: ScoredCandidate): Omit<ScoreParts, 'copies' | 'probability' | 'others'> {
    const { cosine, sentence, words } = candidate;
    const { ranking, highest } = this.#context;
    return {
      ...(cosine === undefined || ranking === 'words' ? {} : { cosine: Math.min(1, Math.max(-1, cosine)) }),
      ...(sentence === undefined || ranking !== 'hybrid' ? {} : { sentence }),
      ...(words === undefined
        ? {}
        : { bm25: words.fields, words: highest === 0 ? 0 : words.score / highest, coverage: words.coverage }),
      ...(values === undefined ? {} : { features: sharesOf(values, this.#weights) }),
      sum,
      name: NAME_ORDER[nameRank]!,
    };
  }
}

/** The share of each feature in a sum, the greatest first. */
function sharesOf(values: FeatureValues, weights: FeatureValues): FeatureShare[] {
  const products = RANKING_FEATURES.map((feature) => weights[feature] * values[feature]);
  const total = products.reduce((sum, product) => sum + Math.abs(product), 0);
  return RANKING_FEATURES.map((feature, i) => {
    const share = total === 0 ? 0 : products[i]! / total;
    return { feature, value: values[feature], weight: weights[feature], share };
  }).sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
}

/**
 * How many of the best sums a probability is computed from: the first hit, and the nine that it is compared with. Ten
 * is the default number of hits. Margins to the second hit alone, spread and z-scores did no better (bench/README.md).
 */
export const COMPARED = 10;

/**
 * Turns sums into probabilities by a logistic function (J. Platt, Probabilistic outputs for support vector machines,
 * 1999). A first hit with the sum `s` is useful with the probability
 *
 *     MOST_CERTAIN / (1 + e^-(slope * s / reach - others * o / reach + bySize * size + intercept))
 *
 * where `o` is the mean sum of the next nine hits, `reach` about the highest sum there can be, and `size` the relative
 * size of the catalogue: the best of more skills comes nearer. All numbers are fitted to graded requests, to those that
 * nothing answers too, and stored in `data/ranking.json`; see `bench/ranking/first-hits.ts`.
 */
export interface Calibration {
  readonly slope: number;
  readonly others: number;
  readonly bySize: number;
  readonly intercept: number;
  /**
   * An answer is confident if its first hit has this probability or more: few requests that nothing answers reach it.
   */
  readonly confident: number;
  /**
   * What the first hit comes to where nothing fits, as a part of {@link SumScale.reach}: `weight + bySize * size`.
   */
  readonly unfit: { readonly weight: number; readonly bySize: number };
}

/** What the sums of one question are measured by. */
export interface SumScale {
  /** Relative size of the catalogue, 0 to 1; see `sizeOf` in features.ts. */
  readonly size: number;
  /** About the highest sum that a skill can have; see `reachOf` in features.ts. */
  readonly reach: number;
}

/**
 * The mean of the second to the tenth sum. If there are fewer, skills that do not fit are assumed for the missing ones,
 * so that a hit is as certain as it would be among many that do not fit.
 *
 * @param sums highest first
 */
export function meanOfOthers(
  sums: readonly number[],
  { size, reach }: SumScale,
  { unfit }: Pick<Calibration, 'unfit'>,
): number {
  const others = sums.slice(1, COMPARED);
  const missing = COMPARED - 1 - others.length;
  // No hit that is assumed comes before the first. It may come before a later one, or what does not fit at all would
  // make the first more certain than nothing would.
  const assumed = Math.min(reach * (unfit.weight + unfit.bySize * size), sums[0] ?? 0);
  return others.reduce((total, sum) => total + sum, missing * assumed) / (COMPARED - 1);
}

/**
 * The probability that a first hit with this sum is useful. The same formula gives the scores of later hits, which are
 * lower.
 *
 * @param others mean sum of the next nine hits; see {@link meanOfOthers}
 * @returns from 0 to {@link MOST_CERTAIN}
 */
export function probabilityOf(
  sum: number,
  others: number,
  { size, reach }: SumScale,
  { slope, others: weightOfOthers, bySize, intercept }: Calibration,
): number {
  // Without any weight there is nothing to tell hits apart by.
  const part = reach === 0 ? 0 : (slope * sum - weightOfOthers * others) / reach;
  return MOST_CERTAIN / (1 + Math.exp(-(part + bySize * size + intercept)));
}
