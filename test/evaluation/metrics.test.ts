import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  averagePrecision,
  measureRanking,
  ndcg,
  precision,
  recall,
  recallByDepth,
  reciprocalRank,
} from '../../src/evaluation/measures.js';

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

  test('of grades are also how much is judged, and how much is useful', () => {
    const grades = new Map(Object.entries({ a: 3, b: 0, c: 1, d: 2 }));
    const ranking = ['c', 'x', 'a', 'y', 'b', 'd'].map((id, i) => ({ id, score: 1 - i / 10 }));
    expect(measureRanking(ranking, grades, { at: [2, 10], graded: true })).toMatchObject({
      'judged@2': 1 / 2,
      'judged@10': 4 / 6,
      'useful@5': 1 / 5,
      'useful@1': 0,
    });
    // Three shown: judged is a share of these, useful a share of five.
    expect(measureRanking(ranking.slice(0, 3), grades, { at: [10], graded: true })).toMatchObject({
      'judged@10': 2 / 3,
      'useful@5': 1 / 5,
    });
    expect(measureRanking([], grades, { at: [10], graded: true })).toMatchObject({ 'judged@10': 1, 'useful@5': 0 });
    expect(Object.keys(measureRanking(ranking, grades, { at: [10] }))).not.toContain('judged@10');
  });

  test('with exponential gain count a grade of 3 seven times a grade of 1', () => {
    const grades = new Map(Object.entries({ a: 3, b: 0, c: 1 }));
    const ranking = ['c', 'a', 'b'].map((id, i) => ({ id, score: 1 - i / 10 }));
    const { 'ndcg@10': ndcg10, map } = measureRanking(ranking, grades, { at: [10], gain: 'exponential' });
    expect(ndcg10).toBeCloseTo((1 + 7 / 1.584963) / (7 + 1 / 1.584963), 6);
    expect(map).toBe(1);
    expect(() => measureRanking(ranking, grades, { at: [10], gain: 'cubic' as 'linear' })).toThrow(
      /gain must be one of linear, exponential, got "cubic"/,
    );
  });

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
