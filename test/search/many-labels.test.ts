import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_LISTED } from '../../src/core/index.js';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';
import { MAX_DISTINCT_LABELS } from '../../src/store/read/columns.js';
import { serve } from '../http/ask.js';
import { callTool, connect } from '../mcp/connect.js';
import { type Row, row } from '../rows.js';

const LABELS = 64;

/** Skills that have each as many labels as a skill may have, all different, and the category `shared`. */
function skillsWith(labels: number): Row[] {
  const own = LABELS - 1;
  return Array.from({ length: Math.ceil(labels / own) }, (_, i) => {
    const slugs = (kind: string): string[] => Array.from({ length: own }, (_, j) => `${kind}-${i}-${j}`);
    return row(`s${i}`, {
      author: `author-${i}`,
      categories: ['shared', ...slugs('c')],
      occupations: ['shared', ...slugs('o')],
      installations: slugs('a').map((agent) => ({ agent, scope: 'user' })),
    });
  });
}

async function searchOver(rows: readonly Row[]): Promise<SkillSearch> {
  const search = await openSkillSearch({ skills: rows });
  onTestFinished(() => search.close());
  return search;
}

describe('a catalogue of many labels', () => {
  test('lists them in pages, the most frequent first, and loses none', async () => {
    const search = await searchOver(skillsWith(1000));
    expect(search.stats()).toMatchObject({ categories: 1009, occupations: 1009 });
    for (const list of ['categories', 'occupations'] as const) {
      expect(search[list]()[0]).toMatchObject({ slug: 'shared', count: 16 });
      expect(search[list]()).toHaveLength(MAX_LISTED);
      const pages = [1, 2, 3].map((page) => search[list](page));
      expect(pages.map(({ length }) => length)).toEqual([500, 500, 9]);
      const slugs = pages.flat().map(({ slug }) => slug);
      expect(slugs.slice(1)).toEqual(slugs.slice(1).toSorted());
      expect(new Set(slugs).size).toBe(1009);
    }
    expect([1, 2, 3].map((page) => search.agents(page).length)).toEqual([500, 500, 8]);
    expect(search.countAuthors()).toBe(16);
    expect(search.authors(2)).toEqual([]);
    for (const page of [0, 1.5, '1' as never]) {
      expect(() => search.categories(page)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
      expect(() => search.copiesOf('s1', page)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
    }
  });

  test('knows as many at a time as the bound says, those of the most skills, in filters and counts', async () => {
    const search = await searchOver(skillsWith(MAX_DISTINCT_LABELS + 1));
    expect(search.stats()).toMatchObject({ categories: MAX_DISTINCT_LABELS, occupations: MAX_DISTINCT_LABELS });
    const total = (filter: object): number => search.list({ ...filter, limit: 1 }).pagination.total;
    expect(total({ category: 'shared' })).toBe(search.stats().skills);
    expect(total({ occupation: 'shared' })).toBe(search.stats().skills);
    const { facets } = search.list({ facets: ['category', 'occupation', 'agent', 'author'] });
    for (const counts of Object.values(facets ?? {})) expect(counts).toHaveLength(100);
    const agents = Array.from({ length: 41 }, (_, i) => search.agents(i + 1).length);
    expect(agents.reduce((sum, count) => sum + count)).toBe(MAX_DISTINCT_LABELS);
  });

  // A push of 130,000 arguments is more than the stack has room for.
  test('is listed by tools and pages, a part at a time', async () => {
    const rows = skillsWith(130_000);
    const { client } = await connect(await searchOver(rows));
    const [first, second] = [{}, { page: 2 }].map((more) =>
      callTool(client, 'list_categories', { occupations: true, ...more }),
    );
    for (const [i, asked] of [first!, second!].entries()) {
      const { text, structured, isError } = await asked;
      expect(isError).toBe(false);
      expect(text.length).toBeLessThan(40_000);
      expect(text).toContain(`There are more: call again with page: ${i + 2}.`);
      expect(structured['categories']).toHaveLength(500);
      expect(structured['occupations']).toHaveLength(500);
      expect(structured['notice']).toBe(`There are more: call again with page: ${i + 2}.`);
    }
    const last = await callTool(client, 'list_categories', { page: 40 });
    expect(last.structured).not.toHaveProperty('notice');
    expect(last.structured['categories']).toHaveLength(500);

    const { ask } = await serve(rows, { pages: true });
    for (const path of ['/categories', '/occupations']) {
      for (const page of [1, 40]) {
        const { status, text } = await ask(`${path}?page=${page}`);
        expect(status).toBe(200);
        expect(text.length).toBeLessThan(100_000);
        expect(text).toContain(`Page ${page} of 40`);
      }
    }
  });
});
