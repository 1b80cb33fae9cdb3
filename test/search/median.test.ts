import { expect, test } from 'vitest';
import { medianOf } from '../../src/search/rank-candidates.js';

test('The median is the value in the middle, the lower of two, and 0 where there is none', () => {
  expect(medianOf([5, -1, 30])).toBe(5);
  expect(medianOf([10, 9, 2, 1])).toBe(2);
  expect(medianOf([-0.5])).toBe(-0.5);
  expect(medianOf([])).toBe(0);
});
