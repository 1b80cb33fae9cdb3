import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  FACETS,
  type Facet,
  type FacetCounts,
  type KeywordQuery,
  openSkillSearch,
  removeSkills,
  type Skill,
  type SkillFilters,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { Database, filesBeside } from '../../src/store/index.js';
import { catalogueOf } from '../catalogues.js';
import { row } from '../rows.js';

describe('facets', () => {
  const ROWS = [
    row('one', { author: 'ADA', license: 'mit', description: 'alpha', updatedAt: 1, categories: ['x', 'y'] }),
    row('two', { author: 'Ada', license: 'MIT', description: 'alpha', updatedAt: 2, categories: ['x'] }),
    row('three', { author: 'bob', license: 'ISC', description: 'alpha', updatedAt: 3, occupations: ['cooks-352014'] }),
    row('four', { description: 'alpha', updatedAt: 4 }),
    row('five', { author: 'Unknown', description: 'alpha' }),
    row('six', { author: 'bob', name: 'copy', description: 'alpha beta', categories: ['y'] }),
    row('seven', { author: 'bob', name: 'copy', description: 'alpha beta', categories: ['y', 'z'] }),
  ];

  describe('facets', () => {
    let search: SkillSearch;
    beforeAll(async () => {
      search = await openSkillSearch({ skills: ROWS });
      return () => search.close();
    });

    test('count the skills of all pages, the most frequent first, as the skill writes it that was updated last', () => {
      const { facets, hits } = search.keyword({ q: 'alpha', facets: FACETS, limit: 1, copies: 'keep' });
      expect(hits).toHaveLength(1);
      expect(facets).toEqual({
        category: [
          { value: 'y', count: 3 },
          { value: 'x', count: 2 },
          { value: 'z', count: 1 },
        ],
        occupation: [{ value: 'cooks-352014', count: 1 }],
        author: [
          { value: 'bob', count: 3 },
          { value: 'Ada', count: 2 },
        ],
        license: [
          { value: 'MIT', count: 2 },
          { value: 'ISC', count: 1 },
        ],
        agent: [],
        scope: [],
      });
      expect(search.list({ facets: FACETS, limit: 1 }).facets).toEqual(facets);
    });

    test('count the licence that skills call unknown, while the author unknown is none', async () => {
      const license = 'Unknown';
      const rows = [row('one', { license, author: license }), row('two', { license: 'unknown' }), row('three')];
      await using unknown = await openSkillSearch({ skills: rows });
      const { facets } = unknown.list({ facets: ['author', 'license'] });
      expect(facets).toEqual({ author: [], license: [{ value: expect.stringMatching(/^unknown$/i), count: 2 }] });
      expect(unknown.list({ license: 'UNKNOWN' }).pagination.total).toBe(2);
    });
  });

  test('a facet has a hundred values at most, the most frequent, then in the order of their keys', async () => {
    const authors = Array.from({ length: 101 }, (_, i) => `author-${String(i).padStart(3, '0')}`);
    const rows = [...authors].reverse().map((author, i) => row(`s${i}`, { author, description: 'alpha' }));
    rows.push(row('more', { author: 'author-100', description: 'alpha' }));
    await using search = await openSkillSearch({ skills: rows });
    const { facets } = search.keyword({ q: 'alpha', facets: ['author'] });
    expect(facets!.author!.map(({ value }) => value)).toEqual(['author-100', ...authors.slice(0, 99)]);
    expect(search.authors()).toHaveLength(101);
  });

  test('counts are totals of the same query with the value as a further filter', { timeout: 60_000 }, async () => {
    const word = fc.constantFrom('alpha', 'beta', 'alphabet', 'betas', 'gamma');
    const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '));
    const skill = fc.record(
      {
        name: fc.constantFrom('alpha', 'beta', 'copy'),
        description: words,
        author: fc.constantFrom('ann', 'Ann', 'bo\u0308', 'B\u00f6', '"', 'unknown', '🦊', '\uffff'),
        license: fc.constantFrom('MIT', 'mit', 'x "y"', '\\'),
        stars: fc.nat({ max: 3 }),
        updatedAt: fc.nat({ max: 3 }),
        categories: fc.subarray(['x', 'y', 'z']),
        occupations: fc.subarray(['cooks', 'cooks-352014', 'cooks-352015', '35-0000', 'poets-273043']),
        files: fc.array(fc.record({ filename: fc.constant('SKILL.md'), text: words }), { maxLength: 1 }),
      },
      { requiredKeys: ['name', 'description'] },
    );
    const everyFilter = fc.record({
      category: fc.constantFrom('x', 'y'),
      occupation: fc.constantFrom('cooks', '35-0000'),
      author: fc.constantFrom('ANN', 'b\u00f6'),
      license: fc.constantFrom('MIT'),
      minStars: fc.nat({ max: 2 }),
      updatedAfter: fc.nat({ max: 2 }),
      updatedBefore: fc.integer({ min: 2, max: 4 }),
    });
    const names = fc.subarray(
      ['category', 'occupation', 'author', 'license', 'minStars', 'updatedAfter', 'updatedBefore'],
      {
        maxLength: 2,
      },
    );
    const filters = fc
      .tuple(everyFilter, names)
      .map(
        ([all, some]): SkillFilters => Object.fromEntries(Object.entries(all).filter(([name]) => some.includes(name))),
      );
    const shape = fc.record({
      copies: fc.constantFrom('keep', 'collapse'),
      sortBy: fc.constantFrom('recent', 'stars'),
      page: fc.integer({ min: 1, max: 2 }),
      limit: fc.constantFrom(1, 50),
    });
    // All steps: words that all have, text of files, beginnings, typing errors, some of the words.
    const question = fc.constantFrom(
      'alpha',
      'alpha beta',
      'alp',
      'bet',
      'alpah',
      'gamma delta',
      'delta',
      'epsilon omega quux',
      '"alpha beta"',
    );
    const FIXED = [
      { categories: ['x'], author: 'ann', files: [{ filename: 'SKILL.md', text: 'delta' }] },
      { categories: ['y'], license: 'MIT', description: 'epsilon omega', updatedAt: 2 },
    ];
    const steps = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(skill, { maxLength: 10 }),
        fc.array(fc.tuple(question, filters, shape), { minLength: 1, maxLength: 6 }),
        async (skills, queries) => {
          const rows = [...FIXED, ...skills].map((one, i) => ({ ...row(`s${i}`), ...one }));
          await using search = await openSkillSearch({ skills: rows });
          for (const [q, given, how] of queries) {
            const query: KeywordQuery = { q, ...given, ...how } as KeywordQuery;
            const found = search.keyword({ ...query, facets: FACETS });
            steps.add(found.step);
            // A filter that is given already cannot be given twice, so its values are looked for one by one.
            const free = FACETS.filter((facet) => given[facet] === undefined);
            const total = (more: SkillFilters): number => search.keyword({ ...query, ...more }).pagination.total;
            expectTotals(found.facets!, free, total);
            const inAnswer = search
              .keyword({ ...query, page: 1, limit: 50, copies: 'keep' })
              .hits.map(({ skill }) => skill);
            expectNoneMissing(found.facets!, inAnswer);
            const { q: _, ...listed } = query;
            const inList = (more: SkillFilters): number =>
              search.list({ ...listed, ...more } as never).pagination.total;
            const { facets } = search.list({ ...listed, facets: FACETS } as never);
            expectTotals(facets!, free, inList);
            const all = search.list({ ...listed, page: 1, limit: 50, copies: 'keep' } as never).hits;
            expectNoneMissing(
              facets!,
              all.map(({ skill }) => skill),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
    expect([...steps].sort()).toEqual(['all-words', 'file-text', 'prefix', 'some-words', 'typo', undefined]);
  });

  const keyOf = (value: string): string => value.normalize('NFC').toLowerCase();

  /** Holds the counts of some facets against totals, and their order. */
  function expectTotals(counts: FacetCounts, facets: readonly Facet[], total: (more: SkillFilters) => number): void {
    for (const facet of facets) {
      for (const { value, count } of counts[facet]!) {
        expect([facet, value, count]).toEqual([facet, value, total({ [facet]: value })]);
      }
      const order = counts[facet]!.map(({ value, count }) => [-count, Buffer.from(keyOf(value))] as const);
      expect(order).toEqual([...order].sort((a, b) => a[0] - b[0] || Buffer.compare(a[1], b[1])));
    }
  }

  /** Holds that the facets have each value of each skill, once, and a value of no other skill is not there. */
  function expectNoneMissing(counts: FacetCounts, skills: readonly Skill[]): void {
    const values = (facet: Facet): string[] => counts[facet]!.map(({ value }) => keyOf(value)).sort();
    const expected = (of: (skill: Skill) => readonly string[]): string[] =>
      [...new Set(skills.flatMap(of).map(keyOf))].sort();
    expect(values('category')).toEqual(expected((skill) => skill.categories));
    expect(values('author')).toEqual(expected(({ author }) => [author]).filter((author) => author !== 'unknown'));
    // A slug without a code is a value of skills that have it with one.
    expect(values('occupation')).toEqual(expect.arrayContaining(expected((skill) => skill.occupations)));
  }

  describe('an author', () => {
    const written = (search: SkillSearch): string[] => search.authors().map(({ author }) => author);
    const rowsOf = (...authors: readonly string[]) =>
      authors.map((author, i) => row(`s${i}`, { author, description: 'alpha', updatedAt: 90 - i }));

    test('is written as in the skill that was updated last after small changes, too', async () => {
      const rows = rowsOf('ADA', 'Ada', 'Bob', 'BOB', 'Eve', 'eve');
      const database = await catalogueOf(rows);
      const came = [row('new', { author: 'bOB', description: 'alpha', updatedAt: 99 }), row('x', { author: 'Zoe' })];
      await updateSkills({ database, rows: came, semantic: false });
      await removeSkills({ database, ids: ['s0'] });
      await using search = await openSkillSearch({ database });
      expect(written(search)).toEqual(['bOB', 'Eve', 'Ada', 'Zoe']);
      await using fresh = await openSkillSearch({ skills: [...rows.slice(1), ...came] });
      expect(search.authors()).toEqual(fresh.authors());
    });
  });

  test('an author or a license of damaged skills is passed over: another skill says how it is written', async () => {
    const rows = ['ADA', 'Ada', 'Bob'].map((author, i) =>
      row(`s${i}`, { author, license: author, description: 'alpha', updatedAt: 9 - i }),
    );
    const database = await catalogueOf(rows);
    const change = new Database(database);
    change
      .prepare("UPDATE revision SET record = replace(record, 'alpha', 'gamma'), properties = 'x' WHERE id <> 's1'")
      .run();
    change.close();
    await using search = await openSkillSearch({ database });
    const { facets } = search.keyword({ q: 'alpha', facets: ['author', 'license'] });
    const counts = [
      { value: 'Ada', count: 2 },
      { value: 'bob', count: 1 },
    ];
    expect(facets).toEqual({ author: counts, license: counts });
    writeFileSync(filesBeside(database).keyword, '');
    await using again = await openSkillSearch({ database });
    expect(again.list({ facets: ['author', 'license'] }).facets).toEqual({
      author: [{ value: 'Ada', count: 1 }],
      license: [{ value: 'Ada', count: 1 }],
    });
  });
});
