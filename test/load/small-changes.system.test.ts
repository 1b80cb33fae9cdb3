import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../../src/core/index.js';
import {
  buildCatalogue,
  checkCatalogue,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { stampOfKeywordFile } from '../../src/indexing/keyword-file.js';
import { updateSources } from '../../src/load/writing.js';
import { changeIn, contentOf, stampOf } from '../catalogue-file.js';
import { COLLIDING, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import {
  answersOf,
  type Change,
  type ChangedRow,
  lastChangeInPlace,
  randomChanges,
  randomRows,
} from './changed-rows.js';
import { writeSkill } from './whole-files.js';

const embedder = new StandInEmbedder();

describe('small changes', () => {
  test('in any order give the answers of one load of the final rows', async () => {
    await fc.assert(
      fc.asyncProperty(randomRows, randomChanges, async (rows, changes) => {
        const database = scratchFile('changed.db');
        await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
        const final = await applyAll(database, rows, changes);
        const whole = scratchFile('whole.db');
        await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows: [...final.values()] }], embedder });

        expect(contentOf(database)).toEqual(contentOf(whole));
        expect(await asked(database)).toEqual(await asked(whole));
        expect((await checkCatalogue({ database })).problems).toEqual([]);
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  test('leave searches that were opened before with their answers', async () => {
    await fc.assert(
      fc.asyncProperty(randomRows, randomChanges, async (rows, changes) => {
        const database = scratchFile('changed.db');
        await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
        const before = await asked(database);
        await using search = await openSkillSearch({ database, embedder });
        await using warm = await openSkillSearch({ database, embedder, warmUp: true });
        await applyAll(database, rows, changes);

        expect(await answersOf(search)).toEqual(before);
        expect(await answersOf(warm)).toEqual(before);
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});

async function applyAll(
  database: string,
  rows: readonly ChangedRow[],
  changes: readonly Change[],
): Promise<Map<string, ChangedRow>> {
  const final = new Map(rows.map((one) => [one.id, one]));
  for (const change of changes) {
    if ('ids' in change) {
      const there = change.ids.filter((id) => final.delete(id)).length;
      expect(await removeSkills({ database, ids: change.ids })).toBe(there);
      continue;
    }
    const { added, updated, unchanged } = await updateSkills({
      database,
      rows: change.rows,
      source: 'rows',
      embedder,
    });
    expect(added).toBe(change.rows.filter(({ id }) => !final.has(id)).length);
    expect(added + updated + unchanged).toBe(change.rows.length);
    for (const one of change.rows) final.set(one.id, one);
  }
  return final;
}

async function asked(database: string): Promise<unknown[]> {
  await using search: SkillSearch = await openSkillSearch({ database, embedder });
  return await answersOf(search);
}

describe('rows', () => {
  test('are loaded as a whole if they are more than 500 rows or ids', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a')]], semantic: false });
    const many = Array.from({ length: 501 }, (_, i) => row(`b${i}`));
    await updateSkills({ database, rows: many.slice(0, 500), semantic: false });
    expect(lastChangeInPlace(database)).toBe(true);
    expect(await updateSkills({ database, rows: [...many, row('c')], semantic: false })).toMatchObject({ added: 2 });
    expect(lastChangeInPlace(database)).toBe(false);
    expect(await removeSkills({ database, ids: many.slice(1).map(({ id }) => id!) })).toBe(500);
    expect(lastChangeInPlace(database)).toBe(true);
    expect(await removeSkills({ database, ids: ['a', 'c', ...many.slice(1).map(({ id }) => id!)] })).toBe(2);
    expect(lastChangeInPlace(database)).toBe(false);
  });

  test('are indexed with all others when more than 1,000 came or went', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a')]], semantic: false });
    const stamp = stampOf(database);
    const rows = (text: string) => Array.from({ length: 500 }, (_, i) => row(`b${i}`, { description: text }));
    await updateSkills({ database, rows: rows('one'), semantic: false });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({ database, rows: rows('two'), semantic: false });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({ database, rows: [row('c', { description: 'three' })], semantic: false });
    await removeSkills({ database, ids: rows('two').map(({ id }) => id!) });
    await updateSkills({ database, rows: rows('four'), semantic: false });
    const before = stampOf(database);
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({
      database,
      rows: rows('five').map((one) => ({ ...one, id: `d${one.id}` })),
      semantic: false,
    });
    expect(stampOf(database)).not.toBe(before);
    expect(stampOfKeywordFile(database)).toBe(stampOf(database));
    await using search = await openSkillSearch({ database });
    expect([search.keyword({ q: 'four' }).pagination.total, search.keyword({ q: 'two' }).pagination.total]).toEqual([
      500, 0,
    ]);
  });
});

describe('update sources', () => {
  const OPTIONS = { semantic: false, git: false } as const;

  /** A folder with skills, and a catalogue of it. */
  async function loaded(paths: readonly string[]): Promise<{ readonly folder: string; readonly database: string }> {
    const folder = join(scratchFolder(), 'skills');
    for (const path of paths) writeSkill(join(folder, path), `It does ${path}.`);
    const database = join(dirname(folder), 'skills.db');
    await buildCatalogue({ ...OPTIONS, database, sources: [folder] });
    return { folder, database };
  }

  /** What a load of the whole folder would make. */
  async function whole(folder: string): Promise<ReturnType<typeof contentOf>> {
    const database = join(dirname(folder), 'whole.db');
    rmSync(database, { force: true });
    await buildCatalogue({ ...OPTIONS, database, sources: [folder] });
    return contentOf(database);
  }

  test('folders that change, appear and vanish make the catalogue that a load of the whole source would make', async () => {
    const path = fc.constantFrom('a', 'b', 'b/c', 'd/e', 'd/f', 'a b');
    const step = fc.record({ path, text: fc.constantFrom('', 'One thing.', 'Another thing.') });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), async (changes) => {
        const { folder, database } = await loaded(['a', 'b', 'd/e', 'kept']);
        for (const steps of changes) {
          for (const { path: at, text } of steps) {
            if (text === '') rmSync(join(folder, at), { recursive: true, force: true });
            else writeSkill(join(folder, at), text);
          }
          const folders = steps.map(({ path: at }) => join(folder, at));
          await updateSources({ ...OPTIONS, database, changed: [{ source: folder, folders }] });
        }
        expect(contentOf(database)).toEqual(await whole(folder));
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  test('an unchanged folder changes nothing, and one change is written in place', async () => {
    const { folder, database } = await loaded(['a', 'b']);
    const changed = [{ source: folder, folders: [join(folder, 'a')] }];
    expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ unchanged: 1, updated: 0 });
    expect(lastChangeInPlace(database)).toBe(false);
    writeSkill(join(folder, 'a'), 'Something else.');
    expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ updated: 1 });
    expect(lastChangeInPlace(database)).toBe(true);
  });

  test('with links the whole source is loaded', async () => {
    const { folder, database } = await loaded(['a', 'b']);
    symlinkSync(join(folder, 'b'), join(folder, 'a', 'link'));
    writeSkill(join(folder, 'a'), 'Something else.');
    const changed = [{ source: folder, folders: [join(folder, 'a')] }];
    expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ updated: 1 });
    expect(lastChangeInPlace(database)).toBe(false);
    expect(contentOf(database)).toEqual(await whole(folder));
  });

  test('a folder that the system will not look at is not taken for removed: the whole source is read', async () => {
    const { folder, database } = await loaded(['a', 'b']);
    const changed = [{ source: folder, folders: [join(folder, 'a'.repeat(300))] }];
    expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ unchanged: 2, removed: 0 });
  });
});

test('rows that stand in a source as they stood at the load before leave the same catalogue and the same report as if every row were read', async () => {
  const folder = scratchFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(LOAD, { minLength: 2, maxLength: 4 }), async (loads) => {
      const [known, unknown] = [join(folder, `${count}-known.db`), join(folder, `${count}-unknown.db`)];
      count += 1;
      for (const { source, lines, prune } of loads) {
        const path = join(folder, source);
        writeFileSync(path, lines.join('\n'));
        const options = { sources: [path], semantic: false, prune };
        const report = await buildCatalogue({ ...options, database: known });
        const expected = await buildCatalogue({ ...options, database: unknown });
        changeIn(unknown, 'UPDATE claim SET fingerprint = NULL');

        expect(withoutTimes(report)).toEqual(withoutTimes(expected));
        expect(contentOf(known)).toEqual(contentOf(unknown));
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

// A row that is known is not read: were the rules changed alone, it would keep what the former ones made of it.
test('the fingerprint of a row belongs to the rules that rows are read by', async () => {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'odd', rows: ODD_ROWS }], semantic: false });
  const made = sha256Of(JSON.stringify([...contentOf(database)])).slice(0, 16);
  // Does this fail? Then rows become something else than before: raise READING_RULES in skill-id.ts, and put
  // the new value here.
  expect(made).toBe('4bf54ec750da2608');
});

/** Few ids, places whose slugs collide, one row written in two ways, rows that cannot be read or are warned of. */
const LINE = fc
  .record({
    who: fc.constantFrom(...COLLIDING),
    version: fc.nat(1),
    spaced: fc.boolean(),
    broken: fc.nat(9).map((n) => n === 0),
  })
  .map(({ who, version, spaced, broken }) => {
    const value = { name: 'n', description: `version ${version}`, ...who };
    if (broken) return '{"id": "a",';
    return spaced ? JSON.stringify(value).replaceAll('":', '": ') : JSON.stringify(value);
  });

const LOAD = fc.record({
  source: fc.constantFrom('one.jsonl', 'two.jsonl'),
  lines: fc.array(LINE, { maxLength: 7 }),
  prune: fc.boolean(),
});

const ODD_ROWS: readonly unknown[] = [
  row('plain', {
    stars: 3,
    updatedAt: 1_700_000_000,
    categories: ['Web Design', 'tools'],
    occupations: ['writers-273043'],
  }),
  {
    name: ' Ünïcode\r\nname ',
    description: 'Ｆｕｌｌ　width\u0000 and \ud800 lone',
    codehostUrl: 'https://user:pw@host.test/o/r.git',
  },
  { name: 'n'.repeat(300), description: 'd'.repeat(5000), author: '\u202eauthor', updatedAt: '2024-02-03T04:05:06Z' },
  { name: 'tree', description: 'x', githubUrl: 'https://host.test/o/r/tree/main/a%20b/SKILL.md', stars: '12.7' },
  { name: 'repository', description: 'x', codehostUrl: 'https://host.test/o/r', updatedAt: 1_700_000_000_123 },
  {
    id: 42,
    name: 'files',
    description: 'x',
    files: [
      { filename: '../a\\b/./c.md', text: 'one\u0000two' },
      { filename: 'SKILL.md', text: '# body' },
    ],
    license: ' MIT ',
    'allowed-tools': ['Read', 'Write'],
    metadata: { version: 1, deep: { text: 'a\u0000b' } },
    category: 'Ändern & Prüfen',
  },
  { name: 'placed', description: 'x', place: 'Größe/Straße', skillUrl: 'javascript:alert(1)' },
  {
    name: 'installed',
    description: 'x',
    installations: [
      { agent: 'codex', scope: 'user', path: '/etc', plugin: 'a\u001bb' },
      { agent: 'Codex', scope: 'user' },
    ],
    frontMatter: { 'disable-model-invocation': 'true' },
  },
];

function withoutTimes({ seconds: _, ...report }: LoadReport): Omit<LoadReport, 'seconds'> {
  return report;
}
