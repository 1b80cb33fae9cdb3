import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tellWhileWaiting } from '../../src/core/index.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('says after a few seconds, and now and then, that a catalogue is waited for', async () => {
  const { told, end } = waitingFor('https://example.org/manifest.json');
  vi.advanceTimersByTime(3999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(30_001);
  expect(told).toEqual([
    'waiting for the catalogue at https://example.org/manifest.json: 4 s so far',
    'waiting for the catalogue at https://example.org/manifest.json: 34 s so far',
  ]);
  await end();
  vi.advanceTimersByTime(120_000);
  expect(told).toHaveLength(2);
});

test('says nothing of a file', () => {
  const { told } = waitingFor('skills.db');
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

test.each([
  ['https://zoe:s3cret@example.org/manifest.json?token=s3cret', 'https://example.org/manifest.json'],
  ['postgres://zoe:s3cret@one,two:5433/skills?sslmode=require', 'postgres://one,two:5433/skills'],
  ['postgres://zoe:s3/cret@one/skills', 'its address'],
  ['postgres:zoe:s3cret@one/skills', 'its address'],
])('shows no password of %s', (database, shown) => {
  const { told } = waitingFor(database);
  vi.advanceTimersByTime(4000);
  expect(told).toEqual([`waiting for the catalogue at ${shown}: 4 s so far`]);
});

test('passes on what the work returns, and what it throws', async () => {
  const { told, fail, waiting } = waitingFor('https://example.org/manifest.json');
  fail(new Error('away'));
  await expect(waiting).rejects.toThrow('away');
  expect(await tellWhileWaiting('https://example.org/manifest.json', () => {}, Promise.resolve(7))).toBe(7);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

function waitingFor(database: string): {
  readonly told: string[];
  readonly waiting: Promise<void>;
  end(): Promise<void>;
  fail(error: Error): void;
} {
  const told: string[] = [];
  const { promise, resolve, reject } = withResolvers();
  const waiting = tellWhileWaiting(database, (line) => void told.push(line), promise);
  const end = async (): Promise<void> => {
    resolve();
    await waiting;
  };
  return { told, waiting, end, fail: reject };
}

/** Of Node.js 22 on there is `Promise.withResolvers`. */
function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve = (): void => {};
  let reject = (_: Error): void => {};
  const promise = new Promise<void>((onEnd, onFailure) => {
    resolve = onEnd;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}
