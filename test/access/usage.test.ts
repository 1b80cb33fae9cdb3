import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { count, dayOf, type Usage, type Verdict } from '../../src/access/keys-and-quotas.js';
import type { Quota } from '../../src/access/options.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const NOON = Date.UTC(2026, 2, 14, 12);
const MIDNIGHT = Date.UTC(2026, 2, 15);

describe('the minute of a client', () => {
  const quota = { daily: 0, perMinute: 3 };

  test('lets through as many requests as it may have, and no more', () => {
    const client = new Client(quota);
    expect([0, 1, 2, 3, 4].map((second) => client.ask(NOON + second * SECOND).refused)).toEqual([
      undefined,
      undefined,
      undefined,
      'minute',
      'minute',
    ]);
  });

  test('begins with its first request and lasts 60 seconds, whatever comes in between', () => {
    const client = new Client(quota);
    const start = NOON + 47 * SECOND + 3;
    for (const time of [start, start + 30 * SECOND, start + 59 * SECOND]) client.ask(time);

    expect(client.ask(start + MINUTE - 1)).toMatchObject({ refused: 'minute' });
    expect(client.ask(start + MINUTE).refused).toBeUndefined();
    expect(client.usage).toMatchObject({ minuteStart: start + MINUTE, minuteCount: 1 });
  });

  test('begins with the next request, not at the end of the former one', () => {
    const client = new Client(quota);
    client.ask(NOON);
    client.ask(NOON + 90 * SECOND);
    expect(client.usage).toMatchObject({ minuteStart: NOON + 90 * SECOND, minuteCount: 1 });
  });

  test('is not prolonged by requests that were refused', () => {
    const client = new Client(quota);
    for (let second = 0; second < 60; second++) client.ask(NOON + second * SECOND);
    expect(client.ask(NOON + MINUTE).refused).toBeUndefined();
  });

  test('goes on over midnight', () => {
    const client = new Client(quota);
    for (const second of [-3, -2, -1]) client.ask(MIDNIGHT + second * SECOND);
    expect(client.ask(MIDNIGHT)).toMatchObject({ refused: 'minute' });
  });

  test('tells in how many seconds it ends, rounded up and never less than 1', () => {
    const client = new Client(quota);
    for (let i = 0; i < 3; i++) client.ask(NOON);
    const waits = [0, 1, 999, 1000, 1001, 30_000, 59_000, 59_001, 59_999].map(
      (later) => client.ask(NOON + later).retryAfter,
    );
    expect(waits).toEqual([60, 60, 60, 59, 59, 30, 1, 1, 1]);
  });
});

describe('the day of a client', () => {
  const quota = { daily: 2, perMinute: 0 };

  test('lets through as many requests as it may have, and no more', () => {
    const client = new Client(quota);
    expect([0, 1, 2, 3].map((hour) => client.ask(NOON + hour * 60 * MINUTE).refused)).toEqual([
      undefined,
      undefined,
      'day',
      'day',
    ]);
    expect(client.usage).toMatchObject({ day: dayOf(NOON), dayCount: 2 });
  });

  test('ends at 00:00 UTC', () => {
    const client = new Client(quota);
    client.ask(NOON);
    client.ask(NOON);
    expect(client.ask(MIDNIGHT - 1)).toMatchObject({ refused: 'day', retryAfter: 1 });
    expect(client.ask(MIDNIGHT).refused).toBeUndefined();
    expect(client.usage).toMatchObject({ day: dayOf(NOON) + 1, dayCount: 1 });
  });

  test('tells in how many seconds it ends, rounded up', () => {
    const client = new Client(quota);
    client.ask(NOON);
    client.ask(NOON);
    expect(client.ask(NOON).retryAfter).toBe(12 * 3600);
    expect(client.ask(NOON + 1).retryAfter).toBe(12 * 3600);
    expect(client.ask(MIDNIGHT - 1001).retryAfter).toBe(2);
    expect(client.ask(MIDNIGHT - 1000).retryAfter).toBe(1);
  });

  test('is not used by requests over the limit of the minute', () => {
    const client = new Client({ daily: 4, perMinute: 2 });
    for (let i = 0; i < 50; i++) client.ask(NOON);
    expect(client.usage?.dayCount).toBe(2);
    expect(client.ask(NOON + MINUTE).refused).toBeUndefined();
    expect(client.ask(NOON + MINUTE).refused).toBeUndefined();
    expect(client.ask(NOON + 2 * MINUTE).refused).toBe('day');
  });

  test('is not used by faulty requests, although the minute is', () => {
    const client = new Client({ daily: 1, perMinute: 3 });
    for (let i = 0; i < 2; i++) expect(client.ask(NOON, false).refused).toBeUndefined();
    expect(client.usage).toMatchObject({ dayCount: 0, minuteCount: 2 });

    expect(client.ask(NOON).refused).toBeUndefined();
    expect(client.usage).toMatchObject({ dayCount: 1, minuteCount: 3 });
    expect(client.ask(NOON, false)).toMatchObject({ refused: 'minute' });
  });

  test('does not refuse a faulty request, which learns of its fault instead', () => {
    const client = new Client({ daily: 1, perMinute: 0 });
    client.ask(NOON);
    expect(client.ask(NOON).refused).toBe('day');
    expect(client.ask(NOON, false).refused).toBeUndefined();
  });

  test('is told of only where the minute has room', () => {
    const client = new Client({ daily: 1, perMinute: 2 });
    expect([0, 1, 2].map(() => client.ask(NOON).refused)).toEqual([undefined, 'day', 'minute']);
  });
});

describe('a limit of 0', () => {
  test('is none', () => {
    const client = new Client({ daily: 0, perMinute: 0 });
    for (let i = 0; i < 1000; i++) expect(client.ask(NOON).refused).toBeUndefined();
  });

  test('leaves the other one as it is', () => {
    const [byDay, byMinute] = [new Client({ daily: 1, perMinute: 0 }), new Client({ daily: 0, perMinute: 1 })];
    for (const client of [byDay, byMinute]) client.ask(NOON);
    expect([byDay.ask(NOON).refused, byMinute.ask(NOON).refused]).toEqual(['day', 'minute']);
  });
});

describe('a clock set back', () => {
  const quota = { daily: 0, perMinute: 1 };

  test('by less than a minute leaves the minute as it is', () => {
    const client = new Client(quota);
    client.ask(NOON);
    expect(client.ask(NOON - 59 * SECOND)).toMatchObject({ refused: 'minute' });
    expect(client.usage?.minuteStart).toBe(NOON);
  });

  test.each([MINUTE, 10 * MINUTE, DAY, 400 * DAY])('by %d ms locks nobody out', (back) => {
    const client = new Client(quota);
    client.ask(NOON);
    expect(client.ask(NOON - back).refused).toBeUndefined();
    expect(client.ask(NOON - back + SECOND)).toMatchObject({ refused: 'minute', retryAfter: 59 });
    expect(client.ask(NOON - back + MINUTE).refused).toBeUndefined();
  });

  test.each([1, 23 * 60 * MINUTE])('over midnight by %d ms goes on with the day that has begun', (back) => {
    const client = new Client({ daily: 1, perMinute: 0 });
    client.ask(MIDNIGHT - back);
    expect(client.ask(MIDNIGHT).refused).toBeUndefined();
    expect(client.ask(MIDNIGHT - back)).toMatchObject({ refused: 'day', retryAfter: Math.ceil((DAY + back) / SECOND) });
    expect(client.ask(MIDNIGHT + DAY - 1).refused).toBe('day');
    expect(client.ask(MIDNIGHT + DAY).refused).toBeUndefined();
  });

  test('by two days, after it was wrongly ahead, begins the day that it shows', () => {
    const client = new Client({ daily: 1, perMinute: 0 });
    client.ask(MIDNIGHT + DAY);
    expect(client.ask(MIDNIGHT).refused).toBe('day');
    expect(client.ask(MIDNIGHT - 1).refused).toBeUndefined();
    expect(client.usage).toMatchObject({ day: dayOf(MIDNIGHT) - 1, dayCount: 1 });
  });
});

test('counting changes nothing of what was counted before', () => {
  const before = Object.freeze({ day: dayOf(NOON), dayCount: 3, minuteStart: NOON, minuteCount: 2 });
  expect(count(before, NOON + 1, { daily: 10, perMinute: 10 }, true).usage).toEqual({
    day: dayOf(NOON),
    dayCount: 4,
    minuteStart: NOON,
    minuteCount: 3,
  });
});

test('is what a list of all requests would say, whatever comes when', () => {
  // Mostly close together, sometimes at the edge of a minute, sometimes hours later.
  const pause = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 15 * SECOND }) },
    { weight: 2, arbitrary: fc.constantFrom(MINUTE - 1, MINUTE, MINUTE + 1) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 * 60 * MINUTE }) },
  );
  const request = fc.record({ pause, answerable: fc.boolean() });
  const limit = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6 }));
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 * DAY }),
      fc.record({ daily: limit, perMinute: limit }),
      fc.array(request, { maxLength: 60 }),
      (start, quota, requests) => {
        const client = new Client(quota);
        const past: Past[] = [];
        let time = start;
        for (const { pause, answerable } of requests) {
          time += pause;
          const expected = naiveVerdict(past, time, quota, answerable);
          const { refused, retryAfter } = client.ask(time, answerable);
          expect({ refused, retryAfter }).toEqual(expected);
          past.push({ time, usesDay: answerable && expected.refused === undefined });
        }
      },
    ),
    { numRuns: 500 },
  );
});

interface Past {
  readonly time: number;
  /** Whether it took one of its day. */
  readonly usesDay: boolean;
}

/** Goes through the whole past for each answer. */
function naiveVerdict(past: readonly Past[], time: number, { daily, perMinute }: Quota, answerable: boolean) {
  // Each minute begins with the first request that is in no other.
  let minute = Number.NEGATIVE_INFINITY;
  for (const one of [...past, { time }]) if (one.time >= minute + MINUTE) minute = one.time;
  const inMinute = past.filter((one) => one.time >= minute).length;
  if (perMinute !== 0 && inMinute >= perMinute) {
    return { refused: 'minute', retryAfter: Math.max(1, Math.ceil((minute + MINUTE - time) / SECOND)) };
  }
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const used = past.filter((one) => one.usesDay && date(one.time) === date(time)).length;
  if (answerable && daily !== 0 && used >= daily) {
    const midnight = new Date(time).setUTCHours(24, 0, 0, 0);
    return { refused: 'day', retryAfter: Math.max(1, Math.ceil((midnight - time) / SECOND)) };
  }
  return { refused: undefined, retryAfter: 1 };
}

/** Somebody who asks, and what is remembered of them. */
class Client {
  usage: Usage | undefined;
  readonly #quota: Quota;

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  ask(now: number, answerable = true): Verdict {
    const verdict = count(this.usage, now, this.#quota, answerable);
    this.usage = verdict.usage;
    return verdict;
  }
}
