import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens } from '../../src/agents/formats/index.js';
import type { Skill } from '../../src/index.js';
import { fitHits } from '../../src/mcp/tools/search-skills.js';

const hit = (id: string, description: string, name = id) => ({
  skill: { id, name, description } as Skill,
  uri: `skill://${id}/a/SKILL.md`,
});
const linesOf = async (hits: Parameters<typeof fitHits>[0], tokens?: number) =>
  (await fitHits(hits, tokens)).map(({ line }) => line);

const A = hit('a_a', 'First of alpha. Second of alpha, which is longer.');
const B = hit('b_b', 'First of beta. Second of beta, which is longer.');

test('without a budget everything is shown, with addresses as they are', async () => {
  expect(await linesOf([A, B])).toEqual([
    '- a_a (skill://a_a/a/SKILL.md): First of alpha. Second of alpha, which is longer.',
    '- b_b (skill://b_b/a/SKILL.md): First of beta. Second of beta, which is longer.',
  ]);
});

test('within a budget, names come before descriptions, which grow until all is shown', async () => {
  const seen = new Set<string>();
  for (let tokens = 0; tokens < 200; tokens++) seen.add((await linesOf([A, B], tokens)).join('\n'));
  expect([...seen][0]).toBe('');
  expect(seen).toContain('- a_a (skill://a_a/a/SKILL.md)\n- b_b (skill://b_b/a/SKILL.md)');
  expect([...seen].at(-1)).toBe((await linesOf([A, B])).join('\n'));
});

test('no list is over its budget, and every hit has a line of its own', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text)), fc.integer({ min: 0, max: 300 }), async (texts, tokens) => {
      const all = texts.map(([name, description], i) => hit(`id-${i}`, description, name));
      const lines = await linesOf(all, tokens);
      expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(tokens);
      for (const line of lines) expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
    }),
  );
});
