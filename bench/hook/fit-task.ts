import type { TaskRule } from '../../src/agents/hook/fit-rule.js';

/** A prompt as a vector. */
export interface TaskExample {
  readonly vector: Float32Array;
  readonly isTask: boolean;
  /** Who wrote it; undefined for tasks. */
  readonly writer: string | undefined;
}

const RIDGE = 0.3;
const STEPS = 600;

/** Logistic regression by accelerated gradient steps; tasks count as much as all other prompts together. */
export function fitTask(examples: readonly TaskExample[]): TaskRule {
  const tasks = examples.filter(({ isTask }) => isTask).length;
  const others = examples.length - tasks;
  const size = examples[0]!.vector.length;
  const rows = examples.map(({ vector, isTask }) => {
    const places = [...vector.keys()].filter((place) => vector[place] !== 0);
    const values = places.map((place) => vector[place]!);
    // The intercept is the last weight.
    return {
      places: [...places, size],
      values: [...values, 1],
      target: isTask ? 1 : 0,
      weight: isTask ? others / tasks : 1,
    };
  });
  // The curvature is nowhere greater: rows are at most of length √2.
  const step = 1 / (RIDGE + rows.reduce((sum, { weight }) => sum + weight, 0) / 2);
  let fitted = new Float64Array(size + 1);
  let ahead = fitted;
  for (let i = 0; i < STEPS; i++) {
    const next = ahead.map((value, place) => value - (place < size ? step * RIDGE * value : 0));
    for (const { places, values, target, weight } of rows) {
      let sum = 0;
      for (let k = 0; k < places.length; k++) sum += values[k]! * ahead[places[k]!]!;
      const push = step * weight * (target - 1 / (1 + Math.exp(-sum)));
      for (let k = 0; k < places.length; k++) next[places[k]!]! += push * values[k]!;
    }
    const before = fitted;
    ahead = next.map((value, place) => value + (i / (i + 3)) * (value - before[place]!));
    fitted = next;
  }
  return packed(fitted);
}

const FOLDS = 5;

/**
 * Rules by which prompts are judged that they were not fitted to, nor to any other by the same writer; tasks by their
 * place among all.
 */
export function crossFitTask(examples: readonly TaskExample[]): (place: number) => TaskRule {
  const writers = [...new Set(examples.flatMap(({ writer }) => writer ?? []))];
  const foldOf = ({ writer }: TaskExample, place: number): number =>
    writer === undefined ? place % FOLDS : writers.indexOf(writer) % FOLDS;
  const rules = Array.from({ length: FOLDS }, (_, fold) =>
    fitTask(examples.filter((example, place) => foldOf(example, place) !== fold)),
  );
  return (place) => rules[foldOf(examples[place]!, place)]!;
}

function packed(fitted: Float64Array): TaskRule {
  const weights = fitted.subarray(0, -1);
  const scale = Number((weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127).toPrecision(4));
  const bytes = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))));
  return {
    weights: Buffer.from(bytes.buffer).toString('base64'),
    scale,
    intercept: Number(fitted.at(-1)!.toPrecision(4)),
  };
}
