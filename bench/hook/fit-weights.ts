import { FIT_FEATURES, type FitRule, type FitValues, fitSum } from '../../src/agents/hook/fit-rule.js';
import { solve } from '../ranking/solve.js';

/** What a search found for a prompt. */
export interface Outcome {
  /** Undefined if nothing was found. */
  readonly values: FitValues | undefined;
  readonly needsSkill: boolean;
  /** Number of skills in the home. */
  readonly skills: number;
  /** How much it counts: a prompt that was asked in many homes counts as often as one that was asked in one. */
  readonly weight: number;
  /** Who wrote the prompt, where that is known. */
  readonly writer?: string;
}

/** So many of the prompts that need no skill may get some, of those that the bound is found by. */
const WRONGLY_ANSWERED = 0.04;

const RIDGE = 1;
const MOST_STEPS = 60;
const FOLDS = 5;

/**
 * The rule for the prompts of one half: weights by logistic regression, values brought to the same scale first, and the
 * bound that few prompts without need exceed, each judged by weights that were fitted without its writer.
 */
export function fitRule(outcomes: readonly Outcome[]): Omit<FitRule, 'task'> {
  const writers = [...new Set(outcomes.flatMap(({ writer }) => writer ?? []))];
  const foldOf = ({ writer }: Outcome, i: number): number =>
    (writer === undefined ? i : writers.indexOf(writer)) % FOLDS;
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitWeights(outcomes.filter((outcome, i) => foldOf(outcome, i) !== fold)),
  );
  const withoutNeed = outcomes.flatMap((outcome, i) => {
    const { values, needsSkill, skills } = outcome;
    const { weights, intercept } = folds[foldOf(outcome, i)]!;
    const sum = values === undefined ? Number.NEGATIVE_INFINITY : fitSum(values, weights) + intercept;
    return needsSkill ? [] : [{ sum, skills }];
  });
  const { weights, intercept } = fitWeights(outcomes);
  const sizes = [...new Set(withoutNeed.map(({ skills }) => skills))].sort((a, b) => a - b);
  const bounds = sizes.map((size) => {
    const sums = withoutNeed.filter(({ skills }) => skills === size).map(({ sum }) => sum);
    sums.sort((a, b) => b - a);
    const line = sums[Math.floor(sums.length * WRONGLY_ANSWERED)]!;
    return { skills: size, bound: Number((line - intercept).toPrecision(4)) };
  });
  return { weights: rounded(weights), bounds };
}

function rounded(weights: FitValues): FitValues {
  return valuesOf((feature) => Number(weights[feature].toPrecision(4)));
}

function valuesOf(of: (feature: (typeof FIT_FEATURES)[number]) => number): FitValues {
  return Object.fromEntries(FIT_FEATURES.map((feature) => [feature, of(feature)])) as unknown as FitValues;
}

/** By Newton's method. */
function fitWeights(outcomes: readonly Outcome[]): { readonly weights: FitValues; readonly intercept: number } {
  const found = outcomes.flatMap(({ values, needsSkill, weight }) =>
    values === undefined ? [] : [{ values, needsSkill, weight }],
  );
  const means = valuesOf((feature) => mean(found.map(({ values }) => values[feature])));
  const spreads = valuesOf(
    (feature) => Math.sqrt(mean(found.map(({ values }) => (values[feature] - means[feature]) ** 2))) || 1,
  );
  const rows = found.map(({ values, needsSkill, weight }) => ({
    weight,
    row: [...FIT_FEATURES.map((feature) => (values[feature] - means[feature]) / spreads[feature]), 1],
    target: needsSkill ? 1 : 0,
  }));
  const size = FIT_FEATURES.length + 1;
  const fitted = new Float64Array(size);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Float64Array(size);
    const information = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      // The intercept is not held back; the little keeps the matrix definite.
      const ridge = i < size - 1 ? RIDGE : 1e-9;
      gradient[i] = -ridge * fitted[i]!;
      information[i * size + i] = ridge;
    }
    for (const { row, target, weight } of rows) {
      const sum = row.reduce((total, value, i) => total + value * fitted[i]!, 0);
      const probability = 1 / (1 + Math.exp(-sum));
      for (let i = 0; i < size; i++) {
        gradient[i]! += weight * (target - probability) * row[i]!;
        for (let j = 0; j <= i; j++)
          information[i * size + j]! += weight * probability * (1 - probability) * row[i]! * row[j]!;
      }
    }
    const change = solve(information, gradient);
    for (let i = 0; i < size; i++) fitted[i]! += change[i]!;
  }
  const weights = valuesOf((feature) => fitted[FIT_FEATURES.indexOf(feature)]! / spreads[feature]);
  return { weights, intercept: fitted[size - 1]! - fitSum(means, weights) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
