import { checkOptions, namesOf } from '../core/index.js';
import { randomNumbers } from './random-numbers.js';

/** Options of {@link randomisationTest}. */
export interface RandomisationOptions {
  /** Number of assignments of signs to draw if there are more, 1 or more. @default 10000 */
  readonly samples?: number | undefined;
  /** Seed of the random draws. @default 1 */
  readonly seed?: number | undefined;
}

const OPTIONS = namesOf<RandomisationOptions>({ samples: true, seed: true });

/** Relative tolerance: sums of the same numbers in another order differ by rounding. */
const ROUNDING = 1e-9;

/**
 * Fisher's paired randomisation test, two-sided (M. Smucker et al., A comparison of statistical significance tests for
 * information retrieval evaluation, CIKM 2007). If two rankings are equally good, each difference could as well have
 * the other sign. The p-value is how often the mean is at least as far from 0 with random signs.
 *
 * With at most `samples` assignments of signs all are tried, and the p-value is exact. Otherwise `samples` are drawn,
 * and the observed one is counted among them, so the p-value is never 0.
 *
 * @param differences one for each question
 * @returns the p-value, 0 to 1; 1 if nothing differs
 * @example
 * import { randomisationTest } from 'skill-discovery/evaluation';
 *
 * console.log(randomisationTest([0.2, 0.1, 0.3])); // 0.25: two of the eight assignments
 */
export function randomisationTest(differences: ArrayLike<number>, options: RandomisationOptions = {}): number {
  checkOptions(options, OPTIONS);
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
    // The sum of those that keep their sign. All others change it.
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

/** Share of all assignments of signs whose sum is at least `bar` away from 0. */
function shareOfAll(sizes: readonly number[], bar: number): number {
  const all = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < all; signs++) {
    const sum = sizes.reduce((total, size, i) => total + ((signs >>> i) & 1 ? size : -size), 0);
    if (Math.abs(sum) >= bar) extreme++;
  }
  return extreme / all;
}
