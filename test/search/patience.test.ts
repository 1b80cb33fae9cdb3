import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_READING_TIME, Patience } from '../../src/search/semantic-search.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('refuses what would wait longer than it may, and tells when to ask again', () => {
  const patience = new Patience(5);
  patience.check(5000);
  expect(() => patience.check(5001)).toThrow(expect.objectContaining({ code: 'BUSY', retryAfter: 1 }));
  expect(() => patience.check(9100)).toThrow(expect.objectContaining({ code: 'BUSY', retryAfter: 5 }));
  patience.end();
});

test('is given up at the longest time for reading after the longest wait, with the reason', () => {
  const { signal } = new Patience(5);
  vi.advanceTimersByTime(5000 + MAX_READING_TIME - 1);
  expect(signal?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal?.reason).toMatchObject({ code: 'BUSY', retryAfter: 5 });
});

test('ends with its search, and without a limit never begins', () => {
  new Patience(5).end();
  for (const none of [undefined, 0]) {
    const patience = new Patience(none);
    expect(patience.signal).toBeUndefined();
    patience.check(1e9);
  }
  expect(vi.getTimerCount()).toBe(0);
});

test.each([-1, 3601, Number.NaN, '5', null])('cannot be %j seconds', (seconds) => {
  expect(() => new Patience(seconds as number)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});
