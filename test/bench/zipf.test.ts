import { expect, test } from 'vitest';
import { ZipfRanks } from '../../bench/zipf.js';
import { randomNumbers } from '../../src/evaluation/index.js';

const draw = (count: number, { size, seed }: { size: number; seed: number }): number[] => {
  const ranks = new ZipfRanks(size, randomNumbers(seed));
  return Array.from({ length: count }, () => ranks.next());
};

test('the same seed draws the same ranks, another seed others', () => {
  const drawn = draw(200, { size: 10_000, seed: 7 });
  expect(draw(200, { size: 10_000, seed: 7 })).toEqual(drawn);
  expect(draw(200, { size: 10_000, seed: 8 })).not.toEqual(drawn);
});

test('a rank comes as often as the first divided by its place, and none lies outside', () => {
  const size = 100;
  const drawn = draw(50_000, { size, seed: 1 });
  const shareOf = (rank: number): number => drawn.filter((one) => one === rank).length / drawn.length;
  const sum = Array.from({ length: size }, (_, rank) => 1 / (rank + 1)).reduce((a, b) => a + b);
  for (const rank of [0, 1, 2, 9]) expect(shareOf(rank) * sum * (rank + 1)).toBeCloseTo(1, 0.7);
  expect(Math.min(...drawn)).toBe(0);
  expect(Math.max(...drawn)).toBe(size - 1);
});

test('of one rank alone that one is drawn', () => {
  expect(draw(3, { size: 1, seed: 1 })).toEqual([0, 0, 0]);
});
