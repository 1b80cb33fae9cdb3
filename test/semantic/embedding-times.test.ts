import { describe, expect, test } from 'vitest';
import { EmbeddingTimes } from '../../src/semantic/local-embedder.js';

const TEXTS = ['what changed since the last version'];

describe('the estimated time of a model', () => {
  test('follows what texts took, and that of no text is nothing', () => {
    const times = new EmbeddingTimes();
    times.note([], 1000);
    for (const milliseconds of [2, 40, 2]) {
      for (let i = 0; i < 200; i++) times.note(TEXTS, milliseconds);
      expect(times.estimate(TEXTS)).toBeCloseTo(milliseconds, 1);
      expect(times.estimate([...TEXTS, ...TEXTS])).toBeCloseTo(2 * milliseconds, 1);
    }
    expect(times.estimate([])).toBe(0);
  });

  test('is little longer after one stall', () => {
    const times = new EmbeddingTimes();
    for (let i = 0; i < 200; i++) times.note(TEXTS, 5);
    times.note(TEXTS, 60_000);
    expect(times.estimate(TEXTS)).toBeGreaterThan(5);
    expect(times.estimate(TEXTS)).toBeLessThan(6);
  });
});
