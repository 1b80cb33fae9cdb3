import { describe, expect, test } from 'vitest';
import { taskScore } from '../../../src/agents/hook/fit-rule.js';
import { wordVector } from '../../../src/agents/hook/word-table.js';
import { openSkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';

const packed = (...bytes: readonly number[]): string => Buffer.from(Int8Array.from(bytes).buffer).toString('base64');

describe('the score of a task', () => {
  test('is the weighted sum of the vector, with its intercept', () => {
    const rule = { weights: packed(100, -50), scale: 0.02, intercept: 0.5 };
    expect(taskScore(rule, Float32Array.of(1, 0))).toBeCloseTo(2.5);
    expect(taskScore(rule, Float32Array.of(0, 1))).toBeCloseTo(-0.5);
  });

  test('has bounds', () => {
    expect(taskScore({ weights: packed(127), scale: 1, intercept: 0 }, Float32Array.of(1))).toBe(8);
    expect(taskScore({ weights: packed(-128), scale: 1, intercept: 0 }, Float32Array.of(1))).toBe(-8);
  });
});

describe('the vector of words', () => {
  test('is of unit length, and does not depend on case, order or repetition', () => {
    const vector = wordVector('Fill the form');
    expect(Math.hypot(...vector)).toBeCloseTo(1);
    const inOtherOrder = wordVector('form THE fill');
    // Sums in another order differ in the last bits.
    for (const [i, value] of vector.entries()) expect(value).toBeCloseTo(inOtherOrder[i]!, 6);
    expect(vector).not.toEqual(wordVector('form that fills'));
    expect(wordVector('row 12')).toEqual(wordVector('row 7'));
  });
});

describe('the vector of a question', () => {
  test('is known of an answer by meaning, and of no other', async () => {
    const embedder = {
      model: 'two',
      embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(0, 1)),
    };
    await using search = await openSkillSearch({ skills: [row('a', {})], embedder });
    const asked = catalogueSearchOf(search);
    expect((await asked.semanticWithVector({ q: 'fill in a form' })).vector).toEqual(Float32Array.of(0, 1));
    const { vector } = await asked.semanticWithVector({ q: 'fill in a form', ranking: 'words' });
    expect(vector).toBeUndefined();
  });
});
