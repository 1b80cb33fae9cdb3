import {
  type Calibration,
  COMPARED,
  MOST_CERTAIN,
  probabilityOf,
  type SumScale,
} from '../../src/ranking/calibration.js';
import { LEAST_USEFUL } from '../../src/evaluation/benchmark.js';
import type { JudgedQuestion } from './judged-questions.js';
import { sharesOf } from './listwise.js';
import { solve } from './solve.js';

/** The first hit of a question, and whether it is right. */
export interface FirstHit {
  readonly set: string;
  /** What its set counts beside the others. */
  readonly weight: number;
  readonly scale: SumScale;
  readonly sum: number;
  readonly others: number;
  readonly right: boolean;
}

/** The gain of the least grade that is useful. */
const LEAST_USEFUL_GAIN = 2 ** LEAST_USEFUL - 1;

/** What the candidates of a question come to. */
export interface Summed {
  readonly sums: Float64Array;
  /** What a skill that fits in every way would. */
  readonly reach: number;
}

/**
 * The first hit by some sums, copies shown as one; none where fewer than {@link COMPARED} are found: they say nothing of how
 * sure a hit can be.
 *
 * @param without whether the right answers are taken out before
 */
export function firstHit(question: JudgedQuestion, { sums, reach }: Summed, without = false): FirstHit | undefined {
  const { set, weight, size, gains, groups, graded } = question;
  const isRight = (gain: number): boolean => gain >= (graded ? LEAST_USEFUL_GAIN : 1e-9);
  const byGroup = new Map<number, number>();
  for (const [i, group] of groups.entries()) {
    if (without && isRight(gains[i]!)) continue;
    const other = byGroup.get(group);
    if (other === undefined || (sums[i] as number) > (sums[other] as number)) byGroup.set(group, i);
  }
  const best = [...byGroup.values()].sort((a, b) => (sums[b] as number) - (sums[a] as number)).slice(0, COMPARED);
  const [first] = best;
  if (first === undefined || best.length < COMPARED) return undefined;
  const others = best.slice(1).reduce((total, i) => total + (sums[i] as number), 0) / (COMPARED - 1);
  return { set, weight, scale: { size, reach }, sum: sums[first]!, others, right: isRight(gains[first]!) };
}

const MOST_STEPS = 50;
const RIDGE = 1e-6;

/** Of the first hits that are right, so many are below the line from which on an answer is confident. */
const WRONGLY_DOUBTED = 0.05;

/** The calibration of greatest likelihood, all sets counting the same, by Fisher scoring. */
export function fitCalibration(hits: readonly FirstHit[]): Calibration {
  const shares = sharesOf(hits);
  let [slope, against, intercept] = startOf(hits);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Float64Array(3);
    const information = new Float64Array(9);
    for (let i = 0; i < 3; i++) information[4 * i] = RIDGE;
    for (const [h, { sum, others, right }] of hits.entries()) {
      const logistic = 1 / (1 + Math.exp(-(slope * sum - against * others + intercept)));
      const probability = Math.min(1 - 1e-9, Math.max(1e-9, MOST_CERTAIN * logistic));
      const change = MOST_CERTAIN * logistic * (1 - logistic);
      const share = (shares[h] as number) / (probability * (1 - probability));
      const by = [sum, -others, 1];
      for (let i = 0; i < 3; i++) {
        gradient[i] = (gradient[i] as number) + share * ((right ? 1 : 0) - probability) * change * (by[i] as number);
        for (let j = 0; j <= i; j++) {
          const product = (by[i] as number) * (by[j] as number);
          information[3 * i + j] = (information[3 * i + j] as number) + share * change * change * product;
        }
      }
    }
    const step3 = solve(information, gradient);
    const length = Math.max(...step3.map(Math.abs));
    const taken = Math.min(1, 2 / length);
    slope += taken * (step3[0] as number);
    against += taken * (step3[1] as number);
    intercept += taken * (step3[2] as number);
    if (length < 1e-7) break;
  }
  const fitted = { slope, others: against, intercept, confident: 0, near: nearLine(hits) };
  return { ...fitted, confident: doubtLine(hits, shares, fitted) };
}

/**
 * A straight line, by least squares over the sets, through the parts of what they could reach that of a set's right first hits
 * {@link WRONGLY_DOUBTED} are below.
 */
function nearLine(hits: readonly FirstHit[]): Calibration['near'] {
  const points = [...new Set(hits.map(({ set }) => set))].flatMap((name): [size: number, sum: number][] => {
    const right = hits
      .filter(({ set, right: is }) => is && set === name)
      .map(({ sum: of, scale }): [size: number, part: number] => [scale.size, of / scale.reach])
      .sort(([, a], [, b]) => a - b);
    const lowest = right[Math.floor(WRONGLY_DOUBTED * right.length)];
    return lowest === undefined ? [] : [lowest];
  });
  if (points.length === 0) return { weight: 0, bySize: 0 };
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [size, sum] = [mean(([x]) => x), mean(([, y]) => y)];
  const variance = mean(([x]) => (x - size) ** 2);
  const bySize = variance === 0 ? 0 : mean(([x, y]) => (x - size) * (y - sum)) / variance;
  return { weight: sum - bySize * size, bySize };
}

function startOf(hits: readonly FirstHit[]): [slope: number, others: number, intercept: number] {
  const mean = hits.reduce((total, { sum }) => total + sum, 0) / hits.length;
  return [1 / Math.max(1, mean), 0, -1];
}

function doubtLine(hits: readonly FirstHit[], shares: Float64Array, calibration: Calibration): number {
  const right = hits
    .map(({ sum, others, right: is }, h) => ({
      probability: probabilityOf(sum, others, calibration),
      share: is ? (shares[h] as number) : 0,
    }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => a.probability - b.probability);
  let left = WRONGLY_DOUBTED * right.reduce((total, { share }) => total + share, 0);
  for (const { probability, share } of right) {
    left -= share;
    if (left < 0) return probability;
  }
  return 0;
}

/** First hits of like probability: how many of them are right. */
export interface ReliabilityBin {
  readonly from: number;
  readonly count: number;
  readonly expected: number;
  readonly right: number;
}

const BINS = 10;

export function reliabilityOf(hits: readonly FirstHit[], calibration: Calibration): ReliabilityBin[] {
  const bins = Array.from({ length: BINS }, (_, i) => ({ from: i / BINS, count: 0, expected: 0, right: 0 }));
  for (const { sum, others, right } of hits) {
    const probability = probabilityOf(sum, others, calibration);
    const bin = bins[Math.min(BINS - 1, Math.floor(probability * BINS))] as (typeof bins)[number];
    bin.count += 1;
    bin.expected += probability;
    bin.right += right ? 1 : 0;
  }
  return bins
    .filter(({ count }) => count > 0)
    .map(({ from, count, expected, right }) => ({ from, count, expected: expected / count, right: right / count }));
}

/** Expected calibration error: M. P. Naeini, G. Cooper and M. Hauskrecht, AAAI 2015. */
export function calibrationError(bins: readonly ReliabilityBin[]): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { count, expected, right }) => sum + (count / all) * Math.abs(expected - right), 0);
}
