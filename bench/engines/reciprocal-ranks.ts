import type { RankedDocument, Run } from '../../src/evaluation/index.js';

/** The constant of the paper, which nearly everybody takes. */
const K = 60;

/**
 * Reciprocal rank fusion: each ranking gives a document 1 / (60 + its rank, from 1). Equal sums stand in the order in
 * which the documents first appear (G. V. Cormack, C. L. A. Clarke and S. Büttcher, SIGIR 2009,
 * https://doi.org/10.1145/1571941.1572114).
 *
 * @param depth documents of each ranking that count, and of the result
 */
export function fuseReciprocalRanks(rankings: readonly (readonly RankedDocument[])[], depth: number): RankedDocument[] {
  const sums = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [i, { id }] of ranking.slice(0, depth).entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (K + i + 1));
  }
  return Array.from(sums, ([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, depth);
}

/** The same for each question that one of the runs has. */
export function fuseRuns(runs: readonly Run[], depth: number): Run {
  const questions = new Set(runs.flatMap((run) => [...run.keys()]));
  return new Map(
    Array.from(questions, (id) => [
      id,
      fuseReciprocalRanks(
        runs.map((run) => run.get(id) ?? []),
        depth,
      ),
    ]),
  );
}
