import { randomNumbers } from '../../src/evaluation/compare.js';
import type { Grades } from './grades.js';

/** What a ranking shows for each request, the best first, by the id of the request. */
export type Shown = ReadonlyMap<string, readonly string[]>;

/** The skills of a request that a reader shall grade, in random order. */
export interface PooledRequest {
  readonly request: string;
  readonly skills: readonly string[];
}

export interface PoolOptions {
  /** So many of the first skills of each ranking. */
  readonly depth: number;
  /** Pairs that have a grade are left out. */
  readonly graded: Grades;
  readonly seed: number;
}

/**
 * Pools rankings: all skills that any of them has among its first ones (K. Spärck Jones and C. J. van Rijsbergen,
 * Report on the need for and provision of an ideal information retrieval test collection, 1975). Whoever grades them
 * sees neither which ranking brought a skill nor where it stood.
 */
export function poolOf(requests: readonly string[], rankings: readonly Shown[], options: PoolOptions): PooledRequest[] {
  const random = randomNumbers(options.seed);
  return requests.flatMap((request) => {
    const graded = options.graded.get(request);
    const shown = rankings.flatMap((ranking) => (ranking.get(request) ?? []).slice(0, options.depth));
    const skills = [...new Set(shown)].filter((skill) => graded?.has(skill) !== true).sort();
    return skills.length === 0 ? [] : [{ request, skills: shuffled(skills, random) }];
  });
}

/** In random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
