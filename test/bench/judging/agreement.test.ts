import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agreementOf } from '../../../bench/judging/agreement.js';
import type { Grade, Grades } from '../../../bench/judging/grades.js';

type Pair = readonly [Grade, Grade];

const grade = fc.constantFrom<Grade>(0, 1, 2, 3);
const times = (amount: number, first: Grade, second: Grade): Pair[] => new Array<Pair>(amount).fill([first, second]);

/** Grades of one reader; skills are spread over three requests. */
function readerOf(pairs: readonly Pair[], side: 0 | 1): Grades {
  const grades: Grades = new Map([0, 1, 2].map((i) => [`r${i}`, new Map<string, Grade>()]));
  for (const [i, pair] of pairs.entries()) grades.get(`r${i % 3}`)?.set(`s${i}`, pair[side]);
  return grades;
}

const agreement = (pairs: readonly Pair[]): ReturnType<typeof agreementOf> =>
  agreementOf(readerOf(pairs, 0), readerOf(pairs, 1));

/** The disagreement of the pairs, relative to that of each grade of one reader with each of the other. */
function naiveKappa(pairs: readonly Pair[], weight: (a: Grade, b: Grade) => number): number {
  let [seen, byChance] = [0, 0];
  for (const [a, b] of pairs) seen += weight(a, b);
  for (const [a] of pairs) for (const [, b] of pairs) byChance += weight(a, b);
  return byChance === 0 ? 1 : 1 - (seen * pairs.length) / byChance;
}

test('kappa is that of comparing each grade of one reader with each of the other', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(grade, grade), { minLength: 1, maxLength: 40 }), (pairs) => {
      const found = agreement(pairs);
      expect(found?.pairs).toBe(pairs.length);
      expect(found?.kappa).toBeCloseTo(
        naiveKappa(pairs, (a, b) => (a - b) ** 2),
        9,
      );
      expect(found?.useKappa).toBeCloseTo(
        naiveKappa(pairs, (a, b) => Number(a >= 2 !== b >= 2)),
        9,
      );
    }),
  );
});

test('known figures: 20 yes and 15 no of both, 5 and 10 of one alone', () => {
  const found = agreement([...times(20, 3, 3), ...times(5, 3, 0), ...times(10, 0, 3), ...times(15, 0, 0)]);
  expect(found?.useKappa).toBeCloseTo(0.4, 12);
  expect(found?.kappa).toBeCloseTo(0.4, 12);
  expect([found?.same, found?.sameUse]).toEqual([0.7, 0.7]);
});

test('a grade beside the other counts less than one far from it', () => {
  // By hand: one of four differs by 1, squared differences of all 16 crossings sum to 32.
  expect(
    agreement([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 2],
    ]),
  ).toMatchObject({ kappa: 0.875, same: 0.75, sameUse: 1, useKappa: 1 });
  expect(
    agreement([
      [0, 3],
      [3, 0],
    ])?.kappa,
  ).toBe(-1);
  expect(agreement(times(3, 0, 0))?.kappa).toBe(1);
});

test('only pairs that both have graded count', () => {
  const gradesOf = (all: Readonly<Record<string, Readonly<Record<string, Grade>>>>): Grades =>
    new Map(Object.entries(all).map(([request, skills]) => [request, new Map(Object.entries(skills))]));
  const first = gradesOf({ a: { x: 3, y: 0 }, b: { x: 1 } });
  expect(agreementOf(first, gradesOf({ a: { x: 3, z: 2 }, c: { x: 1 } }))).toMatchObject({ pairs: 1, same: 1 });
  expect(agreementOf(first, gradesOf({ c: { x: 1 } }))).toBeUndefined();
});
