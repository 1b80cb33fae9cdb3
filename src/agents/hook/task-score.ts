/** What tells a task that a skill could serve from other prompts, by a vector of the prompt. */
export interface TaskRule {
  /** Weights of the vector's values as signed bytes, in base64. */
  readonly weights: string;
  /** What a byte is multiplied by. */
  readonly scale: number;
  readonly intercept: number;
}

/** Beyond this nothing gets more certain. */
const CERTAIN = 8;

/** The logarithm of the odds that a prompt is a task that a skill could serve, judged by its vector alone; -8 to 8. */
export function taskScore({ weights, scale, intercept }: TaskRule, vector: Float32Array): number {
  const bytes = Buffer.from(weights, 'base64');
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * bytes.readInt8(i);
  return Math.max(-CERTAIN, Math.min(CERTAIN, intercept + scale * sum));
}
