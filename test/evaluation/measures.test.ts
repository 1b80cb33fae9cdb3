import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bootstrapIntervals,
  compareFigures,
  extremesOf,
  measureRanking,
  randomisationTest,
  randomNumbers,
  recallByDepth,
  separation,
} from '../../src/evaluation/index.js';

describe('the figures of one ranking', () => {
  test('of random grades are those of a naive count', () => {
    const ranking = fc.uniqueArray(fc.nat({ max: 20 }).map(String), { maxLength: 15 });
    const judged = fc.dictionary(fc.nat({ max: 20 }).map(String), fc.nat({ max: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(ranking, judged, fc.integer({ min: 1, max: 12 }), (ids, judgements, k) => {
        fc.pre(Object.values(judgements).some((grade) => grade > 0));
        const documents = ids.map((id, i) => ({ id, score: -i }));
        const grades = new Map(Object.entries(judgements));
        const figures = measureRanking(documents, grades, { at: [k], gain: 'exponential', graded: true });
        let [shown, known, five, one, gained, best] = [0, 0, 0, 0, 0, 0];
        for (let rank = 1; rank <= ids.length; rank++) {
          const grade = judgements[ids[rank - 1] as string];
          if (rank <= k) shown += 1;
          if (rank <= k && grade !== undefined) known += 1;
          if (rank <= k) gained += (2 ** (grade ?? 0) - 1) / Math.log2(rank + 1);
          if (rank <= 5 && (grade === 2 || grade === 3)) five += 1;
          if (rank === 1 && (grade === 2 || grade === 3)) one = 1;
        }
        const sorted = Object.values(judgements).sort((a, b) => b - a);
        for (let rank = 1; rank <= k && rank <= sorted.length; rank++) {
          best += (2 ** (sorted[rank - 1] as number) - 1) / Math.log2(rank + 1);
        }
        expect(figures[`judged@${k}`]).toBe(shown === 0 ? 1 : known / shown);
        expect(figures['useful@5']).toBe(five / 5);
        expect(figures['useful@1']).toBe(one);
        expect(figures[`ndcg@${k}`]).toBeCloseTo(gained / best, 12);
      }),
    );
  });

  test('are those of a reading of trec_eval line by line, on random rankings', () => {
    const gain = fc.integer({ min: -1, max: 4 });
    const ranking = fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 20 });
    const judged = fc.dictionary(fc.nat({ max: 30 }).map(String), gain, { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(ranking, judged, fc.integer({ min: 1, max: 25 }), (numbers, judgements, k) => {
        const gains = new Map(Object.entries(judgements));
        fc.pre([...gains.values()].some((value) => value > 0));
        const figures = measureRanking(
          numbers.map((id, i) => ({ id: String(id), score: -i })),
          gains,
          { at: [k] },
        );
        const expected = naive(numbers.map(String), gains, k);
        for (const [name, value] of Object.entries(expected)) expect(figures[name]).toBeCloseTo(value, 12);
        expect(
          recallByDepth(
            numbers.map((id, i) => ({ id: String(id), score: -i })),
            gains,
            k,
          )[k - 1],
        ).toBeCloseTo(expected[`recall@${k}`] as number, 12);
      }),
    );
  });

  /** As in m_ndcg_cut.c, m_recip_rank.c, m_recall.c, m_P.c, m_map.c and m_success.c. */
  function naive(ranking: readonly string[], gains: ReadonlyMap<string, number>, k: number): Record<string, number> {
    const relevant = [...gains].filter(([, gain]) => gain > 0);
    let [dcg, found, firstRank, sumOfPrecisions, relevantSoFar] = [0, 0, 0, 0, 0];
    for (const [i, id] of ranking.entries()) {
      const gain = gains.get(id) ?? 0;
      if (gain <= 0) continue;
      relevantSoFar += 1;
      sumOfPrecisions += relevantSoFar / (i + 1);
      if (i >= k) continue;
      dcg += gain / (Math.log(i + 2) / Math.log(2));
      found += 1;
      if (firstRank === 0) firstRank = i + 1;
    }
    let ideal = 0;
    const levels = relevant.map(([, gain]) => gain).sort((a, b) => a - b);
    for (let i = 0; i < k && levels.length > 0; i++)
      ideal += (levels.pop() as number) / (Math.log(i + 2) / Math.log(2));
    return {
      [`ndcg@${k}`]: dcg / ideal,
      [`mrr@${k}`]: firstRank === 0 ? 0 : 1 / firstRank,
      [`recall@${k}`]: found / relevant.length,
      [`precision@${k}`]: found / k,
      map: sumOfPrecisions / relevant.length,
      'hit@1': (gains.get(ranking[0] ?? '') ?? 0) > 0 ? 1 : 0,
    };
  }
});

test('auroc is that of counting all pairs, and the mean of its parts', () => {
  const scores = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), { minLength: 1 });
  fc.assert(
    fc.property(scores, (pairs) => {
      let sum = 0;
      for (const [high] of pairs) for (const [, low] of pairs) sum += high > low ? 1 : high === low ? 0.5 : 0;
      const { area, parts } = separation(
        Float64Array.from(pairs, ([high]) => high),
        Float64Array.from(pairs, ([, low]) => low),
      );
      expect(area).toBeCloseTo(sum / pairs.length ** 2, 10);
      expect(parts.reduce((total, part) => total + part, 0) / pairs.length).toBeCloseTo(area, 10);
    }),
  );
});

describe('the paired randomisation test', () => {
  test('counts the assignments of signs that lead at least as far from 0', () => {
    // Of 3, 2 and -1, whose sum is 4, the eight sums are 6, 4, 2, 0, 0, -2, -4, -6: four of them are 4 or more away.
    expect(randomisationTest([3, 2, -1])).toBe(4 / 8);
    // Of five equal differences only all plus and all minus.
    expect(randomisationTest([0.1, 0.1, 0.1, 0.1, 0.1])).toBe(2 / 32);
  });

  test('by drawing comes near to what counting gives', () => {
    const random = randomNumbers(7);
    const differences = Array.from({ length: 13 }, () => random() - 0.35);
    const exact = randomisationTest(differences, { samples: 2 ** 13 });
    const drawn = randomisationTest(differences, { samples: 2 ** 13 - 1 });
    // The standard error of a share of 8,191 draws is at most sqrt(0.25 / 8191) = 0.0055.
    expect(Math.abs(drawn - exact)).toBeLessThan(4 * 0.0055);
    expect(randomisationTest(differences, { samples: 500 })).toBe(randomisationTest(differences, { samples: 500 }));
  });
});

test('a bootstrap interval of many yes and no is that of the normal approximation', () => {
  // Share 0.3 of 1,000: standard error sqrt(0.3 x 0.7 / 1000) = 0.01449, times 1.96 is 0.0284.
  const column = Float64Array.from({ length: 1000 }, (_, i) => (i < 300 ? 1 : 0));
  const [[low, high]] = bootstrapIntervals([column]) as [[number, number]];
  expect(low).toBeCloseTo(0.3 - 0.0284, 2);
  expect(high).toBeCloseTo(0.3 + 0.0284, 2);
});

const questions = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `question ${id}` }));
const measured = (name: string, values: readonly number[]) => ({
  name,
  byQuestion: new Map(questions.map(({ id }, i) => [id, { 'ndcg@10': values[i] as number }])),
});

test('two rankings compared tell the mean difference, who won how often, and where', () => {
  const comparison = compareFigures(measured('new', [1, 0.5, 0.2, 0]), measured('old', [0.5, 0.5, 0.4, 0.9]), {
    questions,
    metric: 'ndcg@10',
  });
  // (0.5 + 0 - 0.2 - 0.9) / 4
  expect(comparison.difference).toBeCloseTo(-0.15, 12);
  // Of 0.5, -0.2, -0.9, with the sum -0.6: the sums are ±1.6, ±1.2, ±0.6, ±0.2, of which six are 0.6 or more away.
  expect(comparison.p).toBe(6 / 8);
  expect(comparison).toMatchObject({ name: 'new', baseline: 'old', won: 1, lost: 2, tied: 1 });
  expect(comparison.differences.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  const { won, lost } = extremesOf(comparison, 5);
  expect(won.map(({ id }) => id)).toEqual(['a']);
  expect(lost.map(({ id }) => id)).toEqual(['d', 'c']);
  expect(extremesOf(comparison, 1).lost.map(({ id }) => id)).toEqual(['d']);
});
