import type { Ranking } from '../query.js';
import { type FeatureShare, RANKING_FEATURES, type ScoreParts } from '../result.js';
import {
  type Calibration,
  isConfident,
  MOST_CERTAIN,
  meanOfOthers,
  probabilityOf,
  type SumScale,
} from './calibration.js';
import { type Candidate, type FeatureScale, type FeatureValues, featuresOf } from './features.js';
import { type QuestionKind, reachOf, sizeOf, weigh, weightsFor } from './fusion.js';
import { type RankingModel, rankingModel } from './ranking-model.js';

/** How a question stands to a document's name: it is the name, or its first whole words, or neither. */
export type NameMatch = 'exact' | 'beginning' | 'other';

/** Exact things come before what merely means the same, whatever else there is: in this order, the last first. */
const NAME_ORDER: readonly NameMatch[] = ['other', 'beginning', 'exact'];

/** Where the scores of names that begin with the question start, and those of the exact name: none is below the others. */
const BEGINNING_FROM = MOST_CERTAIN;
const EXACT_FROM = 0.99;

/** One question, as far as scores depend on it. */
export interface QuestionContext extends FeatureScale, QuestionKind {
  readonly ranking: Ranking;
}

/** A candidate with what it is put in order by: first the name, then the sum. */
export interface ScoredCandidate {
  readonly candidate: Candidate;
  /** Of `hybrid` only. */
  readonly values: FeatureValues | undefined;
  /** 0 for most, 1 and 2 for names that begin with the question and that are it. */
  readonly nameRank: number;
  /** By meaning the cosine, by words their share of what they could reach, by both the weighted features. */
  readonly sum: number;
}

/** How sure an answer is of its hits. */
export interface CalibratedScores {
  /** What a candidate's score is, 0 to 1, and what it is made of. */
  readonly scoreOf: (scored: ScoredCandidate) => number;
  readonly partsOf: (scored: ScoredCandidate) => Omit<ScoreParts, 'copies'>;
  /** Whether the best candidate is likely to be what was context for; false where there is none. */
  readonly confident: boolean;
}

/** Scores the candidates of one question. What is fitted to scored questions is in `data/ranking.json`. */
export class HybridScorer {
  readonly #context: QuestionContext;
  readonly #weights: FeatureValues;
  readonly #calibration: Calibration;
  readonly #scale: SumScale;

  constructor(context: QuestionContext, model: RankingModel = rankingModel()) {
    this.#context = context;
    this.#weights = weightsFor(model.weights, context);
    this.#calibration = model.calibration[context.ranking];
    const reach = context.ranking === 'hybrid' ? reachOf(this.#weights) : 1;
    this.#scale = { size: sizeOf(context), reach };
  }

  score(candidate: Candidate, name: NameMatch): ScoredCandidate {
    const { ranking } = this.#context;
    if (ranking === 'vector')
      return { candidate, values: undefined, nameRank: 0, sum: Math.min(1, Math.max(0, candidate.cosine ?? 0)) };
    const values = featuresOf(candidate, this.#context);
    if (ranking === 'words') return { candidate, values: undefined, nameRank: 0, sum: values.words };
    return { candidate, values, nameRank: NAME_ORDER.indexOf(name), sum: weigh(values, this.#weights) };
  }

  /** @param best the best ten candidates or more, of different texts; the best first, but for their names */
  calibrate(best: readonly ScoredCandidate[]): CalibratedScores {
    const [first] = best;
    const sums = best.map(({ sum }) => sum).sort((a, b) => b - a);
    const others = meanOfOthers(sums, this.#scale, this.#calibration);
    const probability = ({ sum }: ScoredCandidate): number => probabilityOf(sum, others, this.#calibration);
    const scoreOf = (scored: ScoredCandidate): number => this.#scoreOf(scored, probability(scored));
    return {
      scoreOf,
      partsOf: (scored) => ({ ...this.#partsOf(scored), probability: probability(scored), others }),
      confident:
        first !== undefined &&
        (NAME_ORDER[first.nameRank] === 'exact' || isConfident(first.sum, others, this.#scale, this.#calibration)),
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

/** What each feature adds, what adds or takes most first. */
function sharesOf(values: FeatureValues, weights: FeatureValues): FeatureShare[] {
  const added = RANKING_FEATURES.map((feature) => weights[feature] * values[feature]);
  const all = added.reduce((total, part) => total + Math.abs(part), 0);
  return RANKING_FEATURES.map((feature, i) => {
    const share = all === 0 ? 0 : added[i]! / all;
    return { feature, value: values[feature], weight: weights[feature], share };
  }).sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
}
