import { describe, expect, test } from 'vitest';
import { ERROR, faultsOf, KEYWORD_ANSWER, SEMANTIC_ANSWER, type Shape, SKILL } from './shapes.js';

const skill = {
  id: 'kite',
  name: 'kite-builder',
  author: 'wren',
  description: 'Builds kites.',
  codehostUrl: 'https://code.example/wren/kite',
  skillUrl: 'https://market.example/kite',
  stars: 3,
  updatedAt: 1_750_000_000,
};
const meta = { requestId: 'r1', responseTimeMs: 0 };
const pagination = { page: 1, limit: 20, total: 1, totalPages: 1 };
const hit = { file_id: 'kite/SKILL.md', filename: 'SKILL.md', score: 0.5, skill };
const keywordAnswer = { success: true, data: { skills: [skill], pagination }, meta };
const semanticAnswer = { success: true, data: { data: [hit] }, meta };
const error = { success: false, error: { code: 'CODE', message: 'what is wrong' } };

describe('the shapes that these tests check answers against', () => {
  test.each<[string, Shape, unknown]>([
    ['a skill', SKILL, skill],
    ['a keyword search', KEYWORD_ANSWER, keywordAnswer],
    ['a semantic search', SEMANTIC_ANSWER, semanticAnswer],
    ['an error', ERROR, error],
  ])('accept %s as it must be, and refuse it with a field too few or too many', (_, shape, value) => {
    expect(faultsOf(shape, value)).toEqual([]);
    const changed = variantsOf(value);
    expect(changed.length).toBeGreaterThan(3);
    for (const one of changed) expect(faultsOf(shape, one), JSON.stringify(one)).not.toEqual([]);
  });

  test.each([
    [{ stars: 1.5 }],
    [{ stars: '3' }],
    [{ stars: -1 }],
    [{ updatedAt: '2026-01-01' }],
    [{ skillUrl: 'unknown' }],
    [{ codehostUrl: 'here' }],
    [{ author: null }],
    [{ id: 7 }],
    [{ name: '' }],
  ])('refuse a skill with %j', (wrong) => {
    expect(faultsOf(SKILL, { ...skill, ...wrong })).toHaveLength(1);
  });

  test('refuse another success, a score above 1 and data without the inner data', () => {
    expect(faultsOf(ERROR, { ...error, success: true })).toHaveLength(1);
    expect(faultsOf(KEYWORD_ANSWER, { ...keywordAnswer, success: 'true' })).toHaveLength(1);
    expect(faultsOf(SEMANTIC_ANSWER, { ...semanticAnswer, data: { data: [{ ...hit, score: 1.01 }] } })).toHaveLength(1);
    expect(faultsOf(SEMANTIC_ANSWER, { ...semanticAnswer, data: [hit] })).not.toEqual([]);
  });
});

/** The value with any one of its fields left out, and with one more in any of its objects. */
function variantsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => variantsOf(item).map((one) => value.with(i, one)));
  if (typeof value !== 'object' || value === null) return [];
  return [
    { ...value, another: 1 },
    ...Object.entries(value).flatMap(([name, field]) => [
      Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)),
      ...variantsOf(field).map((one) => ({ ...value, [name]: one })),
    ]),
  ];
}
