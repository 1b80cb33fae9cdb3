import { expect, test } from 'vitest';
import { parametersOf, stepIn } from '../../../src/http/browser/page.js';

test('links have no fields that are empty or as usual', () => {
  const fields = [
    ['q', '  git log  '],
    ['mode', 'both'],
    ['sortBy', 'relevance'],
    ['author', ''],
    ['category', '  '],
    ['minStars', '5'],
  ] as const;
  expect(parametersOf(fields).toString()).toBe('q=git+log+&minStars=5');
  expect(
    parametersOf([
      ['mode', 'words'],
      ['sortBy', 'stars'],
    ]).toString(),
  ).toBe('mode=words&sortBy=stars');
});

test('the arrows go from the box to the last hit and back, and no further', () => {
  const steps = [-1, 0, 1, 2].map((at) => [stepIn(3, at, 1), stepIn(3, at, -1)]);
  expect(steps).toEqual([
    [0, -1],
    [1, -1],
    [2, 0],
    [2, 1],
  ]);
  expect(stepIn(0, -1, 1)).toBe(-1);
});
