import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_LISTED } from '../../src/core/index.js';
import { buildCatalogue, openSkillSearch, SKILL_SCOPES, type SkillFilters, type SkillSearch } from '../../src/index.js';
import { Database, filesBeside } from '../../src/store/index.js';
import { storedRecords } from '../catalogue-file.js';
import { catalogueOf } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { writeFiles } from '../sources/folders.js';
import { changeKeywordFile, type NumberArray } from './change-keyword-file.js';

const LONGEST = '🦊'.repeat(200);
const USER = { agent: 'codex', scope: 'user' };
const PROJECT = { agent: 'codex', scope: 'project' };
const PLUGIN = { agent: 'claude-code', scope: 'plugin', plugin: 'office' };

/** All have the word alpha, but for the last. */
const ROWS = [
  row('one', { license: 'MIT', author: 'Ada', stars: 5, updatedAt: 3000, installations: [USER] }),
  row('two', {
    license: ' mit ',
    author: 'ada',
    stars: 5,
    updatedAt: 2000,
    occupations: ['historians'],
    installations: [PROJECT, { ...USER, agent: 'cursor' }],
  }),
  row('three', {
    license: 'Apache-2.0',
    author: 'Ada Lovelace',
    stars: 4,
    updatedAt: 1000,
    categories: ['x', 'y'],
    occupations: ['software-developers-151252'],
    installations: [PLUGIN, PROJECT],
    frontMatter: { metadata: { internal: true } },
  }),
  row('four', {
    license: 'See "LICENSE" \\ Stra\u00dfe',
    author: 'Jos\u00e9 "Q" Stra\u00dfe',
    categories: ['x'],
    occupations: ['data-scientists-152051'],
    frontMatter: { 'disable-model-invocation': 'true', installations: [USER] },
  }),
  row('five', { license: LONGEST, author: '🦊', stars: 1, metadata: { invocable: false, installations: [PLUGIN] } }),
  row('six', { license: `${LONGEST}.`, files: [{ filename: 'SKILL.md', text: 'beta "license":"MIT"' }] }),
]
  .map((one) => ({ ...one, description: 'alpha' }))
  .concat(row('seven', { license: 'MIT', description: 'beta', stars: 8, updatedAt: 500 }) as never);

const CASES: readonly [SkillFilters, string[]][] = [
  [{ category: 'x' }, ['four', 'three']],
  [{ occupation: 'historians' }, ['two']],
  [{ occupation: 'software-developers' }, ['three']],
  [{ occupation: '15-0000' }, ['four', 'three']],
  [{ occupation: '151252' }, []],
  [{ license: 'mit' }, ['one', 'two']],
  [{ license: 'see "license" \\ STRASSE' }, ['four']],
  [{ license: LONGEST }, ['five']],
  [{ license: '__proto__' }, []],
  [{ author: 'ADA' }, ['one', 'two']],
  [{ author: 'jose\u0301 "q" STRASSE' }, ['four']],
  [{ author: 'unknown' }, ['six']],
  [{ minStars: 0 }, ['five', 'four', 'one', 'six', 'three', 'two']],
  [{ minStars: 4 }, ['one', 'three', 'two']],
  [{ updatedAfter: 2000 }, ['one', 'two']],
  [{ updatedAfter: '1969-01-01' }, ['one', 'three', 'two']],
  [{ updatedBefore: '1970-01-01T00:33:20Z' }, ['three']],
  [{ agent: 'codex' }, ['one', 'three', 'two']],
  [{ agent: 'constructor' }, []],
  [{ scope: 'plugin' }, ['three']],
  [{ invocable: true }, ['five', 'one', 'six', 'two']],
  [{ invocable: false, agent: 'codex' }, ['three']],
  [{ license: 'mit', author: 'ada', updatedAfter: 2500, invocable: true }, ['one']],
  [{ category: 'x', occupation: '15-0000', minStars: 1, updatedBefore: 2000 }, ['three']],
];

const embedder = new StandInEmbedder();

function found(search: SkillSearch, filters: SkillFilters, q = 'alpha'): string[] {
  const { hits } = search.keyword({ q, copies: 'keep', limit: 50, ...filters });
  return hits.map(({ skill }) => skill.id).sort();
}

describe('filters', () => {
  let search: SkillSearch;
  beforeAll(async () => {
    search = await openSkillSearch({ skills: ROWS, embedder });
    return () => search.close();
  });

  test.each(CASES)('%j hold for words, records, lists and meaning', async (filters, ids) => {
    expect(found(search, filters)).toEqual(ids);
    const own = { ...filters, copies: 'keep' } as const;
    const { records, pagination } = storedRecords(search, { q: 'alpha', ...own });
    expect(records.map((record) => (JSON.parse(record) as { id: string }).id).sort()).toEqual(ids);
    expect(pagination.total).toBe(ids.length);
    const answers = [search.list(own)];
    for (const ranking of ['hybrid', 'vector', 'words'] as const) {
      answers.push((await search.semantic({ q: 'alpha', ranking, ...own })) as never);
    }
    for (const { hits } of answers) {
      // Lists and meaning know no words.
      expect(hits.flatMap(({ skill }) => (skill.id === 'seven' ? [] : [skill.id])).sort()).toEqual(ids);
    }
  });

  test('apply before the step is chosen', () => {
    expect(search.keyword({ q: 'beta' }).step).toBe('all-words');
    expect(search.keyword({ q: 'beta', author: 'unknown', category: 'x' }).step).toBeUndefined();
    expect(search.keyword({ q: 'beta', updatedBefore: 400 }).step).toBeUndefined();
    expect(search.keyword({ q: 'alpha beta', minStars: 0 }).step).toBe('file-text');
  });

  test.each<[object, string, string]>([
    [{ agent: 'Codex' }, 'agent', 'agent must be a slug of the characters a-z, 0-9 and -, got "Codex"'],
    [{ scope: 'global' }, 'scope', 'scope must be one of project, user, plugin, system, got "global"'],
    [{ license: `${LONGEST}.` }, 'license', '1 to 200 characters'],
    [{ invocable: 1, scope: 1, agent: 1, updatedBefore: 'x' }, 'updatedBefore', 'updatedBefore must be'],
    [{ invocable: 1, scope: 1 }, 'scope', 'scope must be'],
  ])('%j are refused, the first fault first', async (filters, parameter, message) => {
    const query = { q: 'a', ...(filters as SkillFilters) };
    for (const ask of [() => search.keyword(query), () => search.list(filters), () => search.semantic(query)]) {
      const call = async (): Promise<unknown> => ask();
      expect(await codeOf(call)).toBe('INVALID_PARAMETER');
      await expect(call()).rejects.toMatchObject({ parameter, message: expect.stringContaining(message) as string });
    }
  });

  test('agree with a look at every skill, whatever is given together, and so do counts', async () => {
    const hostile = ['ann', 'Ann', 'b\u00f6', 'Bo\u0308', '"', '\\', '","author":"ann', '{"license":"x"}'];
    const name = fc.constantFrom(...hostile);
    const occupation = fc.constantFrom('b-111111', 'b-112222', 'c-121111', 'd');
    const installation = fc.record({ agent: fc.constantFrom('a', 'b'), scope: fc.constantFrom(...SKILL_SCOPES) });
    const skill = fc.record({
      license: name,
      author: name,
      stars: fc.nat(4),
      updatedAt: fc.nat(4),
      categories: fc.subarray(['x', 'y']),
      occupations: fc.uniqueArray(occupation, { maxLength: 2 }),
      installations: fc.array(installation, { maxLength: 3 }),
      isHidden: fc.boolean(),
    });
    const filters = fc.record(
      {
        license: name,
        author: name,
        minStars: fc.nat(4),
        updatedAfter: fc.nat(4),
        updatedBefore: fc.nat(5),
        category: fc.constantFrom('x', 'z'),
        occupation: fc.constantFrom('b', 'b-111111', '11-0000', '13-0000', 'd'),
        agent: fc.constantFrom('a', 'c'),
        scope: fc.constantFrom(...SKILL_SCOPES),
        invocable: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    // Two or three filters at a time, or next to nothing passes.
    const few = fc.tuple(filters, fc.infiniteStream(fc.nat(3))).map(([all, keep]): SkillFilters => {
      return Object.fromEntries(Object.entries(all).filter(() => keep.next().value === 0));
    });
    type Made = (typeof skill extends fc.Arbitrary<infer One> ? One : never) & { readonly id: string };
    const key = (text: string): string => text.normalize('NFC').toLowerCase();
    const isOf = (label: string, slug: string): boolean => {
      const [, title, code = ''] = /^(.*)-(\d{6})$/.exec(label) ?? [];
      return label === slug || title === slug || (code !== '' && slug === `${code.slice(0, 2)}-0000`);
    };
    const passes = (one: Made, asked: SkillFilters): boolean => {
      const { updatedAfter: after, updatedBefore: before, agent, scope } = asked;
      const checks = [
        asked.license === undefined || key(one.license) === key(asked.license),
        asked.author === undefined || key(one.author) === key(asked.author),
        asked.minStars === undefined || one.stars >= asked.minStars,
        (after === undefined && before === undefined) || one.updatedAt > 0,
        after === undefined || one.updatedAt >= Number(after),
        before === undefined || one.updatedAt < Number(before),
        asked.category === undefined || one.categories.includes(asked.category),
        asked.occupation === undefined || one.occupations.some((label) => isOf(label, asked.occupation!)),
        asked.invocable === undefined || asked.invocable === !one.isHidden,
        (agent === undefined && scope === undefined) ||
          one.installations.some((has) => has.agent === (agent ?? has.agent) && has.scope === (scope ?? has.scope)),
      ];
      return checks.every(Boolean);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(skill, { maxLength: 8 }), fc.array(few, { maxLength: 8 }), async (skills, all) => {
        const made = skills.map((one, i): Made => ({ ...one, id: `s${i}` }));
        const rows = made.map(({ isHidden, ...one }) => ({
          ...row(one.id, { ...one, description: 'alpha' }),
          ...(isHidden && { frontMatter: { 'disable-model-invocation': 'true' } }),
        }));
        await using opened = await openSkillSearch({ skills: rows });
        for (const asked of all) {
          expect([asked, found(opened, asked)]).toEqual([
            asked,
            made.filter((one) => passes(one, asked)).map(({ id }) => id),
          ]);
          const facets = (['agent', 'scope'] as const).filter((facet) => asked[facet] === undefined);
          for (const facet of facets) {
            const counts = (facet === 'agent' ? ['a', 'b'] : SKILL_SCOPES)
              .map((value) => ({ value, count: found(opened, { ...asked, [facet]: value }).length }))
              .filter(({ count }) => count > 0)
              .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
            const counted = opened.list({ ...asked, facets }).facets?.[facet];
            expect([asked, facet, counted]).toEqual([asked, facet, counts]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a keyword file', () => {
  const column = (name: string, change: (a: NumberArray) => NumberArray, part = 'documents') =>
    [`columns.${name}.${part}`, change] as const;

  test.each([
    column('licenses', (a) => a.fill(0), 'slugs'),
    column('licenses', () => Buffer.from('["mit"]'), 'slugs'),
    column('licenses', (a) => a.fill(2 ** 31, 1), 'starts'),
    column('licenses', (a) => a.fill(77)),
    column('authors', (a) => a.fill(0), 'slugs'),
    column('authors', (a) => a.fill(77)),
    column('installations', (a) => a.fill(2 ** 31, 1), 'starts'),
    column('invocable', (a) => a.fill(77)),
  ])('whose %s was made up gives the answers of the catalogue', async (path, spoil) => {
    const database = await catalogueOf(ROWS, embedder);
    await changeKeywordFile(database, path, spoil);
    await using search = await openSkillSearch({ database });
    for (const [filters, ids] of CASES) expect([filters, found(search, filters)]).toEqual([filters, ids]);
  });

  test('whose bytes changed on the disk gives the answers of the catalogue', async () => {
    const database = await catalogueOf(ROWS, embedder);
    const path = filesBeside(database).keyword;
    const bytes = readFileSync(path);
    bytes.write('"apache-9.9"', bytes.indexOf('"apache-2.0"'));
    writeFileSync(path, bytes);
    await using search = await openSkillSearch({ database });
    expect(found(search, { license: 'Apache-2.0' })).toEqual(['three']);
    expect(found(search, { license: 'Apache-9.9' })).toEqual([]);
  });
});

test('a catalogue with damaged skills is filtered by the dates and stars of the others, and they pass no filter', async () => {
  const rows = Array.from({ length: 9 }, (_, i) =>
    row(`s${i}`, { description: 'alpha', updatedAt: 900 - 100 * i, stars: i }),
  );
  const database = await catalogueOf(rows, embedder);
  const change = new Database(database);
  change.exec("UPDATE revision SET properties = 'x' WHERE id IN ('s0', 's3', 's4', 's8')");
  change.close();
  // Without the derived file the columns are read from the catalogue, and the damage is found.
  writeFileSync(filesBeside(database).keyword, '');
  await using search = await openSkillSearch({ database });
  const whole = rows.filter(({ id }) => !['s0', 's3', 's4', 's8'].includes(id!));
  for (let time = 0; time <= 1000; time += 50) {
    const ids = (passes: (at: number) => boolean): (string | undefined)[] =>
      whole.filter(({ updatedAt }) => passes(updatedAt as number)).map(({ id }) => id);
    expect(found(search, { updatedAfter: time })).toEqual(ids((at) => at >= time));
    expect(found(search, { updatedBefore: time })).toEqual(ids((at) => at < time));
  }
  expect(found(search, { minStars: 4 })).toEqual(['s5', 's6', 's7']);
});

describe('a catalogue of installed skills', () => {
  test('is counted by agent', async () => {
    await using search = await openSkillSearch({ skills: ROWS });
    expect(search.agents()).toEqual([
      { agent: 'codex', count: 3 },
      { agent: 'claude-code', count: 1 },
      { agent: 'cursor', count: 1 },
    ]);
  });

  test('tells of each skill who has it, and whether a model may call it, and notices changes', async () => {
    const database = await catalogueOf(ROWS, embedder);
    await using search = await openSkillSearch({ database, localPaths: true });
    expect(search.get('three')).toMatchObject({ installations: [PLUGIN, PROJECT], invocable: false });
    expect(search.get('two')).not.toHaveProperty('invocable');
    // What stands in its metadata means nothing.
    expect(search.get('five')).not.toHaveProperty('installations');
    expect(search.get('five')).not.toHaveProperty('invocable');
    const moved = ROWS.map((one) => (one.id === 'one' ? { ...one, installations: [PLUGIN] } : one));
    const report = await buildCatalogue({ database, sources: [{ name: 'rows', rows: moved }], embedder });
    expect(report).toMatchObject({ updated: 1, unchanged: ROWS.length - 1 });
    await using later = await openSkillSearch({ database });
    expect(found(later, { agent: 'claude-code' })).toEqual(['one', 'three']);
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
    expect(search.list({ invocable: true }).hits.map(({ skill: { name } }) => name)).toEqual(['open']);
    expect(search.list({ invocable: false }).pagination.total).toBe(4);
  });
});

describe('a catalogue of many labels', () => {
  /** Skills that have each as many labels as a skill may have, all different, and the category `shared`. */
  function skillsWith(labels: number): Row[] {
    const own = 63;
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

  test('lists them in pages, the most frequent first, and loses none', async () => {
    await using search = await openSkillSearch({ skills: skillsWith(1000) });
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
    expect([search.countAuthors(), search.authors(2)]).toEqual([16, []]);
    for (const page of [0, 1.5, '1' as never]) {
      expect(await codeOf(() => search.categories(page))).toBe('INVALID_PARAMETER');
      expect(await codeOf(() => search.copiesOf('s1', page))).toBe('INVALID_PARAMETER');
    }
  });

  test('knows as many at a time as the bound says, those of the most skills, in filters and counts', async () => {
    const most = 20_000;
    await using search = await openSkillSearch({ skills: skillsWith(most + 1) });
    const { skills, categories, occupations } = search.stats();
    expect([categories, occupations]).toEqual([most, most]);
    const total = (filter: SkillFilters): number => search.list({ ...filter, limit: 1 }).pagination.total;
    expect(total({ category: 'shared' })).toBe(skills);
    const { facets } = search.list({ facets: ['category', 'agent', 'author'] });
    for (const counts of Object.values(facets ?? {})) expect(counts).toHaveLength(100);
    expect([search.agents(40).length, search.agents(41)]).toEqual([500, []]);
  });
});
