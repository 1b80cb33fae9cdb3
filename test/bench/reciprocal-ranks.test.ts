import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuseReciprocalRanks, fuseRuns } from '../../bench/engines/reciprocal-ranks.js';
import type { RankedDocument } from '../../src/evaluation/index.js';

const ranked = (ids: readonly string[]): RankedDocument[] => ids.map((id, i) => ({ id, score: -i }));

/** By the definition: for every document that any ranking has, the sum over all rankings. */
function naive(rankings: readonly (readonly string[])[], depth: number): Map<string, number> {
  const cut = rankings.map((ranking) => ranking.slice(0, depth));
  const sumOf = (id: string): number =>
    cut.reduce((sum, ranking) => sum + (ranking.includes(id) ? 1 / (60 + ranking.indexOf(id) + 1) : 0), 0);
  return new Map([...new Set(cut.flat())].map((id) => [id, sumOf(id)]));
}

describe('reciprocal rank fusion', () => {
  test('gives what its definition gives', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), fc.integer({ min: 1, max: 15 }), (rankings, depth) => {
        const fused = fuseReciprocalRanks(rankings.map(ranked), depth);
        const sums = naive(rankings, depth);
        expect(fused).toHaveLength(Math.min(depth, sums.size));
        for (const { id, score } of fused) expect(score).toBeCloseTo(sums.get(id) as number, 12);
        const best = [...sums.values()].sort((a, b) => b - a).slice(0, depth);
        for (const [i, { score }] of fused.entries()) expect(score).toBeCloseTo(best[i] as number, 12);
      }),
    );
  });

  test('puts what both have before what one has first', () => {
    expect(fuseReciprocalRanks([ranked(['a', 'c']), ranked(['b', 'c'])], 10).map(({ id }) => id)).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  test('fuses questions that only one run has', () => {
    const fused = fuseRuns([new Map([['q1', ranked(['a'])]]), new Map([['q2', ranked(['b'])]])], 10);
    expect([...fused].map(([question, found]) => [question, found.map(({ id }) => id)])).toEqual([
      ['q1', ['a']],
      ['q2', ['b']],
    ]);
  });
});
