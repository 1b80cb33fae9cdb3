import { RANKING_FEATURES } from '../../src/result.js';
import { FEWEST_WORDS, LARGE, lengthOf, MOST_WORDS, SMALL, sizeOf } from '../../src/search/ranking/features.js';
import { type JudgedQuestion, TERMS, type Term } from './judged-questions.js';
import { solve } from './solve.js';

/** How much large weights are held against a fit, in units of what a weight means for a typical candidate. */
const RIDGE = 1e-2;

const MOST_STEPS = 30;

/** Candidates that are picked less often do not change which way a step goes; most are. */
const UNLIKELY = 1e-7;

/** How much a weight below 0 is held against a fit, in any catalogue or question that there can be. */
const NEGATIVE = 1e3;

/**
 * Weights of {@link TERMS} by listwise softmax: what makes the right candidates of the questions most likely, if each
 * question picks one with a probability in proportion to e to its score (ListNet's top one: Z. Cao et al., Learning to
 * rank: from pairwise approach to listwise approach, ICML 2007). Each set counts by its weight, however many questions
 * it has. No feature's weight is below 0, be a catalogue small or large and a question short or long: a word that takes
 * away is chance, and would do harm where few questions were seen. Convex; found by Newton's method, each step halved
 * until it is one.
 *
 * @param terms what is fitted; all other weights are 0
 * @param usual weights that the fit stays near, unless the questions say otherwise
 * @throws {RangeError} where no question has a right candidate
 */
export function fitListwise(
  questions: readonly JudgedQuestion[],
  terms: readonly Term[] = TERMS,
  usual: Float64Array = new Float64Array(TERMS.length),
): Float64Array {
  const usable = questions.filter(({ gains }) => gains.some((gain) => gain > 0));
  if (usable.length === 0) throw new RangeError('no question has a right candidate');
  const scales = spreadOf(usable);
  const factors = Float64Array.from(TERMS, (term, i) => (terms.includes(term) ? 1 / (scales[i] as number) : 0));
  const fit: Fit = {
    questions: usable.map((question) => ({
      ...question,
      values: question.values.map((value, i) => value * (factors[i % TERMS.length] as number)),
    })),
    shares: sharesOf(usable),
    bounds: boundsOf(factors),
    usual: usual.map((weight, i) => (factors[i] === 0 ? 0 : weight / (factors[i] as number))),
  };
  let weights = fit.usual;
  let loss = lossOf(fit, weights);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { gradient, hessian } = derivativesOf(fit, weights);
    const direction = solve(hessian, gradient);
    let [taken, found, better] = [1, weights, loss];
    for (; taken > 1e-6; taken /= 2) {
      found = weights.map((weight, i) => weight - taken * (direction[i] as number));
      better = lossOf(fit, found);
      if (better <= loss) break;
    }
    const gained = loss - better;
    [weights, loss] = [found, better];
    if (gained < 1e-9) break;
  }
  return weights.map((weight, i) => weight * (factors[i] as number));
}

/** What is fitted to: values in units of their spread, what each question counts, and what must not be below 0. */
interface Fit {
  readonly questions: readonly JudgedQuestion[];
  readonly shares: Float64Array;
  readonly bounds: readonly Float64Array[];
  readonly usual: Float64Array;
}

/**
 * For each feature its weight in the smallest and largest catalogues and the shortest and longest questions, as sums of
 * terms.
 */
function boundsOf(factors: Float64Array): Float64Array[] {
  const sizes = [SMALL, LARGE].map((skills) => sizeOf({ skills }));
  const lengths = [FEWEST_WORDS, MOST_WORDS].map((words) => lengthOf({ words }));
  const kinds = sizes.flatMap((bySize) => lengths.map((byLength) => ({ weight: 1, bySize, byLength })));
  return RANKING_FEATURES.flatMap((feature) =>
    kinds.map((kind) => {
      const bound = Float64Array.from(TERMS, (term, i) =>
        term.feature === feature ? kind[term.part] * (factors[i] as number) : 0,
      );
      const greatest = Math.max(1e-12, ...bound.map(Math.abs));
      return bound.map((factor) => factor / greatest);
    }),
  );
}

function amountOf(bound: Float64Array, weights: Float64Array): number {
  return bound.reduce((sum, factor, i) => sum + factor * (weights[i] as number), 0);
}

/** The standard deviation of each term, mean of all sets; 1 where it never varies. */
function spreadOf(questions: readonly JudgedQuestion[]): Float64Array {
  const sums = new Float64Array(TERMS.length);
  const sets = [...new Set(questions.map(({ set }) => set))];
  for (const set of sets) {
    const [total, squares] = [new Float64Array(TERMS.length), new Float64Array(TERMS.length)];
    let count = 0;
    for (const { values } of questions.filter((question) => question.set === set)) {
      count += values.length / TERMS.length;
      for (let i = 0; i < values.length; i++) {
        const [value, term] = [values[i] as number, i % TERMS.length];
        total[term] = (total[term] as number) + value;
        squares[term] = (squares[term] as number) + value * value;
      }
    }
    for (let term = 0; term < TERMS.length; term++) {
      const mean = (total[term] as number) / count;
      sums[term] = (sums[term] as number) + Math.sqrt(Math.max(0, (squares[term] as number) / count - mean * mean));
    }
  }
  return sums.map((sum) => (sum < 1e-9 ? 1 : sum / sets.length));
}

/** What each question counts: together 1, each set by its weight. */
function sharesOf(questions: readonly { readonly set: string; readonly weight: number }[]): Float64Array {
  const counts = new Map<string, number>();
  const weights = new Map<string, number>();
  for (const { set, weight } of questions) {
    counts.set(set, (counts.get(set) ?? 0) + 1);
    weights.set(set, weight);
  }
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return Float64Array.from(questions, ({ set, weight }) => weight / ((counts.get(set) as number) * all));
}

export function scoresOf({ values }: JudgedQuestion, weights: Float64Array): Float64Array {
  const scores = new Float64Array(values.length / TERMS.length);
  for (let i = 0; i < values.length; i++) {
    const candidate = Math.floor(i / TERMS.length);
    scores[candidate] = (scores[candidate] as number) + (values[i] as number) * (weights[i % TERMS.length] as number);
  }
  return scores;
}

function softmax(scores: Float64Array): { readonly chances: Float64Array; readonly logarithm: number } {
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const chances = scores.map((score) => Math.exp(score - highest));
  const sum = chances.reduce((total, chance) => total + chance, 0);
  return { chances: chances.map((chance) => chance / sum), logarithm: highest + Math.log(sum) };
}

function lossOf({ questions, shares, bounds, usual }: Fit, weights: Float64Array): number {
  let loss = (RIDGE / 2) * weights.reduce((sum, weight, i) => sum + (weight - usual[i]!) ** 2, 0);
  for (const bound of bounds) loss += (NEGATIVE / 2) * Math.min(0, amountOf(bound, weights)) ** 2;
  for (const [q, question] of questions.entries()) {
    const scores = scoresOf(question, weights);
    const { logarithm } = softmax(scores);
    const all = question.gains.reduce((sum, gain) => sum + gain, 0);
    const wanted = question.gains.reduce((sum, gain, i) => sum + (gain / all) * (scores[i] as number), 0);
    loss += (shares[q] as number) * (logarithm - wanted);
  }
  return loss;
}

function derivativesOf(
  { questions, shares, bounds, usual }: Fit,
  weights: Float64Array,
): { readonly gradient: Float64Array; readonly hessian: Float64Array } {
  const size = TERMS.length;
  const gradient = weights.map((weight, i) => RIDGE * (weight - usual[i]!));
  const hessian = new Float64Array(size * size);
  for (let i = 0; i < size; i++) hessian[i * size + i] = RIDGE;
  for (const bound of bounds) {
    const below = Math.min(0, amountOf(bound, weights));
    if (below === 0) continue;
    for (let i = 0; i < size; i++) {
      const factor = NEGATIVE * (bound[i] as number);
      gradient[i] = (gradient[i] as number) + factor * below;
      for (let j = 0; j <= i; j++) {
        hessian[i * size + j] = (hessian[i * size + j] as number) + factor * (bound[j] as number);
      }
    }
  }
  const mean = new Float64Array(size);
  for (const [q, question] of questions.entries()) {
    const { values, gains } = question;
    const share = shares[q] as number;
    const { chances } = softmax(scoresOf(question, weights));
    const all = gains.reduce((sum, gain) => sum + gain, 0);
    mean.fill(0);
    for (let candidate = 0; candidate < gains.length; candidate++) {
      const chance = chances[candidate] as number;
      const off = chance - (gains[candidate] as number) / all;
      for (let i = 0; i < size; i++) {
        const value = values[candidate * size + i] as number;
        mean[i] = (mean[i] as number) + chance * value;
        gradient[i] = (gradient[i] as number) + share * off * value;
        if (chance < UNLIKELY) continue;
        for (let j = 0; j <= i; j++) {
          const product = value * (values[candidate * size + j] as number);
          hessian[i * size + j] = (hessian[i * size + j] as number) + share * chance * product;
        }
      }
    }
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        const product = (mean[i] as number) * (mean[j] as number);
        hessian[i * size + j] = (hessian[i * size + j] as number) - share * product;
      }
    }
  }
  return { gradient, hessian };
}
