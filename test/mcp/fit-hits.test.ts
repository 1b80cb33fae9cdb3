import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Skill } from '../../src/index.js';
import { fitHits } from '../../src/mcp/tools/fit-hits.js';

const hit = (name: string, description: string) => ({ skill: { name, description } as Skill, uri: `skill://${name}` });
const linesOf = (hits: Parameters<typeof fitHits>[0], tokens?: number) => fitHits(hits, tokens).map(({ line }) => line);

const A = hit('a', 'First of a. Second of a.');
const B = hit('b', 'First of b. Second of b.');

test('without a budget everything is shown', () => {
  expect(linesOf([A, B])).toEqual([
    '- a (skill://a): First of a. Second of a.',
    '- b (skill://b): First of b. Second of b.',
  ]);
});

test('names come before first sentences, and these before second ones', () => {
  expect([9, 17, 28, 34, 40].map((tokens) => linesOf([A, B], tokens))).toEqual([
    ['- a (skill://a)'],
    ['- a (skill://a)', '- b (skill://b)'],
    ['- a (skill://a): First of a.', '- b (skill://b): First of b.'],
    ['- a (skill://a): First of a.', '- b (skill://b): First of b.'],
    ['- a (skill://a): First of a. Second of a.', '- b (skill://b): First of b.'],
  ]);
});

test('no answer is over its budget, and the most useful hits stay', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), fc.integer({ min: 0, max: 300 }), (texts, tokens) => {
      const all = texts.map(([name, description]) => ({ ...hit(name, description), uri: 'skill://a/a/SKILL.md' }));
      const lines = linesOf(all, tokens);
      expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(tokens * 2 + lines.length * 2);
      for (const line of lines) expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
    }),
  );
});
