import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { isCurrentKeywordFile } from '../../src/indexing/keyword-file.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { filesBeside } from '../../src/store/files.js';
import { recordAuthor } from '../../src/store/read/row-labels.js';
import { toColumns } from '../../src/store/stored-skill.js';
import { stampOf } from '../catalogue-file.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { changeKeywordFile } from './change-keyword-file.js';

const ROWS = [
  row('one', { author: 'Ada', description: 'alpha', categories: ['x'] }),
  row('two', { author: 'ada', description: 'alpha', categories: ['y'], occupations: ['historians'] }),
  row('three', { author: 'ada-lovelace', description: 'alpha', categories: ['x'] }),
  row('four', { author: 'Ada Lovelace', description: 'alpha' }),
  row('five', { author: 'Jos\u00e9 "Q" Stra\u00dfe', description: 'alpha' }),
  row('six', { author: '🦊', description: 'alpha', categories: ['x'] }),
  row('seven', { description: 'alpha', files: [{ filename: 'SKILL.md', text: 'beta' }] }),
  row('eight', { author: 'ada', description: 'beta', categories: ['x'] }),
];

const embedder = new StandInEmbedder();

async function catalogue(rows: readonly Row[] = ROWS): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
  return database;
}

const found = (search: SkillSearch, query: Omit<Parameters<SkillSearch['keyword']>[0], 'q'>): string[] =>
  search
    .keyword({ q: 'alpha', ...query })
    .hits.map(({ skill }) => skill.id)
    .sort();

describe('the filter author', () => {
  let search: SkillSearch;
  beforeAll(async () => {
    search = await openSkillSearch({ skills: ROWS, embedder });
    return () => search.close();
  });

  test.each([
    ['ada', ['one', 'two']],
    ['ADA', ['one', 'two']],
    ['ada lovelace', ['four']],
    ['lovelace', []],
    ['ad', []],
    ['🦊', ['six']],
    ['jose\u0301 "q" STRASSE', ['five']],
    ['unknown', ['seven']],
    ['__proto__', []],
    ['nobody', []],
  ])('%s finds the skills of the author of this whole name, whatever the case', (author, ids) => {
    expect(found(search, { author })).toEqual(ids);
  });

  test('holds together with the other filters', () => {
    expect(found(search, { author: 'Ada', category: 'x' })).toEqual(['one']);
    expect(found(search, { author: 'Ada', occupation: 'historians' })).toEqual(['two']);
    expect(found(search, { author: 'Ada', category: 'x', occupation: 'historians' })).toEqual([]);
    expect(found(search, { author: '🦊', category: 'y' })).toEqual([]);
  });

  test('applies to records, counts, and the choice of the step', () => {
    const { records, pagination } = catalogueSearchOf(search).keywordRecords({ q: 'alpha', author: 'ada' });
    expect(records.map((record) => (JSON.parse(record) as { id: string }).id).sort()).toEqual(['one', 'two']);
    expect(pagination).toMatchObject({ total: 2, totalPages: 1 });
    expect(search.keyword({ q: 'beta' })).toMatchObject({ step: 'all-words' });
    expect(search.keyword({ q: 'beta', author: 'unknown' })).toMatchObject({ step: 'file-text' });
    expect(search.keyword({ q: 'alpha', author: 'nobody' }).pagination.total).toBe(0);
  });

  test.each(['hybrid', 'vector', 'words'] as const)('applies to a search by %s', async (ranking) => {
    const { hits } = await search.semantic({ q: 'alpha', author: 'ADA', ranking, copies: 'keep' });
    const ids = hits.map(({ skill }) => skill.id).sort();
    // By meaning everything of the author competes, by words what has the word.
    expect(ids).toEqual(ranking === 'words' ? ['one', 'two'] : ['eight', 'one', 'two']);
    expect((await search.semantic({ q: 'alpha', author: 'nobody', ranking })).hits).toEqual([]);
  });

  test('agrees with a look at every skill, together with the other filters', { timeout: 30_000 }, async () => {
    const author = fc.constantFrom('ann', 'Ann', 'ANN', 'anna', 'b\u00f6', 'Bo\u0308', '"', '\\', '","author":"ann');
    const skill = fc.record({ author, categories: fc.subarray(['x', 'y']) });
    const key = (name: string): string => name.normalize('NFC').toLowerCase();
    const category = fc.option(fc.constantFrom('x', 'z'), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(skill, { maxLength: 8 }), author, category, async (skills, asked, wanted) => {
        const rows = skills.map((one, i) => row(`s${i}`, { description: 'alpha', ...one }));
        await using opened = await openSkillSearch({ skills: rows });
        const expected = rows
          .filter((one) => wanted === undefined || one.categories?.includes(wanted))
          .filter((one) => key(one.author ?? '') === key(asked))
          .map(({ id }) => id);
        expect(found(opened, { author: asked, category: wanted })).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

test('the author of a record is that of its JSON, whatever stands in the record', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"author":"x"', '\\', '"', '","author":"y', 'Ada'),
  );
  fc.assert(
    fc.property(text, text, text, (id, name, author) => {
      const skill = { id, name, author, description: name, codehostUrl: '', skillUrl: '', stars: 0, updatedAt: 0 };
      const labels = { categories: [], occupations: [], tags: [] };
      const { record } = toColumns({
        skill: { ...skill, ...labels },
        properties: {},
        files: [],
        copyKey: '',
        textHash: Buffer.alloc(0),
        location: '',
      });
      expect(recordAuthor(record)).toBe((JSON.parse(record) as { author: string }).author);
    }),
  );
});

describe('a keyword file', () => {
  async function changed(change: (leaves: Map<string, NumberArray>) => void): Promise<string> {
    const database = await catalogue();
    await changeKeywordFile(database, change);
    return database;
  }

  const isWithoutAuthors = (leaves: Map<string, NumberArray>): void => {
    for (const path of leaves.keys()) if (path.startsWith('columns.authors.')) leaves.delete(path);
  };

  test('without authors is made again by the next load, though that changes nothing', async () => {
    const database = await changed(isWithoutAuthors);
    const stamp = stampOf(database);
    expect(await isCurrentKeywordFile(database, stamp)).toBe(false);
    const { unchanged } = await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], embedder });
    expect(unchanged).toBe(ROWS.length);
    expect(stampOf(database)).toBe(stamp);
    expect(await isCurrentKeywordFile(database, stamp)).toBe(true);
  });

  test.each([
    ['names that are no JSON', 'columns.authors.slugs', (a: NumberArray) => a.fill(0)],
    ['another number of names', 'columns.authors.slugs', () => Buffer.from('["ada"]')],
    ['authors that begin outside', 'columns.authors.starts', (a: NumberArray) => a.fill(2 ** 31, 1)],
    ['authors of documents that are not there', 'columns.authors.documents', (a: NumberArray) => a.fill(77)],
  ])('that was made up with %s gives the answer of the catalogue', async (_, path, spoil) => {
    const database = await changed((leaves) => leaves.set(path, spoil(leaves.get(path)!)));
    await using search = await openSkillSearch({ database });
    expect(found(search, { author: 'ada' })).toEqual(['one', 'two']);
    expect(found(search, { author: 'ada', category: 'x' })).toEqual(['one']);
  });

  test('whose bytes changed on the disk gives the answer of the catalogue', async () => {
    const database = await catalogue();
    const path = filesBeside(database).keyword;
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"ada lovelace"');
    expect(at).toBeGreaterThan(0);
    bytes.write('"eve lovelace"', at);
    writeFileSync(path, bytes);
    await using search = await openSkillSearch({ database });
    expect(found(search, { author: 'ada lovelace' })).toEqual(['four']);
    expect(found(search, { author: 'eve lovelace' })).toEqual([]);
  });
});
