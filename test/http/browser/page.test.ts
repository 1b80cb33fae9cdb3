import { describe, expect, test } from 'vitest';
import { allowanceOf, parametersOf, pauseOf, stepIn } from '../../../src/http/browser/page.js';

describe('the pause before a question', () => {
  const minute = (remaining: number, reset = 30) => ({ limit: 120, remaining, reset });

  test('is next to nothing without a limit, and while most of the minute is left', () => {
    for (const allowance of [undefined, minute(119), minute(61)]) expect(pauseOf(allowance)).toBeLessThanOrEqual(50);
  });

  test('grows as less is left, and never ends before the minute does with nothing left', () => {
    const pauses = [60, 50, 40, 30, 20, 10, 1, 0].map((remaining) => pauseOf(minute(remaining)));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBe(30_000);
  });

  test('keeps whoever types without end from the limit', () => {
    // A key each 50 ms for ten minutes, each question asked as soon as the pause allows.
    let [now, refused] = [0, 0];
    while (now < 600_000) {
      const start = now;
      let remaining = 120;
      while (now < start + 60_000) {
        if (remaining === 0) refused++;
        else remaining--;
        now += Math.max(50, pauseOf({ limit: 120, remaining, reset: Math.ceil((start + 60_000 - now) / 1000) }));
      }
    }
    expect(refused).toBe(0);
  });
});

test('what is left of the minute is read from the headers; without them there is no limit', () => {
  const headers = new Map([
    ['X-RateLimit-Minute-Limit', '120'],
    ['X-RateLimit-Minute-Remaining', '7'],
    ['X-RateLimit-Minute-Reset', '41'],
  ]);
  expect(allowanceOf((name) => headers.get(name) ?? null)).toEqual({ limit: 120, remaining: 7, reset: 41 });
  expect(allowanceOf(() => null)).toBeUndefined();
});

test('links have no fields that are empty or as usual', () => {
  const fields = [
    ['q', ' git log '],
    ['mode', 'both'],
    ['sortBy', 'relevance'],
    ['author', ''],
    ['category', '  '],
    ['minStars', '5'],
  ] as const;
  expect(parametersOf(fields).toString()).toBe('q=git+log&minStars=5');
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
