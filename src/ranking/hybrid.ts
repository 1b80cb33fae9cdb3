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
export interface AskedQuestion extends FeatureScale, QuestionKind {
  readonly ranking: Ranking;
}

/** A candidate with what it is put in order by: first the name, then the sum. */
export interface Judged {
  readonly candidate: Candidate;
  /** Of `hybrid` only. */
  readonly values: FeatureValues | undefined;
  /** 0 for most, 1 and 2 for names that begin with the question and that are it. */
  readonly group: number;
  /** By meaning the cosine, by words their share of what they could reach, by both the weighted features. */
  readonly sum: number;
}

/** How sure an answer is of its hits. */
export interface Certainty {
  /** What a candidate's score is, 0 to 1, and what it is made of. */
  readonly scoreOf: (judged: Judged) => number;
  readonly partsOf: (judged: Judged) => Omit<ScoreParts, 'copies'>;
  /** Whether the best candidate is likely to be what was asked for; false where there is none. */
  readonly confident: boolean;
}

/** Scores the candidates of one question. What is fitted to judged questions is in `data/ranking.json`. */
export class HybridScorer {
  readonly #asked: AskedQuestion;
  readonly #weights: FeatureValues;
  readonly #calibration: Calibration;
  readonly #scale: SumScale;

  constructor(asked: AskedQuestion, model: RankingModel = rankingModel()) {
    this.#asked = asked;
    this.#weights = weightsFor(model.weights, asked);
    this.#calibration = model.calibration[asked.ranking];
    const reach = asked.ranking === 'hybrid' ? reachOf(this.#weights) : 1;
    this.#scale = { size: sizeOf(asked), reach };
  }

  judge(candidate: Candidate, name: NameMatch): Judged {
    const { ranking } = this.#asked;
    if (ranking === 'vector')
      return { candidate, values: undefined, group: 0, sum: Math.min(1, Math.max(0, candidate.cosine ?? 0)) };
    const values = featuresOf(candidate, this.#asked);
    if (ranking === 'words') return { candidate, values: undefined, group: 0, sum: values.words };
    return { candidate, values, group: NAME_ORDER.indexOf(name), sum: weigh(values, this.#weights) };
  }

  /** @param best the best ten candidates or more, of different texts; the best first, but for their names */
  certaintyOf(best: readonly Judged[]): Certainty {
    const [first] = best;
    const sums = best.map(({ sum }) => sum).sort((a, b) => b - a);
    const others = meanOfOthers(sums, this.#scale, this.#calibration);
    const probability = ({ sum }: Judged): number => probabilityOf(sum, others, this.#calibration);
    const scoreOf = (judged: Judged): number => this.#scoreOf(judged, probability(judged));
    return {
      scoreOf,
      partsOf: (judged) => ({ ...this.#partsOf(judged), probability: probability(judged), others }),
      confident:
        first !== undefined &&
        (NAME_ORDER[first.group] === 'exact' || isConfident(first.sum, others, this.#scale, this.#calibration)),
    };
  }

  #scoreOf({ group, sum }: Judged, probability: number): number {
    if (this.#asked.ranking !== 'hybrid') return sum;
    if (NAME_ORDER[group] === 'exact') return EXACT_FROM + (1 - EXACT_FROM) * probability;
    if (NAME_ORDER[group] === 'beginning') return BEGINNING_FROM + (EXACT_FROM - BEGINNING_FROM) * probability;
    return probability;
  }

  #partsOf({ candidate, values, group, sum }: Judged): Omit<ScoreParts, 'copies' | 'probability' | 'others'> {
    const { cosine, sentence, words } = candidate;
    const { ranking, highest } = this.#asked;
    return {
      ...(cosine === undefined || ranking === 'words' ? {} : { cosine: Math.min(1, Math.max(-1, cosine)) }),
      ...(sentence === undefined || ranking !== 'hybrid' ? {} : { sentence }),
      ...(words === undefined
        ? {}
        : { bm25: words.fields, words: highest === 0 ? 0 : words.score / highest, coverage: words.coverage }),
      ...(values === undefined ? {} : { features: sharesOf(values, this.#weights) }),
      sum,
      name: NAME_ORDER[group]!,
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
