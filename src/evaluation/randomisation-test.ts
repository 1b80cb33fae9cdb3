import { randomNumbers } from './random-numbers.js';

export interface RandomisationOptions {
  /** How many assignments of signs are looked at, where there are more than that. @default 10000 */
  readonly samples?: number | undefined;
  /** @default 1 */
  readonly seed?: number | undefined;
}

/** Sums in another order differ by rounding; what is as large but for that counts as large. */
const ROUNDING = 1e-9;

/**
 * Fisher's paired randomisation test, two-sided (M. Smucker et al., A comparison of statistical significance tests for
 * information retrieval evaluation, CIKM 2007): if it made no difference which of two rankings a question was given to, each
 * difference could as well have the other sign. The answer is how often the mean is then at least as far from 0.
 *
 * All assignments of signs are gone through where there are no more than `samples`, and the answer is exact; else so many
 * are drawn, and the one that happened is counted among them, so it is never 0.
 *
 * @param differences one for each question
 * @returns 0 to 1; 1 where nothing differs
 */
export function randomisationTest(differences: ArrayLike<number>, options: RandomisationOptions = {}): number {
  const { samples = 10_000, seed = 1 } = options;
  // A difference of 0 is the same with either sign.
  const sizes = Array.from(differences).filter((difference) => difference !== 0);
  const total = sizes.reduce((sum, difference) => sum + difference, 0);
  const scale = sizes.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const bar = Math.abs(total) - ROUNDING * scale;
  if (2 ** sizes.length <= samples) return shareOfAll(sizes, bar);

  const random = randomNumbers(seed);
  let extreme = 1;
  for (let sample = 0; sample < samples; sample++) {
    // What keeps its sign; all else has the other one.
    let kept = 0;
    let bits = 0;
    for (let i = 0; i < sizes.length; i++) {
      if (i % 32 === 0) bits = random() * 2 ** 32;
      kept += (bits & 1) * sizes[i]!;
      bits >>>= 1;
    }
    if (Math.abs(2 * kept - total) >= bar) extreme++;
  }
  return extreme / (samples + 1);
}

/** Share of all assignments of signs whose sum is at least so far from 0. */
function shareOfAll(sizes: readonly number[], bar: number): number {
  const all = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < all; signs++) {
    const sum = sizes.reduce((total, size, i) => total + ((signs >>> i) & 1 ? size : -size), 0);
    if (Math.abs(sum) >= bar) extreme++;
  }
  return extreme / all;
}
