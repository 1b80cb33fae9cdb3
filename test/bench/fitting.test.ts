import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FirstHit, firstHit, fitCalibration, withProbabilities } from '../../bench/ranking/first-hits.js';
import { calibrationSets, type Fitted, fittedTo, sumsBy } from '../../bench/ranking/fitted.js';
import { isServed, type JudgedQuestion, TERMS } from '../../bench/ranking/judged-questions.js';
import { fitListwise, scoresOf } from '../../bench/ranking/listwise.js';
import { solve } from '../../bench/ranking/solve.js';
import { calibrationError, randomNumbers, reliabilityBins } from '../../src/evaluation/index.js';
import { RANKING_FEATURES, type RankingFeature } from '../../src/result.js';
import { lengthOf } from '../../src/search/ranking/features.js';
import { probabilityOf } from '../../src/search/ranking/hybrid.js';

describe('fit calibration', () => {
  const TRUTH = { slope: 1.5, others: 1, bySize: -1.2, intercept: -2, confident: 0, unfit: { weight: 0, bySize: 0 } };

  /**
   * First hits in catalogues of two sizes that are right as often as {@link TRUTH} says.
   *
   * @param answered of those that are not right so many have an answer all the same, 0 to 1
   */
  function hitsOf(count: number, answered: number): FirstHit[] {
    const random = randomNumbers(2);
    return Array.from({ length: count }, (_, i): FirstHit => {
      const [sum, others, size] = [4 * random(), 2 * random(), i % 2];
      const right = random() < probabilityOf(sum, others, { size, reach: 1 }, TRUTH);
      const served = right || random() < answered;
      return { set: 'made up', foreign: false, rare: false, scale: { size, reach: 1 }, sum, others, right, served };
    });
  }

  describe('fitting a calibration', () => {
    test('finds the numbers that first hits were drawn by', () => {
      const hits = hitsOf(20_000, 0.5);
      const found = fitCalibration(hits);
      for (const name of ['slope', 'others', 'bySize', 'intercept'] as const) {
        expect(Math.abs(found[name] - TRUTH[name])).toBeLessThan(0.15);
      }
      const bins = reliabilityBins(withProbabilities(hits, found));
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(hits.length);
      expect(calibrationError(bins)).toBeLessThan(0.02);
    });

    test('lets at most one in ten of the questions that nothing answers be confident, and not many fewer', () => {
      const hits = hitsOf(4000, 0.5);
      const found = fitCalibration(hits);
      const unserved = hits.filter(({ served }) => !served);
      const confident = unserved.filter(
        ({ sum, others, scale }) => probabilityOf(sum, others, scale, found) >= found.confident,
      );
      expect(confident.length / unserved.length).toBeLessThanOrEqual(0.1);
      expect(confident.length / unserved.length).toBeGreaterThan(0.05);
    });

    test('doubts one in twenty of the right first hits where all questions have an answer', () => {
      const hits = hitsOf(4000, 1);
      const found = fitCalibration(hits);
      const right = hits.filter((hit) => hit.right);
      const doubted = right.filter(
        ({ sum, others, scale }) => probabilityOf(sum, others, scale, found) < found.confident,
      );
      expect(doubted.length / right.length).toBeCloseTo(0.05, 2);
    });

    test('takes down what first hits come to where nothing answers, by the size of the catalogue', () => {
      // 3 of 10 in a small catalogue and 6 of 10 in a large one, up to a little of chance.
      const hits = hitsOf(2000, 0.5).map((hit, i): FirstHit => {
        return hit.served ? hit : { ...hit, sum: (hit.scale.size === 0 ? 0.3 : 0.6) + 0.01 * ((i % 5) - 2) };
      });
      const { weight, bySize } = fitCalibration(hits).unfit;
      expect(weight).toBeCloseTo(0.3, 2);
      expect(bySize).toBeCloseTo(0.3, 2);
      const oneSize = fitCalibration(hits.filter(({ scale }) => scale.size === 0)).unfit;
      expect(oneSize).toEqual({ weight: expect.closeTo(0.3, 2), bySize: 0 });
    });

    test('takes wrong first hits for these where all questions have an answer', () => {
      const hits = hitsOf(2000, 1).map((hit): FirstHit => ({ ...hit, sum: hit.right ? 0.8 : 0.2 }));
      // A few of both, or nothing would be left to chance.
      const mixed = [...hits, ...hitsOf(2000, 1)];
      const wrong = mixed.filter(({ right }) => !right);
      const mean = (size: number): number => {
        const of = wrong.filter(({ scale }) => scale.size === size);
        return of.reduce((sum, hit) => sum + hit.sum, 0) / of.length;
      };
      const { weight, bySize } = fitCalibration(mixed).unfit;
      expect(weight).toBeCloseTo(mean(0), 6);
      expect(weight + bySize).toBeCloseTo(mean(1), 6);
    });
  });
});

describe('fitted weights', () => {
  interface Made extends Partial<JudgedQuestion> {
    /** Its right candidate has the most of this feature. All else is chance. */
    readonly by: RankingFeature;
    /** Seed of that chance. @default 1 */
    readonly seed?: number;
  }

  /** Questions of ten candidates with one right one each. */
  function questionsOf(count: number, { by, seed = 1, ...more }: Made): JudgedQuestion[] {
    const random = randomNumbers(seed);
    const place = placeOf(by);
    return Array.from({ length: count }, (_, i) => {
      const values = Float64Array.from({ length: 10 * TERMS.length }, random);
      values[place] = 1.5;
      return {
        set: 'made up',
        weight: 1,
        id: `${i}`,
        foreign: false,
        graded: false,
        rare: false,
        size: 0,
        length: 0,
        values,
        gains: new Float64Array(10).with(0, 1),
        judged: new Uint8Array(10).fill(1),
        groups: [...Array(10).keys()],
        cosines: Float64Array.from({ length: 10 }, (__, candidate) => candidate / 10),
        words: Float64Array.from({ length: 10 }, (__, candidate) => 1 - candidate / 10),
        wanted: [1],
        ...more,
      };
    });
  }

  function placeOf(feature: RankingFeature): number {
    return TERMS.findIndex((term) => term.feature === feature && term.part === 'weight');
  }

  function weightOf(feature: RankingFeature, weights: Float64Array): number {
    return weights[placeOf(feature)]!;
  }

  describe('the weights of the ranking', () => {
    const own = questionsOf(60, { by: 'cosine' });
    const fitted = fittedTo([...own, ...questionsOf(60, { by: 'name', foreign: true, set: 'other' })]);

    test('are fitted apart to questions that the model was made for and to others', () => {
      expect(weightOf('cosine', fitted.readable)).toBeGreaterThan(2 * weightOf('name', fitted.readable));
      expect(weightOf('name', fitted.foreign)).toBeGreaterThan(2 * weightOf('cosine', fitted.foreign));
    });

    test('count feedback where it tells candidates apart', () => {
      expect(weightOf('feedback', fittedTo(questionsOf(60, { by: 'feedback' })).readable)).toBeGreaterThan(1);
    });

    test('of other languages go by words also where no question is in one, and never by full files or stars', () => {
      const { foreign } = fittedTo(own.concat(questionsOf(60, { by: 'words' })));
      expect(weightOf('words', foreign)).toBeGreaterThan(1);
      expect(weightOf('cosine', foreign)).toBeCloseTo(0, 6);
      for (const [i, { feature }] of TERMS.entries()) {
        if (feature === 'fileText' || feature === 'stars') expect(foreign[i]).toBe(0);
      }
    });

    test('have nothing from a set of weight 0', () => {
      const left = questionsOf(60, { by: 'name', seed: 2, set: 'left out', weight: 0 });
      expect(fittedTo([...own, ...left])).toEqual(fittedTo(own));
    });

    test('have nothing from candidates of a graded set that nobody judged', () => {
      const graded = { by: 'cosine', set: 'graded', graded: true } as const;
      const judged = new Uint8Array(10).fill(1).with(9, 0).with(4, 0);
      const some = questionsOf(60, { ...graded, judged });
      // Whatever they are: here they have the most of all.
      const most = some.map((question) => ({
        ...question,
        values: question.values.map((value, i) => (judged[Math.floor(i / TERMS.length)] === 0 ? 9 : value)),
      }));
      const plain = questionsOf(30, { by: 'description', seed: 3 });
      expect(fittedTo([...plain, ...most])).toEqual(fittedTo([...plain, ...some]));
      expect(fittedTo([...plain, ...most])).not.toEqual(fittedTo([...plain, ...questionsOf(60, graded)]));
      const ungraded = most.map((question) => ({ ...question, graded: false }));
      const weightBy = (questions: readonly JudgedQuestion[]): number =>
        weightOf('cosine', fittedTo([...plain, ...questions]).readable);
      expect(weightBy(ungraded)).toBeLessThan(weightBy(most));
    });

    test('of other languages go by graded questions where there are no others', () => {
      const graded = questionsOf(60, { by: 'words', graded: true });
      expect(weightOf('words', fittedTo(graded).foreign)).toBeGreaterThan(1);
    });

    test('make the sums of hybrid search by the kind of question; others go by one number alone', () => {
      const none = Float64Array.from(TERMS, () => 0);
      const by: Fitted = { readable: none.with(placeOf('cosine'), 2), foreign: none.with(placeOf('name'), 3) };
      const [question] = questionsOf(1, { by: 'cosine' }) as [JudgedQuestion];
      const valuesOf = (feature: RankingFeature, weight: number): unknown[] =>
        Array.from({ length: 10 }, (_, i) =>
          expect.closeTo(weight * question.values[i * TERMS.length + placeOf(feature)]!, 9),
        );
      expect([...sumsBy(by).hybrid(question).sums]).toEqual(valuesOf('cosine', 2));
      expect([...sumsBy(by).hybrid({ ...question, foreign: true }).sums]).toEqual(valuesOf('name', 3));
      expect(sumsBy(by).hybrid(question).reach).toBe(2);
      expect(sumsBy(by).hybrid({ ...question, foreign: true }).reach).toBe(3);
      expect(sumsBy(by).vector(question)).toEqual({ sums: question.cosines, reach: 1 });
      expect(sumsBy(by).words(question)).toEqual({ sums: question.words, reach: 1 });
    });
  });

  describe('the calibration of scores', () => {
    test('is fitted to graded questions, and to all where there are none', () => {
      const plain = questionsOf(2, { by: 'cosine' });
      const graded = questionsOf(2, { by: 'cosine', graded: true });
      expect(calibrationSets([...plain, ...graded])).toEqual(graded);
      expect(calibrationSets(plain)).toEqual(plain);
    });

    test('takes a question for served if something is right, and of a graded set useful', () => {
      expect(isServed({ graded: false, wanted: [0.5] })).toBe(true);
      expect(isServed({ graded: false, wanted: [] })).toBe(false);
      expect(isServed({ graded: true, wanted: [1, 1] })).toBe(false);
      expect(isServed({ graded: true, wanted: [1, 3] })).toBe(true);
    });
  });
});

describe('ranking fit', () => {
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
            const of = TERMS.map((term, i) =>
              term.feature === feature ? (found[i] as number) * factors[term.part] : 0,
            );
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
});
