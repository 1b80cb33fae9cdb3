import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeywordHit, openSkillSearch, type SkillSearch, type SortOrder } from '../../src/index.js';
import { type Row, row } from '../rows.js';

const WORDS = ['alpha', 'beta', 'gamma', 'alphas', 'álpha'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));

/** Few names and descriptions, so that many skills are copies of others, and score alike. */
const rows = fc
  .array(fc.record({ name: words, description: words, stars: fc.nat(2), updatedAt: fc.nat(3) }), {
    minLength: 20,
    maxLength: 50,
  })
  .map((list): Row[] => list.map((fields, i) => row(`skill-${i}`, fields)));

const ORDERS: readonly SortOrder[] = ['relevance', 'recent', 'stars'];

/** All matching skills in an order, with one of each group of copies, made from an answer that shows all of them. */
function sorted(all: readonly KeywordHit[], sortBy: SortOrder, collapse: boolean, search: SkillSearch): unknown[] {
  const found = new Map(all.map((hit) => [hit.skill.id, hit]));
  const kept = all.flatMap((hit) => {
    const group = collapse ? search.copiesOf(hit.skill.id).filter((id) => found.has(id)) : [hit.skill.id];
    return group[0] === hit.skill.id ? [{ ...hit, count: group.length }] : [];
  });
  const byId = (a: KeywordHit, b: KeywordHit): number => (a.skill.id < b.skill.id ? -1 : 1);
  const compare = {
    recent: (a: KeywordHit, b: KeywordHit) => b.skill.updatedAt - a.skill.updatedAt,
    stars: (a: KeywordHit, b: KeywordHit) => b.skill.stars - a.skill.stars || compare.recent(a, b),
    relevance: (a: KeywordHit, b: KeywordHit) => b.score! - a.score! || b.skill.stars - a.skill.stars,
  };
  return kept
    .sort((a, b) => compare[sortBy](a, b) || byId(a, b))
    .map(({ skill, score, count }) => [skill.id, sortBy === 'relevance' ? score : undefined, count]);
}

test('pages of any order, with and without copies, are the parts of one sorted list', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(rows, words, fc.integer({ min: 1, max: 9 }), async (list, q, limit) => {
      const search = await openSkillSearch({ skills: list });
      const all = search.keyword({ q, copies: 'keep', limit: 50 }).hits;
      for (const sortBy of ORDERS) {
        for (const copies of ['keep', 'collapse'] as const) {
          const expected = sorted(all, sortBy, copies === 'collapse', search);
          const pages: unknown[] = [];
          for (let page = 1; page <= Math.ceil(expected.length / limit) + 1; page++) {
            const { hits, pagination } = search.keyword({ q, sortBy, copies, limit, page });
            pages.push(...hits.map((hit) => [hit.skill.id, hit.score, hit.copies]));
            expect([q, page, pagination.total]).toEqual([q, page, expected.length]);
          }
          expect([q, sortBy, copies, pages]).toEqual([q, sortBy, copies, expected]);
        }
      }
      await search.close();
    }),
    { numRuns: 30 },
  );
});
