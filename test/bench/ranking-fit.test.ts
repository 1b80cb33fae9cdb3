import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstHit } from '../../bench/ranking/first-hits.js';
import { type JudgedQuestion, TERMS } from '../../bench/ranking/judged-questions.js';
import { fitListwise, scoresOf } from '../../bench/ranking/listwise.js';
import { solve } from '../../bench/ranking/solve.js';
import { randomNumbers } from '../../src/evaluation/index.js';
import { RANKING_FEATURES } from '../../src/result.js';
import { lengthOf } from '../../src/search/ranking/features.js';

/** Questions of ten candidates, of which one is picked with a probability in proportion to e to its score. */
function questionsBy(weights: readonly number[], count: number): JudgedQuestion[] {
  const random = randomNumbers(1);
  return Array.from({ length: count }, (_, i) => {
    const values = Float64Array.from({ length: 10 * TERMS.length }, random);
    const question = {
      set: 'made up',
      weight: 1,
      id: `${i}`,
      foreign: false,
      graded: false,
      rare: false,
      size: 0,
      length: 0,
      values,
      gains: new Float64Array(10),
      judged: new Uint8Array(10).fill(1),
      groups: [...Array(10).keys()],
    };
    const whole = { ...question, cosines: new Float64Array(10), words: new Float64Array(10), wanted: [1] };
    const chances = scoresOf(whole, Float64Array.from(weights)).map(Math.exp);
    let left = random() * chances.reduce((sum, chance) => sum + chance, 0);
    const picked = chances.findIndex((chance) => {
      left -= chance;
      return left < 0;
    });
    whole.gains[picked] = 1;
    return whole;
  });
}

function correlationOf(a: readonly number[], b: readonly number[]): number {
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const [ofA, ofB] = [mean(a), mean(b)];
  const product = (x: readonly number[], ofX: number, y: readonly number[], ofY: number): number =>
    mean(x.map((one, i) => (one - ofX) * ((y[i] as number) - ofY)));
  return product(a, ofA, b, ofB) / Math.sqrt(product(a, ofA, a, ofA) * product(b, ofB, b, ofB));
}

describe('fitting the ranking', () => {
  test('finds the weights that questions were answered by', () => {
    const weights = TERMS.map(({ part }) => ({ weight: 6, bySize: -2, byLength: 1 })[part]);
    const found = fitListwise(questionsBy(weights, 4000));
    // The fit keeps weights somewhat smaller than they are, all alike.
    expect(correlationOf([...found], weights)).toBeGreaterThan(0.98);
    expect(Math.max(...found)).toBeGreaterThan(4);
  });

  test('lets no feature take away, in no catalogue and no question', () => {
    const found = fitListwise(
      questionsBy(
        TERMS.map(() => -3),
        500,
      ),
    );
    const lengths = [2, 8, 32].map((words) => lengthOf({ words }));
    for (const feature of RANKING_FEATURES) {
      for (const size of [0, 0.5, 1]) {
        for (const length of lengths) {
          const factors = { weight: 1, bySize: size, byLength: length };
          const of = TERMS.map((term, i) => (term.feature === feature ? (found[i] as number) * factors[term.part] : 0));
          expect(of.reduce((sum, part) => sum + part, 0)).toBeGreaterThan(-0.01);
        }
      }
    }
  });

  test('leaves alone what is not to be fitted', () => {
    const terms = TERMS.filter(({ feature }) => feature !== 'words');
    const found = fitListwise(
      questionsBy(
        TERMS.map(() => 3),
        500,
      ),
      terms,
    );
    for (const [i, { feature }] of TERMS.entries()) expect(found[i] === 0).toBe(feature === 'words');
  });

  test('refuses questions of which none has a right candidate', () => {
    const [question] = questionsBy(
      TERMS.map(() => 0),
      1,
    ) as [JudgedQuestion];
    expect(() => fitListwise([{ ...question, gains: new Float64Array(10) }])).toThrow(RangeError);
  });

  test('takes the best of copies for the first hit, and leaves out right answers if told so', () => {
    const [question] = questionsBy(
      TERMS.map(() => 0),
      1,
    ) as [JudgedQuestion];
    const gains = new Float64Array(12).with(1, 1);
    const of = { ...question, gains, groups: [7, 7, 8, ...Array.from({ length: 9 }, (_, i) => 10 + i)] };
    const sums = Float64Array.of(3, 4, 2.5, ...Array<number>(9).fill(1));
    expect(firstHit(of, { sums, reach: 5 })).toMatchObject({ sum: 4, others: 10.5 / 9, right: true });
    expect(firstHit(of, { sums, reach: 5 }, true)).toMatchObject({ sum: 3, others: 10.5 / 9, right: false });
    expect(firstHit({ ...of, groups: of.groups.map(() => 7) }, { sums, reach: 5 })).toBeUndefined();
    expect(firstHit(of, { sums, reach: 5 })).toMatchObject({ served: true, foreign: false });
    expect(firstHit({ ...of, wanted: [] }, { sums, reach: 5 })).toMatchObject({ served: false });
  });

  test('takes a first hit for right in a graded set if its grade is 2 or 3', () => {
    const [question] = questionsBy(
      TERMS.map(() => 0),
      1,
    ) as [JudgedQuestion];
    const sums = new Float64Array(10).with(0, 1);
    const hitOf = (grade: number, wanted: readonly number[]): unknown => {
      const gains = new Float64Array(10).with(0, 2 ** grade - 1);
      return firstHit({ ...question, graded: true, gains, wanted }, { sums, reach: 5 });
    };
    expect(hitOf(1, [1])).toMatchObject({ right: false, served: false });
    expect(hitOf(1, [1, 3])).toMatchObject({ right: false, served: true });
    expect(hitOf(2, [3])).toMatchObject({ right: true, served: true });
  });

  test('solves equations as their product says', () => {
    const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(numbers, (entries) => {
        // The product of a matrix and itself turned over, and 1 on the diagonal, is positive definite.
        const at = (row: number, column: number): number => entries[3 * row + column] as number;
        const matrix = Float64Array.from({ length: 9 }, (_, i) => {
          const [row, column] = [Math.floor(i / 3), i % 3];
          return [0, 1, 2].reduce((sum, k) => sum + at(row, k) * at(column, k), row === column ? 1 : 0);
        });
        const solved = solve(matrix.slice(), Float64Array.of(1, 2, 3));
        const back = [0, 1, 2].map((row) =>
          [0, 1, 2].reduce((sum, k) => sum + (matrix[3 * row + k] as number) * (solved[k] as number), 0),
        );
        for (const [i, value] of back.entries()) expect(value).toBeCloseTo(i + 1, 6);
      }),
    );
  });
});
