import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  type LoadReport,
  openSkillSearch,
  type RejectedRow,
  removeSkills,
  updateSkills,
  watchSources,
  writeSnapshot,
} from '../../src/index.js';
import { OpenLoad } from '../../src/store/writing.js';
import { contentOf, filesBeside, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const THREE = [row('a'), row('b'), row('c')];

const line = (more: object = {}): string => JSON.stringify(row('b', more));
test.each([
  ['is not JSON', () => line().replace(':', '')],
  ['has too many values', () => line({ many: Array(200_000).fill(1) })],
  ['is too long', () => line({ long: 'x'.repeat(32 * 1024 * 1024) })],
  ['is no object', () => '"b"'],
  ['brings no id', () => '{"name":"name of b"}'],
])('pruning keeps a skill whose line or element %s, wherever it stands', async (_, broken) => {
  const database = scratchFile('skills.db');
  const path = scratchFile('rows.jsonl');
  writeFileSync(path, toJsonLines(THREE));
  await buildCatalogue({ semantic: false, database, sources: [path] });
  const lines = [JSON.stringify(row('a')), broken(), JSON.stringify(row('c'))];
  for (const text of [`${lines.join('\n')}\n`, `[${lines.join(',\n')}]`]) {
    writeFileSync(path, text);
    const report = await buildCatalogue({ semantic: false, database, sources: [path], prune: true });
    expect([report.rejected.length, report.removed]).toEqual([1, 0]);
    const [{ line, reason }] = report.rejected as [RejectedRow];
    expect(report.warnings).toEqual([
      {
        ...{ origin: path, line },
        message: `nothing was pruned, because nobody can tell which stored skill this is or hides (${reason}): mend or remove it, and load again`,
      },
    ]);
    expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'c']);
  }
});

describe('before anything is written', () => {
  test.each([
    ['sources left out', {}, 'INVALID_OPTION'],
    ['a source that is nothing', { sources: [undefined] }, 'INVALID_SOURCE'],
    ['rows that cannot be iterated', { sources: [{ name: 'x', rows: 5 }] }, 'INVALID_SOURCE'],
    ['no database', { database: undefined, sources: [THREE] }, 'INVALID_OPTION'],
    ['a database without a name', { database: '', sources: [THREE] }, 'INVALID_OPTION'],
  ])('%s fails the load', async (_, options, code) => {
    const database = scratchFile('skills.db');
    const all = { database, ...options } as unknown as BuildOptions;
    expect(await codeOf(() => buildCatalogue(all))).toBe(code);
    expect(existsSync(database)).toBe(false);
    expect(filesBeside(database)).toEqual([]);
  });

  test('a database that is none fails the load and stays as it was', async () => {
    const database = scratchFile('notes.txt');
    writeFileSync(database, 'my notes\n'.repeat(200));
    const before = traceOf(database);

    expect(await codeOf(() => load(database, THREE))).toBe('NOT_A_CATALOGUE');
    expect(traceOf(database)).toEqual(before);
    expect(filesBeside(database)).toEqual([]);
  });

  test('a place that cannot be written fails the load', async () => {
    const file = scratchFile('file');
    writeFileSync(file, 'text');
    expect(await codeOf(() => load(join(file, 'skills.db'), THREE))).toBe('DATABASE_NOT_WRITABLE');
    expect(await codeOf(() => load(join(file, '..', 'missing', 'skills.db'), THREE))).toBe('DATABASE_NOT_WRITABLE');
    expect(readFileSync(file, 'utf8')).toBe('text');
  });
});

const ADDRESS = 'postgres://user:zebra@127.0.0.1:1/skills';

test.each([
  [
    'a watch of what is installed',
    () => watchSources({ database: ADDRESS, sources: [{ installed: {} }] }),
    'one machine',
  ],
  ['a copy to there', () => copyCatalogue({ from: scratchFile('skills.db'), to: ADDRESS }), 'buildCatalogue'],
])(
  'what PostgreSQL is not for refuses an address of PostgreSQL, and does not repeat it: %s',
  async (_, call, advice) => {
    const error = await call().then(
      () => expect.fail('it was not refused'),
      (refused: Error) => refused,
    );
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(advice) });
    expect(error.message).not.toContain('zebra');
  },
);

test.each([{ cache: 'folder' }, { passwordFile: 'file' }])(
  'options for PostgreSQL are refused for a file: %o',
  async (option) => {
    const file = scratchFile('skills.db');
    const [parameter] = Object.keys(option);
    const refused = { code: 'INVALID_OPTION', parameter };
    await expect(buildCatalogue({ database: file, sources: [[row('a')]], ...option })).rejects.toMatchObject(refused);
    await expect(updateSkills({ database: file, rows: [row('a')], ...option })).rejects.toMatchObject(refused);
    await expect(removeSkills({ database: file, ids: [], ...option })).rejects.toThrow(
      expect.objectContaining(refused),
    );
    await expect(checkCatalogue({ database: file, ...option })).rejects.toMatchObject(refused);
    await expect(watchSources({ database: file, sources: ['.'], ...option })).rejects.toMatchObject(refused);
    await expect(copyCatalogue({ from: file, to: `${file}-copy`, ...option })).rejects.toMatchObject(refused);
    await expect(writeSnapshot({ database: file, to: `${file}-to`, ...option })).rejects.toMatchObject(refused);
  },
);

describe('a copy', () => {
  test('a catalogue is copied with the indexes beside it, and replaces what was there where that is wanted', async () => {
    const folder = scratchFolder();
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    const embedder = new StandInEmbedder();
    await buildCatalogue({ database: from, sources: [[row('a'), row('b')]], embedder });
    await buildCatalogue({ database: to, sources: [[row('c')]], embedder });

    await copyCatalogue({ from, to, overwrite: true });
    expect(contentOf(to)).toEqual(contentOf(from));
    for (const ending of ['', '.keyword', '.vectors']) {
      expect(readFileSync(to + ending).equals(readFileSync(from + ending))).toBe(true);
    }
    embedder.asked.length = 0;
    await buildCatalogue({ database: to, sources: [[row('d')]], embedder });
    expect(embedder.asked).toEqual(['name of d. description of d']);
    expect([...contentOf(from).keys()]).toEqual(['a', 'b']);
  });

  test.each([undefined, false])('a copy with overwrite: %s leaves what is there as it is', async (overwrite) => {
    const folder = scratchFolder();
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
    await buildCatalogue({ database: to, sources: [[row('b')]], semantic: false });
    const before = ['', '.keyword'].map((ending) => readFileSync(to + ending));

    await expect(copyCatalogue({ from, to, overwrite })).rejects.toMatchObject({ code: 'CATALOGUE_EXISTS', path: to });
    expect(['', '.keyword'].map((ending) => readFileSync(to + ending))).toEqual(before);
    expect(filesBeside(to)).toEqual([]);
  });

  test('who has open what is replaced goes on reading that', async () => {
    const folder = scratchFolder();
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    const rows = (word: string) => Array.from({ length: 300 }, (_, i) => row(`${word}-${i}`, { description: word }));
    await buildCatalogue({ database: from, sources: [rows('alpha')], semantic: false });
    await buildCatalogue({ database: to, sources: [rows('beta')], semantic: false });

    await using search = await openSkillSearch({ database: to });
    await copyCatalogue({ from, to, overwrite: true });
    const { hits, pagination } = search.keyword({ q: 'beta', sortBy: 'recent' });
    expect([pagination.total, hits[0]?.matches]).toEqual([300, { name: ['beta'], description: ['beta'] }]);
    expect(filesBeside(to)).toEqual([]);
  });

  test('nothing is copied to where a load or a small change is writing', async () => {
    const folder = scratchFolder();
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
    await buildCatalogue({ database: to, sources: [[row('b')]], semantic: false });

    const change = new OpenLoad(to, true, true);
    change.startWorkingCopy();
    try {
      expect(await codeOf(() => copyCatalogue({ from, to, overwrite: true }))).toBe('LOAD_IN_PROGRESS');
    } finally {
      change.close();
    }
    expect([...contentOf(to).keys()]).toEqual(['b']);
    await copyCatalogue({ from, to, overwrite: true });
    expect([...contentOf(to).keys()]).toEqual(['a']);
    expect(filesBeside(to)).toEqual([]);
  });

  test('a catalogue that is not there, onto itself, or to where nothing can be is refused', async () => {
    const folder = scratchFolder();
    const from = join(folder, 'from.db');
    await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
    const code = (options: { from: string; to: string }) => codeOf(() => copyCatalogue(options));
    expect(await code({ from: join(folder, 'none.db'), to: join(folder, 'to.db') })).toBe('DATABASE_NOT_FOUND');
    expect(await code({ from, to: from })).toBe('INVALID_OPTION');
    expect(await code({ from, to: '' })).toBe('INVALID_OPTION');
    expect(await code({ from, to: join(folder, 'missing', 'to.db') })).toBe('DATABASE_NOT_WRITABLE');
  });
});

function load(database: string, rows: readonly unknown[], options: Partial<BuildOptions> = {}): Promise<LoadReport> {
  return buildCatalogue({ semantic: false, database, sources: [{ name: 'rows', rows }], ...options });
}
