import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bootstrapIntervals,
  compareFigures,
  extremesOf,
  randomisationTest,
  randomNumbers,
} from '../../src/evaluation/compare.js';

describe('the paired randomisation test', () => {
  test('counts the assignments of signs that lead at least as far from 0', () => {
    // Of 3, 2 and -1, whose sum is 4, the eight sums are 6, 4, 2, 0, 0, -2, -4, -6: four of them are 4 or more away.
    expect(randomisationTest([3, 2, -1])).toBe(4 / 8);
    // Of five equal differences only all plus and all minus.
    expect(randomisationTest([0.1, 0.1, 0.1, 0.1, 0.1])).toBe(2 / 32);
  });

  test('is 1 where nothing differs, and takes no notice of questions that are equal', () => {
    expect(randomisationTest([])).toBe(1);
    expect(randomisationTest([0, 0, 0])).toBe(1);
    expect(randomisationTest([0, 3, 0, 2, -1, 0])).toBe(randomisationTest([3, 2, -1]));
  });

  test('is the same with the two rankings exchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 12 }), (differences) => {
        expect(randomisationTest(differences.map((one) => -one))).toBeCloseTo(randomisationTest(differences), 12);
      }),
      { numRuns: 30 },
    );
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

  test('by drawing is never 0: what happened is one of the cases', () => {
    expect(randomisationTest(new Array(200).fill(1), { samples: 99 })).toBe(1 / 100);
  });
});

describe('a bootstrap interval', () => {
  test('is the mean itself where all are equal', () => {
    expect(bootstrapIntervals([Float64Array.of(0.5, 0.5, 0.5)])).toEqual([[0.5, 0.5]]);
    expect(bootstrapIntervals([Float64Array.of(0.25)])).toEqual([[0.25, 0.25]]);
  });

  test('of many yes and no is that of the normal approximation', () => {
    // Share 0.3 of 1,000: standard error sqrt(0.3 x 0.7 / 1000) = 0.01449, times 1.96 is 0.0284.
    const column = Float64Array.from({ length: 1000 }, (_, i) => (i < 300 ? 1 : 0));
    const [[low, high]] = bootstrapIntervals([column]) as [[number, number]];
    expect(low).toBeCloseTo(0.3 - 0.0284, 2);
    expect(high).toBeCloseTo(0.3 + 0.0284, 2);
  });

  test('is the same each time, and another with another seed', () => {
    const column = Float64Array.from({ length: 50 }, (_, i) => i / 50);
    expect(bootstrapIntervals([column])).toEqual(bootstrapIntervals([column]));
    expect(bootstrapIntervals([column], { seed: 2 })).not.toEqual(bootstrapIntervals([column]));
  });

  test('of several figures comes of the same draws', () => {
    const column = Float64Array.from({ length: 50 }, (_, i) => (i * 7) % 50);
    const [one, two] = bootstrapIntervals([column, column.map((value) => 2 * value)]);
    expect(two?.map((value) => value / 2)).toEqual(one?.map((value) => expect.closeTo(value, 10)));
  });
});

describe('two rankings compared', () => {
  const questions = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `question ${id}` }));
  const measured = (name: string, values: readonly number[]) => ({
    name,
    byQuestion: new Map(questions.map(({ id }, i) => [id, { 'ndcg@10': values[i] as number }])),
  });

  test('tell the mean difference, who won how often, and where', () => {
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
});

test('random numbers are spread evenly from 0 to 1', () => {
  const random = randomNumbers(1);
  const tenths = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const tenth = Math.floor(random() * 10);
    tenths[tenth] = (tenths[tenth] as number) + 1;
  }
  // 1,000 each, with a standard deviation of 30.
  for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
