import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureRanking, recallByDepth } from '../../src/evaluation/measure.js';
import { averagePrecision, ndcg, precision, recall, reciprocalRank } from '../../src/evaluation/metrics.js';

describe('the figures of one ranking', () => {
  // Found: a document worth 3, one worth nothing, one worth 1, one worth 2. Not found: one worth 2 and one worth 1.
  const found = [3, 0, 1, 2];
  const ideal = [3, 2, 2, 1, 1];

  test('nDCG divides the discounted gains by those of the best order there is', () => {
    // log2 of rank + 1 is 1, 1.58496, 2, 2.32193, 2.58496 for the ranks 1 to 5.
    const gained = 3 / 1 + 0 / 1.584963 + 1 / 2 + 2 / 2.321928;
    const best = 3 / 1 + 2 / 1.584963 + 2 / 2 + 1 / 2.321928;
    expect(gained).toBeCloseTo(4.361353, 5);
    expect(best).toBeCloseTo(5.692536, 5);
    expect(ndcg(found, ideal, 4)).toBeCloseTo(4.361353 / 5.692536, 5);
    // Cut at 2 the best order gains 3 + 2 / 1.584963 = 4.261860 of which 3 are there.
    expect(ndcg(found, ideal, 2)).toBeCloseTo(3 / 4.26186, 5);
    // Deeper than the ranking the best order still grows: 1 / 2.584963 = 0.386853 more.
    expect(ndcg(found, ideal, 10)).toBeCloseTo(4.361353 / (5.692536 + 0.386853), 5);
  });

  test('the gain is linear: worth 2 is twice worth 1, not three times', () => {
    expect(ndcg([1, 2], [2, 1], 2)).toBeCloseTo((1 + 2 / 1.584963) / (2 + 1 / 1.584963), 6);
  });

  test('the reciprocal rank is that of the first relevant document, if it is above the cut', () => {
    expect(reciprocalRank(found, 10)).toBe(1);
    expect(reciprocalRank([0, 0, 1, 2], 10)).toBe(1 / 3);
    expect(reciprocalRank([0, 0, 1, 2], 2)).toBe(0);
    expect(reciprocalRank([], 10)).toBe(0);
  });

  test('recall is of all relevant documents, precision of the depth, also where fewer were found', () => {
    expect(recall(found, 5, 3)).toBe(2 / 5);
    expect(recall(found, 5, 10)).toBe(3 / 5);
    expect(precision(found, 3)).toBe(2 / 3);
    expect(precision(found, 10)).toBe(3 / 10);
  });

  test('average precision adds the precision at each relevant document and divides by all there are', () => {
    // Relevant at the ranks 1, 3 and 4: precisions 1/1, 2/3, 3/4. Two of the five were not found.
    expect(averagePrecision(found, 5)).toBeCloseTo((1 + 2 / 3 + 3 / 4) / 5, 12);
    expect(averagePrecision([0, 0], 5)).toBe(0);
  });

  test('have names with their depth, and are 0 where nothing was found', () => {
    const gains = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    const ranking = ['x', 'b', 'a'].map((id, i) => ({ id, score: 1 - i / 10 }));
    expect(measureRanking(ranking, gains, { at: [1, 3] })).toEqual({
      'ndcg@1': 0,
      'mrr@1': 0,
      'recall@1': 0,
      'precision@1': 0,
      'ndcg@3': (1 / Math.log2(3) + 2 / Math.log2(4)) / (2 / Math.log2(2) + 1 / Math.log2(3)),
      'mrr@3': 1 / 2,
      'recall@3': 1,
      'precision@3': 2 / 3,
      map: (1 / 2 + 2 / 3) / 2,
      'hit@1': 0,
    });
    for (const value of Object.values(measureRanking([], gains, { at: [10] }))) expect(value).toBe(0);
  });

  test('do not count what was judged as worthless, or worse', () => {
    const gains = new Map([
      ['a', 1],
      ['b', 0],
      ['c', -1],
    ]);
    const ranking = ['c', 'b', 'a'].map((id, i) => ({ id, score: 1 - i / 10 }));
    expect(measureRanking(ranking, gains, { at: [10] })).toMatchObject({
      'ndcg@10': 1 / Math.log2(4),
      'recall@10': 1,
      map: 1 / 3,
    });
    expect([...recallByDepth(ranking, gains, 4)]).toEqual([0, 0, 1, 1]);
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
  for (let i = 0; i < k && levels.length > 0; i++) ideal += (levels.pop() as number) / (Math.log(i + 2) / Math.log(2));
  return {
    [`ndcg@${k}`]: dcg / ideal,
    [`mrr@${k}`]: firstRank === 0 ? 0 : 1 / firstRank,
    [`recall@${k}`]: found / relevant.length,
    [`precision@${k}`]: found / k,
    map: sumOfPrecisions / relevant.length,
    'hit@1': (gains.get(ranking[0] ?? '') ?? 0) > 0 ? 1 : 0,
  };
}
