import { describe, expect, test } from 'vitest';
import { type Row, row } from '../rows.js';
import { type Ask, idsOf, keyword, paginationOf, serve } from './ask.js';

/** Many of them with the same stars and the same last update, in no order. */
const SKILLS: readonly Row[] = Array.from({ length: 1000 }, (_, i) =>
  row(`k${(i * 617) % 1000}`, {
    stars: (i * 31) % 7,
    updatedAt: 1_700_000_000 + ((i * 17) % 11),
    categories: i % 3 === 0 ? ['third'] : [],
  }),
);

type Sortable = { id: string; stars: number; updatedAt: number };
const byId = (a: Sortable, b: Sortable): number => (a.id < b.id ? -1 : 1);
const ORDERS: Record<string, (a: Sortable, b: Sortable) => number> = {
  recent: (a, b) => b.updatedAt - a.updatedAt || byId(a, b),
  stars: (a, b) => b.stars - a.stars || b.updatedAt - a.updatedAt || byId(a, b),
};

describe('all pages of a result of 1,000 skills together', () => {
  test.each([
    ['recent', 50],
    ['recent', 20],
    ['recent', 37],
    ['stars', 50],
    ['stars', 20],
    ['stars', 37],
  ])('hold every skill once, in the order %s, with %i a page', async (sortBy, limit) => {
    const { ask } = await serve(SKILLS);
    const expected = (SKILLS as Sortable[]).toSorted(ORDERS[sortBy]).map(({ id }) => id);
    const ids = await allPages(ask, { sortBy, limit }, 1000);
    expect(new Set(ids).size).toBe(1000);
    expect(ids).toEqual(expected);
  });

  test('hold every skill that the filter lets pass once', async () => {
    const { ask } = await serve(SKILLS);
    const expected = (SKILLS as (Sortable & Row)[]).filter(({ categories }) => categories?.includes('third'));
    const ids = await allPages(ask, { category: 'third', limit: 50 }, expected.length);
    expect(ids).toEqual(expected.toSorted(ORDERS['recent']).map(({ id }) => id));
  });

  test('are the same for whoever asks for them backwards', async () => {
    const { ask } = await serve(SKILLS);
    const page = async (n: number) => idsOf(await ask(keyword({ q: 'name', sortBy: 'stars', limit: 50, page: n })));
    const forwards: string[][] = [];
    for (let n = 1; n <= 20; n++) forwards.push(await page(n));
    const backwards: string[][] = [];
    for (let n = 20; n >= 1; n--) backwards.push(await page(n));
    expect(backwards.toReversed()).toEqual(forwards);
  });
});

describe('a page past the end', () => {
  test.each([
    [21, 50],
    [50, 50],
    [29, 37],
  ])('%i of %i a page is 200, with no skills and the true totals', async (page, limit) => {
    const { ask } = await serve(SKILLS);
    const reply = await ask(keyword({ q: 'name', page, limit }));
    expect([reply.status, idsOf(reply)]).toEqual([200, []]);
    expect(paginationOf(reply)).toEqual({ page, limit, total: 1000, totalPages: Math.ceil(1000 / limit) });
  });
});

test('pages that cannot be asked for are counted all the same', async () => {
  const { ask } = await serve(SKILLS);
  const last = await ask(keyword({ q: 'name', page: 50, limit: 10 }));
  expect(idsOf(last)).toHaveLength(10);
  expect(paginationOf(last)).toEqual({ page: 50, limit: 10, total: 1000, totalPages: 100 });
  expect((await ask(keyword({ q: 'name', page: 51, limit: 10 }))).status).toBe(400);
});

/** Ids of all pages, each of which must say the same totals. */
async function allPages(ask: Ask, query: Record<string, string | number>, total: number): Promise<string[]> {
  const limit = query['limit'] as number;
  const totalPages = Math.ceil(total / limit);
  const ids: string[] = [];
  for (let page = 1; page <= totalPages; page++) {
    const reply = await ask(keyword({ q: 'name', ...query, page }));
    expect(paginationOf(reply)).toEqual({ page, limit, total, totalPages });
    expect(idsOf(reply)).toHaveLength(page < totalPages ? limit : total - (totalPages - 1) * limit);
    ids.push(...idsOf(reply));
  }
  return ids;
}
