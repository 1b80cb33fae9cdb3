import { type FeatureShare, RANKING_FEATURES, type Ranking, type ScoreParts } from '../../result.js';
import {
  type Decision,
  type DecisionRule,
  type DecisionValues,
  lengthForDecision,
  MOST_CERTAIN,
  MOST_SHOWN,
  NEXT_SHOWN,
  oddsOf,
  probabilityOf,
  sizeForDecision,
} from './decision.js';
import {
  type Candidate,
  type FeatureScale,
  type FeatureValues,
  featuresOf,
  type NameMatch,
  type QuestionKind,
  type RankingModel,
  rankingModel,
  reachOf,
  weigh,
  weightsFor,
} from './features.js';

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
  /** How far the question is from being a task; see `DECISION_FEATURES`. */
  readonly task: number;
  /** Whether the question is one word, with no stop word beside it. */
  readonly isOneWord: boolean;
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

/** Whether the question is the skill's name. */
export function isExact({ nameRank }: Pick<ScoredCandidate, 'nameRank'>): boolean {
  return NAME_ORDER[nameRank] === 'exact';
}

/** The scores of one answer. */
export interface CalibratedScores {
  /** The score of a candidate, 0 to 1. */
  readonly scoreOf: (scored: ScoredCandidate) => number;
  /** What that score is made of. */
  readonly partsOf: (scored: ScoredCandidate) => Omit<ScoreParts, 'copies'>;
  readonly decision: Decision;
}

/**
 * The least probability of a first hit with the only word of the question in its name: "review" and "git" look up a
 * skill, though as prompts they are remarks. Chosen by hand: no question that the rules were fitted to has one word.
 */
const LOOK_UP = 0.5;

/** Scores the candidates of one question, by the numbers that were fitted to judged questions (`data/ranking.json`). */
export class HybridScorer {
  readonly #context: QuestionContext;
  readonly #weights: FeatureValues;
  readonly #rule: DecisionRule;
  /** About the highest sum that a skill can have. */
  readonly #reach: number;

  /** @param pass `first` ranks without feedback, to choose what that comes from */
  constructor(context: QuestionContext, pass: 'first' | 'last' = 'last', model: RankingModel = rankingModel()) {
    const { first, ...last } = model.weights;
    this.#context = context;
    this.#weights = weightsFor(pass === 'first' ? { ...last, readable: first, glossed: first } : last, context);
    this.#rule = model.decision[context.ranking];
    this.#reach = context.ranking === 'hybrid' ? reachOf(this.#weights) : 1;
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
   * Turns sums into scores, and decides what is worth showing.
   *
   * @param best at least the best ten candidates, no two of them copies, in order
   * @param hits the first hits, if they are not the best; the first has the same name rank and sum as the best
   */
  calibrate(best: readonly ScoredCandidate[], hits: readonly ScoredCandidate[] = best): CalibratedScores {
    const [first] = best;
    const values = this.valuesFor(best);
    const odds = oddsOf(values, this.#rule);
    const probability = ({ sum }: ScoredCandidate): number =>
      probabilityOf(odds + this.#rule.later * (this.#part(sum) - values.sum));
    const others = values.others * this.#reach;
    return {
      scoreOf: (scored) => this.#scoreOf(scored, probability(scored)),
      partsOf: (scored) => ({ ...this.#partsOf(scored), probability: probability(scored), others }),
      decision: this.#decide(best, hits, first === undefined ? 0 : probability(first)),
    };
  }

  #decide([first]: readonly ScoredCandidate[], hits: readonly ScoredCandidate[], ofFirst: number): Decision {
    const { confident, perhaps } = this.#rule;
    const isNamed = first !== undefined && isExact(first);
    const isLookUp = this.#context.isOneWord && (first?.candidate.words?.fields.name ?? 0) > 0;
    const probability = isNamed ? 1 : isLookUp ? Math.max(LOOK_UP, ofFirst) : ofFirst;
    const isNext = ({ nameRank, sum }: ScoredCandidate): boolean =>
      isNamed ? nameRank === first.nameRank : sum >= NEXT_SHOWN * first!.sum;
    const worth = probability < confident ? 0 : hits.slice(0, MOST_SHOWN).filter(isNext).length;
    return {
      ...{ probability, worth, perhaps: worth === 0 && probability >= perhaps },
      thresholds: { confident, perhaps },
    };
  }

  /** What the decision is made by. @param best as for {@link calibrate} */
  valuesFor(best: readonly ScoredCandidate[]): DecisionValues {
    const { skills, words, task, readable, glossed } = this.#context;
    const first = best[0]?.candidate;
    const sums = best.map(({ sum }) => sum).sort((a, b) => b - a);
    const { coverage = 0, fields } = first?.words ?? {};
    const length = lengthForDecision(words);
    return {
      sum: this.#part(best[0]?.sum ?? 0),
      others: this.#part(meanOfOthers(sums, this.#rule.unfit * this.#reach)),
      cosine: readable * (first?.cosine ?? 0),
      coverage,
      name: Math.log1p(fields?.name ?? 0),
      description: Math.log1p(fields?.description ?? 0),
      covered: coverage * length,
      size: sizeForDecision(skills),
      length,
      task,
      glossed: glossed ? 1 : 0,
    };
  }

  #part(sum: number): number {
    // Without any weight there is nothing to tell hits apart by.
    return this.#reach === 0 ? 0 : sum / this.#reach;
  }

  #scoreOf({ nameRank, sum }: ScoredCandidate, probability: number): number {
    if (this.#context.ranking !== 'hybrid') return sum;
    if (isExact({ nameRank })) return EXACT_FROM + (1 - EXACT_FROM) * probability;
    if (NAME_ORDER[nameRank] === 'beginning') return BEGINNING_FROM + (EXACT_FROM - BEGINNING_FROM) * probability;
    return probability;
  }

  #partsOf(scored: ScoredCandidate): Omit<ScoreParts, 'copies' | 'probability' | 'others'> {
    const { candidate, values, nameRank, sum } = scored;
    const { cosine, sentence, words } = candidate;
    const { ranking, highest } = this.#context;
    return {
      ...(cosine === undefined || ranking === 'words' ? {} : { cosine: Math.min(1, Math.max(-1, cosine)) }),
      ...(sentence === undefined || ranking !== 'hybrid' ? {} : { sentence }),
      ...(words && {
        bm25: words.fields,
        words: highest === 0 ? 0 : Math.min(1, words.score / highest),
        coverage: words.coverage,
      }),
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
 * The mean of the second to the tenth sum. If there are fewer, skills that do not fit are assumed for the missing ones,
 * so that a hit is as certain as it would be among many that do not fit.
 *
 * @param sums highest first
 * @param unfit the sum of a skill that does not fit
 */
export function meanOfOthers(sums: readonly number[], unfit: number): number {
  const others = sums.slice(1, COMPARED);
  const missing = COMPARED - 1 - others.length;
  // No hit that is assumed comes before the first. It may come before a later one, or what does not fit at all would
  // make the first more certain than nothing would.
  const assumed = Math.min(unfit, sums[0] ?? 0);
  return others.reduce((total, sum) => total + sum, missing * assumed) / (COMPARED - 1);
}
