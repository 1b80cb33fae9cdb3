import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ListQuery, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { Database, filesBeside } from '../../src/store/index.js';
import { catalogueOf } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';

describe('a list', () => {
  const rows = Array.from({ length: 230 }, (_, i) =>
    row(`s${String(i).padStart(3, '0')}`, {
      updatedAt: 1000 + ((i * 7) % 230),
      stars: (i * 13) % 50,
      categories: i % 2 === 0 ? ['even'] : [],
    }),
  );
  const byDate = [...rows].sort((a, b) => Number(b.updatedAt) - Number(a.updatedAt)).map(({ id }) => id!);
  let search: SkillSearch;
  beforeAll(async () => {
    search = await openSkillSearch({ skills: rows });
    return () => search.close();
  });

  test('has all skills without being asked anything, the latest first, twenty a page', () => {
    const { hits, pagination, ...more } = search.list();
    expect(hits.map(({ skill }) => skill.id)).toEqual(byDate.slice(0, 20));
    expect(hits.map(({ copies }) => copies)).toEqual(hits.map(() => 1));
    expect(hits[0]!.skill).toEqual({ ...search.get(byDate[0]!) });
    expect(pagination).toEqual({ page: 1, limit: 20, total: 230, totalPages: 12 });
    expect(more).toEqual({});
  });

  test('is read to its end, page by page, beyond page 50, and is empty behind it', () => {
    const pages = Array.from({ length: 77 }, (_, i) => search.list({ limit: 3, page: i + 1 }));
    expect(pages.flatMap(({ hits }) => hits.map(({ skill }) => skill.id))).toEqual(byDate);
    expect(pages.every(({ pagination }) => pagination.total === 230 && pagination.totalPages === 77)).toBe(true);
    for (const page of [78, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const { hits, pagination } = search.list({ limit: 3, page });
      expect([hits, pagination]).toEqual([[], { page, limit: 3, total: 230, totalPages: 77 }]);
    }
  });
});

test('a list agrees with a sorted list of all skills, whatever is asked', { timeout: 60_000 }, async () => {
  const skill = fc.record({
    name: fc.constantFrom('copy', 'other', 'third'),
    stars: fc.nat({ max: 3 }),
    updatedAt: fc.nat({ max: 4 }),
    categories: fc.subarray(['x', 'y']),
  });
  const query = fc.record(
    {
      category: fc.constantFrom('x', 'z'),
      minStars: fc.nat({ max: 3 }),
      updatedAfter: fc.nat({ max: 4 }),
      sortBy: fc.constantFrom('recent', 'stars'),
      copies: fc.constantFrom('keep', 'collapse'),
      page: fc.integer({ min: 1, max: 4 }),
      limit: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: ['limit', 'page'] },
  );
  const isBefore = (a: Required<Row>, b: Required<Row>): number => (a.id < b.id ? -1 : 1);
  const date = (one: Row): number => Number(one.updatedAt);
  await fc.assert(
    fc.asyncProperty(
      fc.array(skill, { maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 8 }),
      async (skills, queries) => {
        const rows = skills.map((one, i) => row(`s${i}`, { ...one, description: 'same' })) as Required<Row>[];
        await using search = await openSkillSearch({ skills: rows });
        for (const asked of queries as (ListQuery & { page: number; limit: number })[]) {
          const { category, minStars = 0, updatedAfter, sortBy = 'recent', copies = 'keep', page, limit } = asked;
          const passing = rows.filter(
            (one) =>
              (category === undefined || one.categories.includes(category)) &&
              one.stars >= minStars &&
              (updatedAfter === undefined || (date(one) > 0 && date(one) >= Number(updatedAfter))),
          );
          const shown = passing
            .map((one) => ({ one, group: copies === 'keep' ? [one] : passing.filter(({ name }) => name === one.name) }))
            .filter(({ one, group }) => {
              const [best] = [...group].sort((a, b) => b.stars - a.stars || date(a) - date(b) || isBefore(a, b));
              return best === one;
            })
            .sort(({ one: a }, { one: b }) => {
              const byStars = sortBy === 'stars' ? b.stars - a.stars : 0;
              return byStars || date(b) - date(a) || isBefore(a, b);
            });
          const { hits, pagination } = search.list(asked);
          const total = shown.length;
          expect(pagination).toEqual({ page, limit, total, totalPages: Math.ceil(total / limit) });
          expect(hits.map((hit) => [hit.skill.id, hit.copies])).toEqual(
            shown.slice((page - 1) * limit, page * limit).map(({ one, group }) => [one.id, group.length]),
          );
        }
      },
    ),
    { numRuns: 50 },
  );
});

describe('a list of a catalogue with damaged skills', () => {
  const rows = ['a', 'b', 'c', 'd'].map((id, i) => row(id, { updatedAt: 9 - i, categories: ['x'] }));

  async function damaged(sql: string, withFile = true): Promise<string> {
    const database = await catalogueOf(rows);
    const change = new Database(database);
    change.exec(sql);
    change.close();
    if (!withFile) writeFileSync(filesBeside(database).keyword, '');
    return database;
  }

  test('leaves out one that was damaged since the load, and says so', async () => {
    await using search = await openSkillSearch({
      database: await damaged("UPDATE revision SET record = replace(record, 'description of b', 'x') WHERE id = 'b'"),
    });
    const { hits, pagination, damaged: lacking } = search.list();
    expect(hits.map(({ skill }) => skill.id)).toEqual(['a', 'c', 'd']);
    expect(pagination.total).toBe(4);
    expect(lacking).toEqual([{ id: 'b', reason: expect.stringContaining('not shown') }]);
    expect(await codeOf(() => search.list({ limit: 1, page: 2 }))).toBe('DATABASE_DAMAGED');
  });

  test.each(['record', 'file'])('neither has nor counts one whose %s is known to be damaged', async (part) => {
    const sql =
      part === 'record'
        ? "UPDATE revision SET record = replace(record, 'description of b', 'x') WHERE id = 'b'"
        : "UPDATE file SET text = 'x' WHERE skill = (SELECT number FROM skill WHERE id = 'b')";
    await using search = await openSkillSearch({ database: await damaged(sql, false) });
    for (const query of [{}, { category: 'x' }, { minStars: 0 }, { sortBy: 'stars', copies: 'collapse' }] as const) {
      const { hits, pagination, damaged: lacking } = search.list({ ...query, facets: ['category'] });
      expect(hits.map(({ skill }) => skill.id)).toEqual(['a', 'c', 'd']);
      expect(pagination.total).toBe(3);
      expect(lacking).toEqual([{ id: 'b', reason: expect.stringContaining('may not be found') }]);
      expect(search.list({ ...query, facets: ['category'] }).facets).toEqual({ category: [{ value: 'x', count: 3 }] });
    }
  });
});
