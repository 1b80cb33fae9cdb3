import { resolve } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
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
import { catalogueSearchOf } from '../../src/search/index.js';
import { storedInstallations, storedInvocable } from '../../src/store/read/row-labels.js';
import { MemoryCatalogue } from '../../src/store/write/memory-catalogue.js';
import { stampOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { writeFiles } from '../sources/folders.js';
import { changeKeywordFile } from './change-keyword-file.js';

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
    const { records, pagination } = catalogueSearchOf(search).keywordRecords({ q: 'alpha', ...own });
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
