import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
import { MAX_LISTED } from '../../src/core/index.js';
import {
  buildCatalogue,
  type Facet,
  openSkillSearch,
  SKILL_SCOPES,
  type SkillFilters,
  type SkillInstallation,
  type SkillSearch,
} from '../../src/index.js';
import { isCurrentKeywordFile } from '../../src/indexing/keyword-file.js';
import { Ingest } from '../../src/load/ingest.js';
import { ReportBuilder } from '../../src/load/reports.js';
import { addLocalPaths } from '../../src/search/hits.js';
import { filesBeside } from '../../src/store/files.js';
import {
  MAX_DISTINCT_LABELS,
  recordAuthor,
  storedInstallations,
  storedInvocable,
  storedLicense,
} from '../../src/store/read/columns.js';
import { Database } from '../../src/store/sqlite.js';
import { toColumns } from '../../src/store/stored-skill.js';
import { MemoryCatalogue } from '../../src/store/write/memory-catalogue.js';
import { stampOf, storedRecords } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { writeFiles } from '../sources/folders.js';
import { changeKeywordFile } from './change-keyword-file.js';

describe('skill filters', () => {
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
      const { records, pagination } = storedRecords(search, {
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
      const passes = (
        one: Row,
        { license, minStars, updatedAfter, updatedBefore, category }: SkillFilters,
      ): boolean => {
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
});

describe('author filter', () => {
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
      const { records, pagination } = storedRecords(search, { q: 'alpha', author: 'ada' });
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
});

describe('installed filters', () => {
  const USER = { agent: 'codex', scope: 'user' };
  const PROJECT = { agent: 'codex', scope: 'project' };
  const PLUGIN = { agent: 'claude-code', scope: 'plugin', plugin: 'office' };
  const ROWS = [
    row('one', { description: 'alpha', installations: [USER], updatedAt: 3000, stars: 5 }),
    row('two', { description: 'alpha', installations: [PROJECT, { ...USER, agent: 'cursor' }], updatedAt: 2000 }),
    row('three', {
      description: 'alpha',
      installations: [PLUGIN, PROJECT],
      frontMatter: { metadata: { internal: true } },
    }),
    row('four', { description: 'alpha', frontMatter: { 'disable-model-invocation': 'true', installations: [USER] } }),
    row('five', { description: 'alpha', metadata: { invocable: false, installations: [PLUGIN] } }),
    row('six', { description: 'beta', installations: [USER], frontMatter: { 'disable-model-invocation': 'true' } }),
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

  const CASES: readonly [SkillFilters, string[]][] = [
    [{ agent: 'codex' }, ['one', 'three', 'two']],
    [{ agent: 'cursor' }, ['two']],
    [{ agent: 'code' }, []],
    [{ agent: 'constructor' }, []],
    [{ scope: 'user' }, ['one', 'two']],
    [{ scope: 'project' }, ['three', 'two']],
    [{ scope: 'plugin' }, ['three']],
    [{ scope: 'system' }, []],
    [{ agent: 'codex', scope: 'user' }, ['one']],
    [{ agent: 'cursor', scope: 'project' }, []],
    [{ invocable: true }, ['five', 'one', 'two']],
    [{ invocable: false }, ['four', 'three']],
    [{ invocable: true, agent: 'codex' }, ['one', 'two']],
    [{ invocable: false, agent: 'codex' }, ['three']],
    [{ invocable: false, scope: 'user' }, []],
    [{ invocable: true, minStars: 1 }, ['one']],
    [{ scope: 'user', updatedBefore: 2500 }, ['two']],
  ];

  describe('the filters agent, scope and invocable', () => {
    let search: SkillSearch;
    beforeAll(async () => {
      search = await openSkillSearch({ skills: ROWS, embedder });
      return () => search.close();
    });

    test.each(CASES)('%j find what one installation fits, and what a model may call', (filters, ids) => {
      expect(found(search, filters)).toEqual(ids);
    });

    test.each(CASES)('%j hold for lists and records, with their counts', (filters, ids) => {
      const own = { ...filters, copies: 'keep' } as const;
      const listed = search.list(own);
      const withBeta = listed.hits.map(({ skill }) => skill.id).filter((id) => id !== 'six');
      expect(withBeta.sort()).toEqual(ids);
      const { records, pagination } = storedRecords(search, { q: 'alpha', ...own });
      expect(records.map((record) => (JSON.parse(record) as { id: string }).id).sort()).toEqual(ids);
      expect(pagination.total).toBe(ids.length);
    });

    test.each(['hybrid', 'vector', 'words'] as const)('apply to a search by %s', async (ranking) => {
      const ids = async (filters: SkillFilters): Promise<string[]> =>
        (await search.semantic({ q: 'alpha', ranking, copies: 'keep', ...filters })).hits
          .map(({ skill }) => skill.id)
          .filter((id) => id !== 'six')
          .sort();
      for (const [filters, expected] of CASES) expect([filters, await ids(filters)]).toEqual([filters, expected]);
    });

    test('apply before the step is chosen', () => {
      expect(search.keyword({ q: 'beta', invocable: false })).toMatchObject({ step: 'all-words' });
      expect(search.keyword({ q: 'beta', invocable: true }).step).toBeUndefined();
    });

    test.each<[object, string, string]>([
      [{ agent: 'Codex' }, 'agent', 'agent must be a slug of the characters a-z, 0-9 and -, got "Codex"'],
      [{ agent: '' }, 'agent', 'agent must be a slug'],
      [{ scope: 'global' }, 'scope', 'scope must be one of project, user, plugin, system, got "global"'],
      [{ invocable: 'true' }, 'invocable', 'invocable must be one of true, false, got "true"'],
      [{ invocable: 1, scope: 1, agent: 1, updatedBefore: 'x' }, 'updatedBefore', 'updatedBefore must be'],
      [{ invocable: 1, scope: 1, agent: 1 }, 'agent', 'agent must be'],
      [{ invocable: 1, scope: 1 }, 'scope', 'scope must be'],
    ])('%j are refused, the first fault first', async (filters, parameter, message) => {
      const asked = filters as SkillFilters;
      for (const ask of [
        () => search.keyword({ q: 'a', ...asked }),
        () => search.list(asked),
        () => search.semantic({ q: 'a', ...asked }),
      ]) {
        const call = async (): Promise<unknown> => ask();
        expect(await codeOf(call)).toBe('INVALID_PARAMETER');
        await expect(call()).rejects.toMatchObject({ parameter, message: expect.stringContaining(message) as string });
      }
    });

    test('agree with a look at every skill, their facets too, whatever is given together', {
      timeout: 60_000,
    }, async () => {
      const agent = fc.constantFrom('a', 'b', 'c');
      const installation = fc.record({ agent, scope: fc.constantFrom(...SKILL_SCOPES) });
      const skill = fc.record({
        installations: fc.array(installation, { maxLength: 4 }),
        isHidden: fc.boolean(),
        description: fc.constantFrom('alpha', 'alpha beta'),
      });
      const filters = fc.record(
        { agent, scope: fc.constantFrom(...SKILL_SCOPES), invocable: fc.boolean() },
        { requiredKeys: [] },
      );
      interface Made {
        readonly id: string;
        readonly installations: readonly SkillInstallation[];
        readonly isHidden: boolean;
      }
      const passes = ({ installations, isHidden }: Made, asked: SkillFilters): boolean =>
        (asked.invocable === undefined || asked.invocable === !isHidden) &&
        ((asked.agent === undefined && asked.scope === undefined) ||
          installations.some(
            (one) =>
              (asked.agent === undefined || one.agent === asked.agent) &&
              (asked.scope === undefined || one.scope === asked.scope),
          ));
      await fc.assert(
        fc.asyncProperty(
          fc.array(skill, { maxLength: 8 }),
          fc.array(filters, { minLength: 1, maxLength: 8 }),
          async (skills, all) => {
            const made = skills.map((one, i) => ({ ...one, id: `s${i}` }));
            const rows = made.map(({ id, description, installations, isHidden }) =>
              row(id, {
                description,
                installations,
                ...(isHidden && { frontMatter: { 'disable-model-invocation': 'true' } }),
              }),
            );
            await using opened = await openSkillSearch({ skills: rows });
            for (const asked of all) {
              const expected = made.filter((one) => passes(one, asked)).map(({ id }) => id);
              expect([asked, found(opened, asked)]).toEqual([asked, expected]);
              const facets = (['agent', 'scope'] as const).filter((facet) => asked[facet] === undefined);
              for (const answer of [
                opened.list({ ...asked, facets }),
                opened.keyword({ q: 'alpha', copies: 'keep', ...asked, facets }),
              ]) {
                for (const facet of facets) {
                  const values = facet === 'agent' ? ['a', 'b', 'c'] : SKILL_SCOPES;
                  const counts = values
                    .map((value) => ({ value, count: found(opened, { ...asked, [facet]: value }).length }))
                    .filter(({ count }) => count > 0)
                    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
                  expect([asked, facet, answer.facets?.[facet]]).toEqual([asked, facet, counts]);
                }
              }
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  });

  describe('a catalogue of installed skills', () => {
    test('is counted by agent and scope', async () => {
      await using search = await openSkillSearch({ database: await catalogue() });
      const facets: readonly Facet[] = ['agent', 'scope'];
      expect(search.list({ facets }).facets).toEqual({
        agent: [
          { value: 'codex', count: 4 },
          { value: 'claude-code', count: 1 },
          { value: 'cursor', count: 1 },
        ],
        scope: [
          { value: 'user', count: 3 },
          { value: 'project', count: 2 },
          { value: 'plugin', count: 1 },
        ],
      });
      expect(search.list({ facets, scope: 'user' }).facets?.agent).toEqual([
        { value: 'codex', count: 2 },
        { value: 'cursor', count: 1 },
      ]);
      expect(search.list({ facets, agent: 'nobody' }).facets).toEqual({ agent: [], scope: [] });
      expect(search.agents()).toEqual([
        { agent: 'codex', count: 4 },
        { agent: 'claude-code', count: 1 },
        { agent: 'cursor', count: 1 },
      ]);
    });

    test('tells of each skill who has it, and whether a model may call it', async () => {
      await using search = await openSkillSearch({ database: await catalogue(), localPaths: true });
      expect(search.get('three')).toMatchObject({ installations: [PLUGIN, PROJECT], invocable: false });
      expect(search.get('two')).not.toHaveProperty('invocable');
      // What stands in its metadata means nothing.
      expect(search.get('five')).not.toHaveProperty('installations');
      expect(search.get('five')).not.toHaveProperty('invocable');
      expect(search.keyword({ q: 'beta' }).hits[0]?.skill.installations).toEqual([USER]);
    });

    test('notices that a skill is installed elsewhere', async () => {
      const database = await catalogue();
      const moved = ROWS.map((one) => (one.id === 'one' ? { ...one, installations: [PLUGIN] } : one));
      const report = await buildCatalogue({ database, sources: [{ name: 'rows', rows: moved }], embedder });
      expect(report).toMatchObject({ updated: 1, unchanged: ROWS.length - 1 });
      await using search = await openSkillSearch({ database });
      expect(found(search, { agent: 'claude-code' })).toEqual(['one', 'three']);
    });

    test('reads of the front matter of folders what a model may call', async () => {
      const folder = scratchFolder();
      const skill = (fields: string): string => `---\ndescription: alpha\n${fields}\n---\nText\n`;
      await writeFiles(folder, {
        'open/SKILL.md': skill('user-invocable: false'),
        'closed/SKILL.md': skill('disable-model-invocation: true'),
        'quoted/SKILL.md': skill('disable-model-invocation: "true"'),
        'internal/SKILL.md': skill('metadata:\n  internal: true'),
        'broken/SKILL.md': skill('name: a: b: c\ndisable-model-invocation: true'),
      });
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, sources: [folder], semantic: false });
      await using search = await openSkillSearch({ database });
      expect(search.list({ invocable: true }).pagination.total).toBe(1);
      expect(search.list({ invocable: false }).pagination.total).toBe(4);
      expect(search.list({ invocable: true }).hits[0]?.skill.name).toBe('open');
    });

    test('has no paths but for who may see them', () => {
      const path = resolve('/home/ada/.codex/skills/pdf');
      const memory = new MemoryCatalogue();
      const value = row('pdf', { installations: [{ ...PROJECT, path: '/etc' }] });
      const installations = [{ ...USER, path }] as readonly SkillInstallation[];
      new Ingest(memory, new ReportBuilder({})).take(
        { kind: 'row', origin: { source: 'test' }, value, installations },
        'test',
      );
      const reader = memory.read();
      const skill = reader.get('pdf')!;
      addLocalPaths({ reader, localPaths: false }, [skill]);
      expect(skill.installations).toEqual([USER]);
      expect(JSON.stringify([skill, reader.record(0)])).not.toContain('ada');
      addLocalPaths({ reader, localPaths: true }, [skill]);
      expect(skill.installations).toEqual(installations);
      reader.close();
    });
  });

  test('the installations of a skill, and whether a model may call it, are those of its JSON, whatever stands beside', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('"installations":[', '"invocable":false', '"', '\\'));
    const object = fc.dictionary(
      fc.constantFrom('installations', 'invocable', 'license'),
      fc.oneof(text, fc.boolean(), fc.array(text)),
    );
    const properties = fc.record(
      {
        license: text,
        metadata: object,
        frontMatter: object,
        installations: fc.constant([USER]),
        invocable: fc.constant(false),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(properties, (given) => {
        const stored = JSON.stringify(given);
        expect(storedInstallations(stored)).toEqual(given.installations ?? []);
        expect(storedInvocable(stored)).toBe(given.invocable !== false);
      }),
    );
  });

  describe('a keyword file', () => {
    async function changed(change: (leaves: Map<string, NumberArray>) => void): Promise<string> {
      const database = await catalogue();
      await changeKeywordFile(database, change);
      return database;
    }

    const without = (leaves: Map<string, NumberArray>): void => {
      for (const path of leaves.keys()) if (/^columns\.(?:installations|invocable)\./.test(path)) leaves.delete(path);
    };

    test('without installations is made again by the next load, though that changes nothing', async () => {
      const database = await changed(without);
      const stamp = stampOf(database);
      expect(await isCurrentKeywordFile(database, stamp)).toBe(false);
      const { unchanged } = await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], embedder });
      expect(unchanged).toBe(ROWS.length);
      expect(await isCurrentKeywordFile(database, stamp)).toBe(true);
    });

    test.each([
      ['names that are no JSON', 'columns.installations.slugs', (a: NumberArray) => a.fill(0)],
      ['installations that begin outside', 'columns.installations.starts', (a: NumberArray) => a.fill(2 ** 31, 1)],
      [
        'installations of documents that are not there',
        'columns.installations.documents',
        (a: NumberArray) => a.fill(77),
      ],
      ['skills that are not there', 'columns.invocable.documents', (a: NumberArray) => a.fill(77)],
    ])('that was made up with %s gives the answer of the catalogue', async (_, path, spoil) => {
      const database = await changed((leaves) => leaves.set(path, spoil(leaves.get(path)!)));
      await using search = await openSkillSearch({ database });
      for (const [filters, ids] of CASES) expect([filters, found(search, filters)]).toEqual([filters, ids]);
    });
  });

  test('a catalogue without installations has no agents, and all may be called', async () => {
    const rows: readonly Row[] = [row('a'), row('b')];
    await using search = await openSkillSearch({ skills: rows });
    expect(search.agents()).toEqual([]);
    expect(search.list({ facets: ['agent', 'scope'] }).facets).toEqual({ agent: [], scope: [] });
    expect(search.list({ agent: 'codex' }).pagination.total).toBe(0);
    expect(search.list({ invocable: true }).pagination.total).toBe(2);
    expect(search.list({ invocable: false }).pagination.total).toBe(0);
  });
});

describe('many labels', () => {
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
  });
});
