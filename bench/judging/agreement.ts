import { LEAST_USEFUL } from '../../src/evaluation/benchmark.js';
import type { Grade, Grades } from './grades.js';

const GRADES = [0, 1, 2, 3] as const;

/** How far two readers agree on the pairs that both have graded. */
export interface Agreement {
  readonly pairs: number;
  /** Cohen's kappa with quadratic weights (J. Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968); at most 1. */
  readonly kappa: number;
  /** Share of pairs with the same grade. */
  readonly same: number;
  /** Share of pairs that both or neither call useful (graded 2 or 3), and Cohen's kappa of that. */
  readonly sameUse: number;
  readonly useKappa: number;
}

/** @returns undefined if there is no pair that both have graded */
export function agreementOf(first: Grades, second: Grades): Agreement | undefined {
  const pairs: [Grade, Grade][] = [];
  for (const [request, skills] of second) {
    for (const [skill, grade] of skills) {
      const other = first.get(request)?.get(skill);
      if (other !== undefined) pairs.push([other, grade]);
    }
  }
  if (pairs.length === 0) return undefined;
  const share = (holds: (a: Grade, b: Grade) => boolean): number =>
    pairs.filter(([a, b]) => holds(a, b)).length / pairs.length;
  return {
    pairs: pairs.length,
    kappa: weightedKappa(pairs, (a, b) => (a - b) ** 2),
    same: share((a, b) => a === b),
    sameUse: share(isSameUse),
    useKappa: weightedKappa(pairs, (a, b) => (isSameUse(a, b) ? 0 : 1)),
  };
}

function isSameUse(a: Grade, b: Grade): boolean {
  return a >= LEAST_USEFUL === b >= LEAST_USEFUL;
}

/** 1 minus the disagreement that is seen, relative to the one that chance alone would make. */
function weightedKappa(pairs: readonly (readonly [Grade, Grade])[], weight: (a: Grade, b: Grade) => number): number {
  const shareOf = (side: 0 | 1, grade: Grade): number =>
    pairs.filter((pair) => pair[side] === grade).length / pairs.length;
  const seen = pairs.reduce((sum, [a, b]) => sum + weight(a, b), 0) / pairs.length;
  let byChance = 0;
  for (const a of GRADES) for (const b of GRADES) byChance += weight(a, b) * shareOf(0, a) * shareOf(1, b);
  return byChance === 0 ? 1 : 1 - seen / byChance;
}
