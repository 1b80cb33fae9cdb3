import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Grade, Grades } from '../../../bench/judging/grades.js';
import { poolOf, type Shown } from '../../../bench/judging/pool.js';

const REQUESTS = ['a', 'b', 'c'];

const skills = fc.uniqueArray(fc.integer({ min: 1, max: 12 }).map(String), { maxLength: 8 });
const shown: fc.Arbitrary<Shown> = fc
  .dictionary(fc.constantFrom(...REQUESTS), skills, { noNullPrototype: true })
  .map((ranking) => new Map(Object.entries(ranking)));
const graded: fc.Arbitrary<Grades> = shown.map(
  (ranking) => new Map(Array.from(ranking, ([request, ids]) => [request, new Map(ids.map((id) => [id, 0 as Grade]))])),
);
const rankings = fc.array(shown, { maxLength: 4 });
const depth = fc.integer({ min: 1, max: 8 });

test('a pool has each of the first skills of any ranking once, but those that have a grade', () => {
  fc.assert(
    fc.property(rankings, graded, depth, fc.integer(), (all, grades, k, seed) => {
      const pooled = poolOf(REQUESTS, all, { depth: k, graded: grades, seed });
      const wanted = REQUESTS.map((request) => {
        const first = all.flatMap((ranking) => (ranking.get(request) ?? []).slice(0, k));
        return { request, skills: [...new Set(first)].filter((id) => !grades.get(request)?.has(id)).sort() };
      }).filter((one) => one.skills.length > 0);
      expect(pooled.map((one) => ({ ...one, skills: [...one.skills].sort() }))).toEqual(wanted);
    }),
  );
});

test('its order depends on the seed, not on the rankings', () => {
  fc.assert(
    fc.property(rankings, depth, fc.integer(), (all, k, seed) => {
      const options = { depth: k, graded: new Map(), seed };
      expect(poolOf(REQUESTS, [...all].reverse(), options)).toEqual(poolOf(REQUESTS, all, options));
    }),
  );
  const many = new Map([['a', Array.from({ length: 30 }, (_, i) => `s${i}`)]]);
  const orderOf = (seed: number): readonly string[] =>
    poolOf(['a'], [many], { depth: 30, graded: new Map(), seed })[0]?.skills ?? [];
  expect(orderOf(1)).not.toEqual(orderOf(2));
  expect(orderOf(1)).not.toEqual([...orderOf(1)].sort());
});
