import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
import type { SkillFilters } from '../../src/filters.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { isCurrentKeywordFile } from '../../src/indexing/keyword-file.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { filesBeside } from '../../src/store/files.js';
import { storedLicense } from '../../src/store/read/row-labels.js';
import { Database } from '../../src/store/sqlite.js';
import { toColumns } from '../../src/store/stored-skill.js';
import { stampOf } from '../catalogue-file.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { changeKeywordFile } from './change-keyword-file.js';

const LONGEST = '🦊'.repeat(200);
const ROWS = [
  row('one', { license: 'MIT', description: 'alpha', stars: 5, updatedAt: 3000 }),
  row('two', { license: ' mit ', description: 'alpha', stars: 5, updatedAt: 2000, author: 'ada' }),
  row('three', { license: 'Apache-2.0', description: 'alpha', stars: 4, updatedAt: 1000, categories: ['x'] }),
  row('four', { license: 'See "LICENSE" \\ Stra\u00dfe', description: 'alpha', stars: 0, categories: ['x'] }),
  row('five', { license: LONGEST, description: 'alpha', stars: 1 }),
  row('six', { license: `${LONGEST}.`, description: 'alpha' }),
  row('seven', { description: 'alpha', files: [{ filename: 'SKILL.md', text: 'beta "license":"MIT"' }] }),
  row('eight', { license: 'MIT', description: 'beta', stars: 8, updatedAt: 500 }),
];

const embedder = new StandInEmbedder();

async function catalogue(rows: readonly unknown[] = ROWS): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
  return database;
}

const found = (search: SkillSearch, filters: SkillFilters, q = 'alpha'): string[] =>
  search
    .keyword({ q, copies: 'keep', limit: 50, ...filters })
    .hits.map(({ skill }) => skill.id)
    .sort();

describe('the filter', () => {
  let search: SkillSearch;
  beforeAll(async () => {
    search = await openSkillSearch({ skills: ROWS, embedder });
    return () => search.close();
  });

  test.each([
    ['mit', ['one', 'two']],
    [' MIT\n', ['one', 'two']],
    ['apache-2.0', ['three']],
    ['Apache', []],
    ['see "license" \\ STRASSE', ['four']],
    [LONGEST, ['five']],
    ['GPL-3.0', []],
    ['__proto__', []],
  ])('license %s finds the skills that state this licence, whatever the case', (license, ids) => {
    expect(found(search, { license })).toEqual([...ids].sort());
  });

  test('license does not know a statement of more than 200 characters', () => {
    expect(() => found(search, { license: `${LONGEST}.` })).toThrow('1 to 200 characters');
  });

  test.each([
    [0, 7],
    [1, 4],
    [4, 3],
    [5, 2],
    [6, 0],
    [Number.MAX_SAFE_INTEGER, 0],
  ])('minStars %s finds skills with as many stars or more', (minStars, count) => {
    expect(found(search, { minStars })).toHaveLength(count);
  });

  test.each<[SkillFilters, string[]]>([
    [{ updatedAfter: 2000 }, ['one', 'two']],
    [{ updatedAfter: 2000.5 }, ['one']],
    [{ updatedAfter: 2001 }, ['one']],
    [{ updatedBefore: 2000 }, ['three']],
    [{ updatedBefore: 2001 }, ['three', 'two']],
    [{ updatedAfter: 1000, updatedBefore: 3000 }, ['three', 'two']],
    [{ updatedAfter: 3000, updatedBefore: 1000 }, []],
    [{ updatedAfter: 0 }, ['one', 'three', 'two']],
    [{ updatedAfter: '1969-01-01' }, ['one', 'three', 'two']],
    [{ updatedBefore: '9999-12-31' }, ['one', 'three', 'two']],
    [{ updatedAfter: '1970-01-01T00:33:20Z' }, ['one', 'two']],
    [{ updatedBefore: '1970-01-01T00:33:20Z' }, ['three']],
    [{ updatedBefore: 0 }, []],
  ])('%j takes the first time in and leaves the second out, and skills of unknown time', (filters, ids) => {
    expect(found(search, filters)).toEqual(ids);
  });

  test('holds together with the others', () => {
    expect(found(search, { license: 'mit', author: 'ADA' })).toEqual(['two']);
    expect(found(search, { license: 'mit', updatedAfter: 2500 })).toEqual(['one']);
    expect(found(search, { category: 'x', minStars: 1 })).toEqual(['three']);
    expect(found(search, { category: 'x', minStars: 1, updatedBefore: 1000 })).toEqual([]);
  });

  test('applies to records, counts, and the choice of the step', () => {
    const { records, pagination } = catalogueSearchOf(search).keywordRecords({
      q: 'alpha',
      license: 'MIT',
      copies: 'keep',
    });
    expect(records.map((record) => (JSON.parse(record) as { id: string }).id).sort()).toEqual(['one', 'two']);
    expect(pagination).toMatchObject({ total: 2, totalPages: 1 });
    expect(search.keyword({ q: 'beta' })).toMatchObject({ step: 'all-words' });
    expect(search.keyword({ q: 'beta', updatedAfter: 501 }).step).toBeUndefined();
    expect(search.keyword({ q: 'alpha beta', minStars: 0 })).toMatchObject({ step: 'file-text' });
  });

  test.each(['hybrid', 'vector', 'words'] as const)('applies to a search by %s', async (ranking) => {
    const ids = async (filters: SkillFilters): Promise<string[]> =>
      (await search.semantic({ q: 'alpha', ranking, copies: 'keep', ...filters })).hits
        .map(({ skill }) => skill.id)
        .sort();
    const more = ranking === 'words' ? [] : ['eight'];
    expect(await ids({ license: 'mit' })).toEqual([...more, 'one', 'two']);
    expect(await ids({ minStars: 5 })).toEqual([...more, 'one', 'two']);
    expect(await ids({ updatedBefore: 2000 })).toEqual([...more, 'three']);
    expect(await ids({ license: 'nothing' })).toEqual([]);
  });

  test('agrees with a look at every skill, whatever is given together', { timeout: 30_000 }, async () => {
    const skill = fc.record(
      {
        license: fc.constantFrom('MIT', 'mit', 'B\u00f6', 'bo\u0308', '"', '\\', ' x', '{"license":"x"}'),
        stars: fc.nat({ max: 4 }),
        updatedAt: fc.nat({ max: 4 }),
        categories: fc.subarray(['x', 'y']),
      },
      { requiredKeys: ['stars', 'updatedAt'] },
    );
    const filters = fc.record(
      {
        license: fc.constantFrom('MIT', 'x', 'B\u00d6', '"', '\\', 'y'),
        minStars: fc.nat({ max: 5 }),
        updatedAfter: fc.nat({ max: 5 }),
        updatedBefore: fc.nat({ max: 5 }),
        category: fc.constantFrom('x', 'z'),
      },
      { requiredKeys: [] },
    );
    const key = (text = ''): string => text.trim().normalize('NFC').toLowerCase();
    const passes = (one: Row, { license, minStars, updatedAfter, updatedBefore, category }: SkillFilters): boolean => {
      const time = one.updatedAt as number;
      const dated = updatedAfter === undefined && updatedBefore === undefined ? true : time > 0;
      return (
        dated &&
        (license === undefined || key(one.license) === key(license)) &&
        (minStars === undefined || one.stars! >= minStars) &&
        (updatedAfter === undefined || time >= (updatedAfter as number)) &&
        (updatedBefore === undefined || time < (updatedBefore as number)) &&
        (category === undefined || one.categories?.includes(category) === true)
      );
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(skill, { maxLength: 8 }),
        fc.array(filters, { minLength: 1, maxLength: 8 }),
        async (skills, asked) => {
          const rows = skills.map((one, i) => row(`s${i}`, { description: 'alpha', ...one }));
          await using opened = await openSkillSearch({ skills: rows });
          for (const each of asked) {
            const expected = rows.filter((one) => passes(one, each)).map(({ id }) => id);
            expect([each, found(opened, each)]).toEqual([each, expected]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('the licence of a skill is that of its JSON, whatever stands in its properties', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"license":"x"', '\\', '"', '","license":"y', '{"license":"', 'MIT'),
  );
  const properties = fc.record(
    { license: text, compatibility: text, metadata: fc.dictionary(text, fc.oneof(text, fc.integer())) },
    { requiredKeys: [] },
  );
  const skill = {
    id: '',
    name: '',
    author: '',
    description: '',
    codehostUrl: '',
    skillUrl: '',
    stars: 0,
    updatedAt: 0,
  };
  const labels = { categories: [], occupations: [], tags: [] };
  fc.assert(
    fc.property(properties, (given) => {
      const stored = toColumns({
        skill: { ...skill, ...labels },
        properties: given,
        files: [],
        copyKey: '',
        textHash: Buffer.alloc(0),
        location: '',
      });
      expect(storedLicense(stored.properties)).toBe(given.license);
    }),
  );
});

describe('a keyword file', () => {
  async function changed(change: (leaves: Map<string, NumberArray>) => void): Promise<string> {
    const database = await catalogue();
    await changeKeywordFile(database, change);
    return database;
  }

  const withoutLicenses = (leaves: Map<string, NumberArray>): void => {
    for (const path of leaves.keys()) if (path.startsWith('columns.licenses.')) leaves.delete(path);
  };
  test('without licences is completed by the next load, though that changes nothing', async () => {
    const database = await changed(withoutLicenses);
    const stamp = stampOf(database);
    expect(await isCurrentKeywordFile(database, stamp)).toBe(false);
    const { unchanged } = await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], embedder });
    expect(unchanged).toBe(ROWS.length);
    expect(stampOf(database)).toBe(stamp);
    expect(await isCurrentKeywordFile(database, stamp)).toBe(true);
  });

  test.each([
    ['names that are no JSON', 'columns.licenses.slugs', (a: NumberArray) => a.fill(0)],
    ['another number of names', 'columns.licenses.slugs', () => Buffer.from('["mit"]')],
    ['licences that begin outside', 'columns.licenses.starts', (a: NumberArray) => a.fill(2 ** 31, 1)],
    ['licences of documents that are not there', 'columns.licenses.documents', (a: NumberArray) => a.fill(77)],
  ])('that was made up with %s gives the answer of the catalogue', async (_, path, spoil) => {
    const database = await changed((leaves) => leaves.set(path, spoil(leaves.get(path)!)));
    await using search = await openSkillSearch({ database });
    expect(found(search, { license: 'mit' })).toEqual(['one', 'two']);
    expect(found(search, { license: 'mit', author: 'ada' })).toEqual(['two']);
  });

  test('whose bytes changed on the disk gives the answer of the catalogue', async () => {
    const database = await catalogue();
    const path = filesBeside(database).keyword;
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"apache-2.0"');
    expect(at).toBeGreaterThan(0);
    bytes.write('"apache-9.9"', at);
    writeFileSync(path, bytes);
    await using search = await openSkillSearch({ database });
    expect(found(search, { license: 'Apache-2.0' })).toEqual(['three']);
    expect(found(search, { license: 'Apache-9.9' })).toEqual([]);
  });
});

describe('a catalogue with damaged skills', () => {
  test('is filtered by the dates and stars of the others, and damaged skills pass no filter', async () => {
    const rows = Array.from({ length: 9 }, (_, i) =>
      row(`s${i}`, { description: 'alpha', updatedAt: 900 - 100 * i, stars: i }),
    );
    const database = await catalogue(rows);
    const change = new Database(database);
    for (const id of ['s0', 's3', 's4', 's8']) {
      change.prepare("UPDATE skill SET properties = 'x' WHERE id = ?").run(id);
    }
    change.close();
    // Without the derived file the columns are read from the catalogue, and the damage is found.
    writeFileSync(filesBeside(database).keyword, '');
    await using search = await openSkillSearch({ database });
    for (let time = 0; time <= 1000; time += 50) {
      const whole = rows.filter(({ id }) => !['s0', 's3', 's4', 's8'].includes(id!));
      const ids = (passes: (at: number) => boolean): string[] =>
        whole.filter(({ updatedAt }) => passes(updatedAt as number)).map(({ id }) => id!);
      expect(found(search, { updatedAfter: time })).toEqual(ids((at) => at >= time));
      expect(found(search, { updatedBefore: time })).toEqual(ids((at) => at < time));
    }
    expect(found(search, { minStars: 0 })).toEqual(['s1', 's2', 's5', 's6', 's7']);
    expect(found(search, { minStars: 4 })).toEqual(['s5', 's6', 's7']);
  });
});
