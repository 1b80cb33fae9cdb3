import { type FeatureShare, RANKING_FEATURES, type Ranking, type ScoreParts } from '../../result.js';
import { type Calibration, MOST_CERTAIN, meanOfOthers, probabilityOf, type SumScale } from './calibration.js';
import { type Candidate, type FeatureScale, type FeatureValues, featuresOf, type NameMatch } from './features.js';
import { ownShare, type QuestionKind, reachOf, sizeOf, weigh, weightsFor } from './fusion.js';
import { type RankingModel, rankingModel } from './ranking-model.js';

/** Hits are in the order of their names first, the last of these on top. Only then their sums decide. */
const NAME_ORDER: readonly NameMatch[] = ['other', 'beginning', 'exact'];

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
