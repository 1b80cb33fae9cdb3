import type { ScoredHit } from '../../src/evaluation/measures.js';
import {
  type Calibration,
  COMPARED,
  MOST_CERTAIN,
  probabilityOf,
  type SumScale,
} from '../../src/search/ranking/hybrid.js';
import { isRight, isServed, type JudgedQuestion } from './judged-questions.js';
import { solve } from './solve.js';

/** The first hit of a question, and whether it is right. */
export interface FirstHit {
  readonly set: string;
  readonly foreign: boolean;
  readonly scale: SumScale;
  readonly sum: number;
  readonly others: number;
  readonly right: boolean;
  /** Whether any skill is known to be right. */
  readonly served: boolean;
  /** Whether it asks for a matter that is hardly covered. */
  readonly rare: boolean;
}

/** What the candidates of a question come to. */
export interface Summed {
  readonly sums: Float64Array;
  /** What a skill that fits in every way would. */
  readonly reach: number;
}

/**
 * The first hit by some sums, copies shown as one; none where fewer than {@link COMPARED} are found: they say nothing
 * of how sure a hit can be.
 *
 * @param without whether the right answers are taken out before
 */
export function firstHit(question: JudgedQuestion, { sums, reach }: Summed, without = false): FirstHit | undefined {
  const { set, foreign, size, gains, groups, rare } = question;
  const byGroup = new Map<number, number>();
  for (const [i, group] of groups.entries()) {
    if (without && isRight(gains[i]!, question)) continue;
    const other = byGroup.get(group);
    if (other === undefined || (sums[i] as number) > (sums[other] as number)) byGroup.set(group, i);
  }
  const served = !without && isServed(question);
  const best = [...byGroup.values()].sort((a, b) => (sums[b] as number) - (sums[a] as number)).slice(0, COMPARED);
  const [first] = best;
  if (first === undefined || best.length < COMPARED) return undefined;
  const others = best.slice(1).reduce((total, i) => total + (sums[i] as number), 0) / (COMPARED - 1);
  return {
    set,
    foreign,
    scale: { size, reach },
    sum: sums[first]!,
    others,
    right: isRight(gains[first]!, question),
    served,
    rare,
  };
}

const MOST_STEPS = 50;
const RIDGE = 1e-6;

/**
 * Of the questions of matters that are hardly covered, and that nothing answers, so many are above the line from which
 * on an answer is confident. Where none asks for such a matter, of all that nothing answers.
 */
const WRONGLY_CONFIDENT = 0.08;

/** The same line where all questions have an answer: so many of the first hits that are right are below it. */
const WRONGLY_DOUBTED = 0.05;

const NUMBERS = 4;

/** The calibration of greatest likelihood, all questions counting the same, by Fisher scoring. */
export function fitCalibration(hits: readonly FirstHit[]): Calibration {
  const fitted = startOf(hits);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Float64Array(NUMBERS);
    const information = new Float64Array(NUMBERS * NUMBERS);
    for (let i = 0; i < NUMBERS; i++) information[(NUMBERS + 1) * i] = RIDGE;
    for (const { sum, others, scale, right } of hits) {
      const by = [sum / scale.reach, -others / scale.reach, scale.size, 1];
      const logistic = 1 / (1 + Math.exp(-by.reduce((total, value, i) => total + value * fitted[i]!, 0)));
      const probability = Math.min(1 - 1e-9, Math.max(1e-9, MOST_CERTAIN * logistic));
      const change = MOST_CERTAIN * logistic * (1 - logistic);
      const share = 1 / (hits.length * probability * (1 - probability));
      for (let i = 0; i < NUMBERS; i++) {
        gradient[i] = gradient[i]! + share * ((right ? 1 : 0) - probability) * change * by[i]!;
        for (let j = 0; j <= i; j++) {
          information[NUMBERS * i + j] = information[NUMBERS * i + j]! + share * change * change * by[i]! * by[j]!;
        }
      }
    }
    const change = solve(information, gradient);
    const length = Math.max(...change.map(Math.abs));
    const taken = Math.min(1, 4 / length);
    for (let i = 0; i < NUMBERS; i++) fitted[i] = fitted[i]! + taken * change[i]!;
    if (length < 1e-7) break;
  }
  const [slope, others, bySize, intercept] = fitted as [number, number, number, number];
  const calibration = { slope, others, bySize, intercept, confident: 0, unfit: unfitOf(hits) };
  return { ...calibration, confident: confidentFrom(hits, calibration) };
}

/**
 * A straight line, by least squares, through the parts of what they could reach that the first hits come to where
 * nothing answers, or where all questions have an answer, through those of wrong first hits.
 */
function unfitOf(hits: readonly FirstHit[]): Calibration['unfit'] {
  const unserved = hits.filter(({ served }) => !served);
  const points = (unserved.length > 0 ? unserved : hits.filter(({ right }) => !right)).map(
    ({ sum, scale }): [size: number, part: number] => [scale.size, sum / scale.reach],
  );
  if (points.length === 0) return { weight: 0, bySize: 0 };
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [size, part] = [mean(([x]) => x), mean(([, y]) => y)];
  const variance = mean(([x]) => (x - size) ** 2);
  const bySize = variance < 1e-9 ? 0 : mean(([x, y]) => (x - size) * (y - part)) / variance;
  return { weight: part - bySize * size, bySize };
}

function startOf(hits: readonly FirstHit[]): number[] {
  const mean = hits.reduce((total, { sum, scale }) => total + sum / scale.reach, 0) / hits.length;
  return [1 / Math.max(0.1, mean), 0, 0, -1];
}

function confidentFrom(hits: readonly FirstHit[], calibration: Calibration): number {
  const probabilitiesOf = (of: readonly FirstHit[]): number[] =>
    of.map(({ sum, others, scale }) => probabilityOf(sum, others, scale, calibration)).sort((a, b) => a - b);
  const unanswered = hits.filter(({ served }) => !served);
  const rare = unanswered.filter((hit) => hit.rare);
  const unserved = probabilitiesOf(rare.length > 0 ? rare : unanswered);
  if (unserved.length > 0) {
    const above = unserved[Math.ceil((1 - WRONGLY_CONFIDENT) * unserved.length) - 1]!;
    return above + 1e-6;
  }
  const right = probabilitiesOf(hits.filter((hit) => hit.right));
  return right[Math.floor(WRONGLY_DOUBTED * right.length)] ?? 0;
}

/** First hits with the probability that they are right, and whether they are. */
export function withProbabilities(hits: readonly FirstHit[], calibration: Calibration): ScoredHit[] {
  return hits.map(({ sum, others, scale, right }) => [probabilityOf(sum, others, scale, calibration), right]);
}
