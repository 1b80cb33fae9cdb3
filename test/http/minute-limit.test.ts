import { expect, test } from 'vitest';
import { MAX_COUNTED_ADDRESSES, MinuteLimit } from '../../src/http/rate-limits.js';

test('a minute lasts 60 seconds from its first request, for each client', () => {
  let now = 1000;
  const limit = new MinuteLimit('pages', 2, () => now);
  limit.count('a');
  now += 30_000;
  limit.count('a');
  limit.count('b');
  expect(() => limit.count('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 30 }));
  now += 29_500;
  expect(() => limit.count('a')).toThrow(expect.objectContaining({ retryAfter: 1 }));
  limit.count('b');
  now += 500;
  limit.count('a');
  limit.count('a');
  expect(() => limit.count('a')).toThrow(expect.objectContaining({ retryAfter: 60 }));
});

test('0 is no limit', () => {
  const limit = new MinuteLimit('pages', 0);
  for (let i = 0; i < 1000; i++) limit.count('a');
  expect(limit.count('a')).toBeUndefined();
});

test('a request that is let through is told what is left', () => {
  const limit = new MinuteLimit('pages', 2, () => 0);
  expect([limit.count('a'), limit.count('b'), limit.count('a')]).toEqual([
    { limit: 2, remaining: 1, reset: 60 },
    { limit: 2, remaining: 1, reset: 60 },
    { limit: 2, remaining: 0, reset: 60 },
  ]);
});

test('as many addresses as the limit says are counted; one more makes the first forgotten', () => {
  const limit = new MinuteLimit('pages', 1, () => 0);
  const isCounted = (client: string): boolean => {
    try {
      limit.count(client);
      return false;
    } catch {
      return true;
    }
  };
  for (let i = 0; i < MAX_COUNTED_ADDRESSES; i++) limit.count(String(i));
  expect([isCounted('0'), isCounted(String(MAX_COUNTED_ADDRESSES - 1))]).toEqual([true, true]);
  expect(isCounted('another')).toBe(false);
  expect([isCounted('1'), isCounted('another'), isCounted('0')]).toEqual([true, true, false]);
});
