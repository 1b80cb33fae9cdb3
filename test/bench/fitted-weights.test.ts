import { describe, expect, test } from 'vitest';
import { calibrationSets, type Fitted, fittedTo, sumsBy } from '../../bench/ranking/fitted.js';
import { isServed, type JudgedQuestion, TERMS } from '../../bench/ranking/judged-questions.js';
import { randomNumbers } from '../../src/evaluation/index.js';
import type { RankingFeature } from '../../src/result.js';

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
