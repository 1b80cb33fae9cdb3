import { expect, test } from 'vitest';
import { RecentlyUsed } from '../../src/keyword/recently-used.js';

interface Weighed {
  readonly weight: number;
}

function keeping(
  limit: number,
  weightLimit: number,
): { ask: (key: string, weight?: number) => Weighed; read: string[] } {
  const kept = new RecentlyUsed<Weighed>(limit, weightLimit, ({ weight }) => weight);
  const read: string[] = [];
  const ask = (key: string, weight = 0): Weighed =>
    kept.get(key, () => {
      read.push(key);
      return { weight };
    });
  return { ask, read };
}

test('reads a value again only when so many others were asked for since', () => {
  const { ask, read } = keeping(2, 10);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) ask(key);
  expect(read).toEqual(['a', 'b', 'c', 'b']);
});

test('gives the value that was read, and tells it without reading', () => {
  const kept = new RecentlyUsed<Weighed>(1, 10, () => 0);
  const value = { weight: 1 };
  expect(kept.peek('a')).toBeUndefined();
  expect(kept.get('a', () => value)).toBe(value);
  expect(kept.get('a', () => ({ ...value }))).toBe(value);
  expect(kept.peek('a')).toBe(value);
});

test('forgets values that weigh too much together, the one asked for first', () => {
  const { ask, read } = keeping(100, 10);
  ask('a', 6);
  ask('b', 4);
  ask('a', 6);
  ask('c', 3);
  ask('a', 6);
  ask('b', 4);
  ask('huge', 11);
  ask('huge', 11);
  expect(read).toEqual(['a', 'b', 'c', 'b', 'huge', 'huge']);
});
