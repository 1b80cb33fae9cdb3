import { describe, expect, test } from 'vitest';
import { ageOf } from '../../src/cli/text-columns.js';

describe('the age of a skill', () => {
  const NOW = 1_700_000_000;

  test.each([
    [0, 'unknown'],
    [-5, 'unknown'],
    [NOW + 1000, 'today'],
    [NOW, 'today'],
    [NOW - 86_399, 'today'],
    [NOW - 86_400, '1 day'],
    [NOW - 30 * 86_400, '30 days'],
    [NOW - 31 * 86_400, '1 month'],
    [NOW - 364 * 86_400, '11 months'],
    [NOW - 365 * 86_400, '1 year'],
    [NOW - 800 * 86_400, '2 years'],
  ])('of %d is %s', (updatedAt, age) => {
    expect(ageOf(updatedAt, NOW)).toBe(age);
  });
});
