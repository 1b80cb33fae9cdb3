import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type LoadProgress,
  type LoadReport,
  removeSkills,
  type Source,
} from '../../src/index.js';
import { MAX_ROW_BYTES, MAX_ROW_VALUES } from '../../src/limits.js';
import { contentOf, filesBeside, stampOf, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { type Row, row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

const THREE = [row('a'), row('b'), row('c')];

describe('sources', () => {
  test('of every kind give the same skills', async () => {
    const folder = scratchFolder();
    const text = toJsonLines(THREE);
    writeFileSync(join(folder, 'plain.jsonl'), text);
    writeFileSync(join(folder, 'packed.jsonl.gz'), gzipSync(text));
    writeFileSync(join(folder, 'array.json'), JSON.stringify(THREE, undefined, 2));
    async function* later() {
      yield* THREE;
    }
    const kinds: Record<string, { source: Source; stdin?: Readable }> = {
      plain: { source: join(folder, 'plain.jsonl') },
      packed: { source: join(folder, 'packed.jsonl.gz') },
      array: { source: join(folder, 'array.json') },
      stdin: { source: '-', stdin: Readable.from([text.slice(0, 50), text.slice(50)], { objectMode: false }) },
      'packed stdin': { source: '-', stdin: Readable.from([gzipSync(text)]) },
      iterable: { source: new Set(THREE) },
      'async iterable': { source: later() },
      'named rows': { source: { name: 'three', rows: THREE } },
    };

    for (const [kind, { source, stdin }] of Object.entries(kinds)) {
      const database = scratchFile('skills.db');
      const report = await buildCatalogue({ semantic: false, database, sources: [source], stdin });
      expect([kind, countsOf(report)]).toEqual([kind, { added: 3, updated: 0, unchanged: 0, removed: 0 }]);
      expect(report).toMatchObject({ warnings: [], rejected: [], failed: [] });
      expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'c']);
      expect(filesBeside(database)).toEqual([]);
    }
  });

  test('may be folders of SKILL.md files', async () => {
    const folder = join(scratchFolder(), 'skills');
    writeSkill(join(folder, 'pdf-tools'), 'pdf-tools', 'Reads PDF files');
    writeSkill(join(folder, 'deep/er/notes'), 'notes', 'Writes notes');
    writeFileSync(join(folder, 'pdf-tools', 'forms.md'), 'how to fill in forms');
    const database = scratchFile('skills.db');
    const sources = [folder];

    expect(countsOf(await buildCatalogue({ semantic: false, database, sources }))).toMatchObject({ added: 2 });
    const content = contentOf(database);
    expect([...content.keys()]).toEqual(['skills-deep-er-notes', 'skills-pdf-tools']);
    expect(content.get('skills-pdf-tools')?.files.map(([name]) => name)).toEqual(['SKILL.md', 'forms.md']);

    const trace = traceOf(database);
    expect(countsOf(await buildCatalogue({ semantic: false, database, sources }))).toEqual(counts({ unchanged: 2 }));
    expect(traceOf(database)).toEqual(trace);

    appendFileSync(join(folder, 'pdf-tools', 'forms.md'), ' quickly');
    rmSync(join(folder, 'deep'), { recursive: true });
    const report = await buildCatalogue({ semantic: false, database, sources, prune: true });
    expect(countsOf(report)).toEqual(counts({ updated: 1, removed: 1 }));
    expect([...contentOf(database).keys()]).toEqual(['skills-pdf-tools']);
  });

  test('are read in their order: the last that has an id wins, with a warning', async () => {
    const database = scratchFile('skills.db');
    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [
        { name: 'first', rows: [row('a', { stars: 1 }), row('b')] },
        { name: 'second', rows: [row('a', { stars: 2 })] },
      ],
    });

    expect(countsOf(report)).toEqual(counts({ added: 2 }));
    expect(report.warnings).toEqual([{ origin: 'second', line: 1, message: expect.stringContaining('a') }]);
    expect(contentOf(database).get('a')).toMatchObject({
      record: { stars: 2 },
      sources: ['rows:first', 'rows:second'],
    });
  });

  test('that hold nothing are warned of, and the catalogue is made all the same', async () => {
    const database = scratchFile('skills.db');
    const report = await buildCatalogue({ semantic: false, database, sources: [{ name: 'nothing', rows: [] }] });

    expect(report.warnings).toEqual([{ origin: 'nothing', message: 'no skill in this source' }]);
    expect(contentOf(database).size).toBe(0);
  });

  test('with rows that cannot become a skill are loaded without these, which are told with line and reason', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'mixed.jsonl');
    const lines = [row('a'), { id: 'b', name: 'no description' }, 'text', row('d', { name: '  ' }), row('e')];
    writeFileSync(path, `${toJsonLines(lines)}{"id": "broken\n\n${JSON.stringify(row('f'))}`);
    const database = join(folder, 'skills.db');
    const report = await buildCatalogue({ semantic: false, database, sources: [path] });

    expect(countsOf(report)).toEqual(counts({ added: 3 }));
    expect(report.rejected).toEqual([
      { origin: path, line: 2, reason: expect.stringContaining('description') },
      { origin: path, line: 3, reason: expect.stringContaining('object') },
      { origin: path, line: 4, reason: expect.stringContaining('name') },
      { origin: path, line: 6, reason: expect.stringContaining('not JSON') },
    ]);
    expect([...contentOf(database).keys()]).toEqual(['a', 'e', 'f']);
  });
});

describe('a load that changes nothing', () => {
  test.each([
    ['the same rows', THREE],
    ['fewer rows', [row('b')]],
    ['the rows in another order', [...THREE].reverse()],
    ['no rows', []],
  ])('writes nothing: %s', async (_, rows) => {
    const database = scratchFile('skills.db');
    const load = (some: readonly Row[]) =>
      buildCatalogue({ semantic: false, database, sources: [{ name: 'rows', rows: some }] });
    await load(THREE);
    const before = traceOf(database);

    const report = await load(rows);

    expect(countsOf(report)).toEqual(counts({ unchanged: rows.length }));
    expect(traceOf(database)).toEqual(before);
    expect(filesBeside(database)).toEqual([]);
  });

  test('writes nothing though ids come twice', async () => {
    const database = scratchFile('skills.db');
    const rows = [row('a', { stars: 1 }), row('b'), row('a', { stars: 2 }), row('a', { stars: 3 })];
    const first = await load(database, rows);
    expect(countsOf(first)).toEqual(counts({ added: 2 }));
    expect(first.warnings.map(({ line }) => line)).toEqual([3, 4]);
    expect(contentOf(database).get('a')).toMatchObject({ record: { stars: 3 } });
    const before = traceOf(database);

    const second = await load(database, rows);

    expect(countsOf(second)).toEqual(counts({ unchanged: 2 }));
    expect(second.warnings).toEqual(first.warnings);
    expect(traceOf(database)).toEqual(before);
  });

  test('counts skills that changed there and back in one load as unchanged', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    expect(countsOf(await load(database, [row('a', { stars: 9 }), row('a')]))).toEqual(counts({ unchanged: 1 }));
  });
});

describe('a load that changes something', () => {
  test('adds, updates and counts, and leaves the rest', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const stamp = stampOf(database);

    const report = await load(database, [
      row('a', { stars: 1 }),
      row('b'),
      row('c', { files: [{ filename: 'SKILL.md', text: 'other text' }] }),
      row('d'),
    ]);

    expect(countsOf(report)).toEqual({ added: 1, updated: 2, unchanged: 1, removed: 0 });
    expect(stampOf(database)).not.toBe(stamp);
    expect(contentOf(database).get('c')?.files).toEqual([['SKILL.md', 'other text']]);
    expect(await buildAnew([row('a', { stars: 1 }), ...THREE.slice(1), row('d')]).then((c) => c.get('a'))).toEqual(
      contentOf(database).get('a'),
    );
  });

  test.each([
    ['name', { name: 'other' }],
    ['description', { description: 'other' }],
    ['author', { author: 'other' }],
    ['codehostUrl', { codehostUrl: 'https://example.com/other' }],
    ['skillUrl', { skillUrl: 'https://example.com/other' }],
    ['stars', { stars: 7 }],
    ['updatedAt', { updatedAt: 7 }],
    ['categories', { categories: ['other'] }],
    ['occupations', { occupations: ['other'] }],
    ['license', { license: 'MIT' }],
    ['files', { files: [{ filename: 'other.md', text: 'description of a' }] }],
  ])('notices a change of %s alone', async (_, change) => {
    const database = scratchFile('skills.db');
    await load(database, [row('a')]);
    expect(countsOf(await load(database, [row('a', change as Row)]))).toEqual(counts({ updated: 1 }));
    expect(contentOf(database)).toEqual(await buildAnew([row('a', change as Row)]));
  });
});

describe('pruning', () => {
  test('removes what came from the same source and is no longer in it, and only when asked to', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);

    expect(countsOf(await load(database, [row('b')]))).toEqual(counts({ unchanged: 1 }));
    expect(countsOf(await load(database, [row('b'), row('d')], { prune: true }))).toEqual(
      counts({ added: 1, unchanged: 1, removed: 2 }),
    );
    expect([...contentOf(database).keys()]).toEqual(['b', 'd']);
  });

  test('leaves what came from other sources', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ semantic: false, database, sources: [{ name: 'one', rows: [row('a'), row('b')] }] });
    await buildCatalogue({ semantic: false, database, sources: [{ name: 'two', rows: [row('c'), row('d')] }] });

    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [{ name: 'two', rows: [row('d')] }],
      prune: true,
    });

    expect(report.removed).toBe(1);
    expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'd']);
  });

  test('of one source leaves a skill that another has as well, until that one lets go of it, too', async () => {
    const database = scratchFile('skills.db');
    const prune = (name: string, ...ids: string[]) =>
      buildCatalogue({ semantic: false, database, sources: [{ name, rows: ids.map((id) => row(id)) }], prune: true });
    await prune('one', 'shared', 'own-1');
    await prune('two', 'shared', 'own-2');

    expect((await prune('one', 'own-1')).removed).toBe(0);
    expect([...contentOf(database).keys()]).toEqual(['own-1', 'own-2', 'shared']);
    expect((await prune('two', 'own-2')).removed).toBe(1);
    expect([...contentOf(database).keys()]).toEqual(['own-1', 'own-2']);
  });

  test('does not happen after a source that failed', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const breaking = (function* () {
      yield row('d');
      throw new Error('the line went dead');
    })();

    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [{ name: 'rows', rows: breaking }],
      prune: true,
    });

    expect(report).toMatchObject({ added: 1, removed: 0, failed: [{ origin: 'rows', reason: 'the line went dead' }] });
    expect(report.warnings).toEqual([{ origin: 'rows', message: expect.stringContaining('nothing was pruned') }]);
    expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'c', 'd']);
  });

  test('does not happen after a source that was cut off', async () => {
    const folder = scratchFolder();
    const database = join(folder, 'skills.db');
    const many = Array.from({ length: 2000 }, (_, i) => row(`skill-${i}`, { description: `text ${Math.sqrt(i)}` }));
    const whole: Record<string, Buffer> = {
      'rows.jsonl.gz': gzipSync(toJsonLines(many)),
      'rows.json': Buffer.from(JSON.stringify(many)),
    };
    for (const [name, bytes] of Object.entries(whole)) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      await buildCatalogue({ semantic: false, database, sources: [path] });
      writeFileSync(path, bytes.subarray(0, bytes.length / 2));

      const report = await buildCatalogue({ semantic: false, database, sources: [path], prune: true });
      expect([name, report.removed]).toEqual([name, 0]);
      expect(contentOf(database).size).toBe(2000);
      rmSync(database);
    }
  });

  test('does not happen after a source that held nothing, be it one of several', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);

    for (const rows of [[], [{ id: 'x' }]]) {
      const sources = [
        { name: 'rows', rows: [row('a')] },
        { name: 'empty', rows },
      ];
      const report = await buildCatalogue({ semantic: false, database, sources, prune: true });
      expect(report.removed).toBe(0);
      expect(report.warnings.at(-1)).toEqual({
        origin: 'empty',
        message: expect.stringContaining('nothing was pruned'),
      });
    }
    expect(contentOf(database).size).toBe(3);
  });

  test('keeps a skill whose row is there but was rejected', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);

    const report = await load(database, [row('a'), { id: 'b', name: 'no description any more' }], { prune: true });

    expect(countsOf(report)).toEqual(counts({ unchanged: 1, removed: 1 }));
    expect(contentOf(database)).toEqual(await buildAnew([row('a'), row('b')]));
  });

  const line = (more: object = {}): string => JSON.stringify(row('b', more));
  test.each([
    ['is not JSON', () => line().slice(0, -3)],
    ['has too many values', () => line({ many: Array(2 * MAX_ROW_VALUES).fill(1) })],
    ['is too long', () => line({ long: 'x'.repeat(MAX_ROW_BYTES) })],
    ['is no object', () => '"b"'],
    ['brings no id', () => '{"name":"name of b"}'],
  ])('keeps a skill whose line or element %s, wherever it stands', async (_, broken) => {
    const database = scratchFile('skills.db');
    const path = scratchFile('rows.jsonl');
    writeFileSync(path, toJsonLines(THREE));
    await buildCatalogue({ semantic: false, database, sources: [path] });
    const lines = [JSON.stringify(row('a')), broken(), JSON.stringify(row('c'))];
    for (const text of [`${lines.join('\n')}\n`, `[${lines.join(',\n')}]`]) {
      writeFileSync(path, text);
      const report = await buildCatalogue({ semantic: false, database, sources: [path], prune: true });
      expect([report.rejected.length, report.removed]).toEqual([1, 0]);
      expect(report.warnings.at(-1)?.message).toContain('nothing was pruned');
      expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'c']);
    }
  });

  test.each([
    ['without a description', '---\nname: a\n---\n'],
    ['that is empty', ''],
  ])('keeps a skill whose SKILL.md is there but was rejected: one %s', async (_, text) => {
    const folder = join(scratchFolder(), 'skills');
    for (const name of ['a', 'b']) writeSkill(join(folder, name), name, `does ${name}`);
    const database = scratchFile('skills.db');
    await buildCatalogue({ semantic: false, database, sources: [folder] });
    writeFileSync(join(folder, 'a', 'SKILL.md'), text);

    const report = await buildCatalogue({ semantic: false, database, sources: [folder], prune: true });

    expect(report.rejected).toHaveLength(1);
    expect(report.removed).toBe(0);
    expect([...contentOf(database).keys()]).toEqual(['skills-a', 'skills-b']);
  });

  test('knows a file by its place, however that is written', async () => {
    const folder = scratchFolder();
    const database = join(folder, 'skills.db');
    const path = join(folder, 'rows.jsonl');
    writeJsonLines(path, THREE);
    await buildCatalogue({ semantic: false, database, sources: [path] });
    writeJsonLines(path, THREE.slice(1));

    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [relative(process.cwd(), path)],
      prune: true,
    });

    expect(countsOf(report)).toEqual(counts({ unchanged: 2, removed: 1 }));
  });

  test('knows a file that was moved together with the catalogue', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'before'));
    writeJsonLines(join(folder, 'before', 'rows.jsonl'), THREE);
    await buildCatalogue({
      semantic: false,
      database: join(folder, 'before', 'skills.db'),
      sources: [join(folder, 'before/rows.jsonl')],
    });
    renameSync(join(folder, 'before'), join(folder, 'after'));
    writeJsonLines(join(folder, 'after', 'rows.jsonl'), [row('a')]);

    const report = await buildCatalogue({
      semantic: false,
      database: join(folder, 'after', 'skills.db'),
      sources: [join(folder, 'after/rows.jsonl')],
      prune: true,
    });

    expect(report.removed).toBe(2);
  });

  test('that finds nothing to remove writes nothing', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const before = traceOf(database);
    expect(countsOf(await load(database, THREE, { prune: true }))).toEqual(counts({ unchanged: 3 }));
    expect(traceOf(database)).toEqual(before);
  });
});

describe('ids that are derived', () => {
  const at = (path: string, more: Row = {}): Row => ({
    name: 'n',
    description: 'd',
    codehostUrl: `https://github.com/Owner/repo/tree/main/${path}`,
    ...more,
  });

  test('say where the skill is', async () => {
    const database = scratchFile('skills.db');
    await load(database, [at('skills/PDF Tools')]);
    expect([...contentOf(database).keys()]).toEqual(['owner-repo-skills-pdf-tools']);
  });

  test('stay when the text changes', async () => {
    const database = scratchFile('skills.db');
    await load(database, [at('a'), at('漢字')]);
    const ids = [...contentOf(database).keys()];

    const changed = { name: 'other', description: 'other', stars: 3 };
    expect(countsOf(await load(database, [at('a', changed), at('漢字', changed)]))).toEqual(counts({ updated: 2 }));
    expect([...contentOf(database).keys()]).toEqual(ids);
  });

  test('get a hash where two places make one slug, and keep it in whatever order they come later', async () => {
    const database = scratchFile('skills.db');
    const [one, two] = [at('a/b'), at('a-b')];
    expect(countsOf(await load(database, [one, two]))).toEqual(counts({ added: 2 }));
    const before = traceOf(database);
    const ids = [...contentOf(database).keys()];
    expect(ids[0]).toBe('owner-repo-a-b');
    expect(ids[1]).toMatch(/^owner-repo-a-b-[0-9a-f]{8}$/);

    for (const rows of [[two, one], [two], [one]]) {
      expect(countsOf(await load(database, rows))).toEqual(counts({ unchanged: rows.length }));
    }
    expect(traceOf(database)).toEqual(before);

    await load(database, [two], { prune: true });
    expect([...contentOf(database).keys()]).toEqual([ids[1]]);
    expect(countsOf(await load(database, [two]))).toEqual(counts({ unchanged: 1 }));
  });

  test('get a hash where a path loses characters', async () => {
    const database = scratchFile('skills.db');
    await load(database, [at('工具/一'), at('工具/二')]);
    const ids = [...contentOf(database).keys()];
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^owner-repo-[a-z0-9_.-]*[0-9a-f]{8}$/);
  });

  test('do not take the id that another skill was given', async () => {
    const database = scratchFile('skills.db');
    await load(database, [row('owner-repo-a', { name: 'given' })]);

    expect(countsOf(await load(database, [at('a')]))).toEqual(counts({ added: 1 }));
    const content = contentOf(database);
    expect(content.get('owner-repo-a')).toMatchObject({ record: { name: 'given' } });
    expect(content.size).toBe(2);
  });

  test('of the same place twice in one load are one skill: the later row', async () => {
    const database = scratchFile('skills.db');
    const report = await load(database, [at('a', { stars: 1 }), at('a', { stars: 2 })]);
    expect(countsOf(report)).toEqual(counts({ added: 1 }));
    expect(report.warnings).toHaveLength(1);
    expect(contentOf(database).get('owner-repo-a')).toMatchObject({ record: { stars: 2 } });
  });

  test('are those of an uninterrupted load, whatever an interrupted one had given away', async () => {
    const database = scratchFile('skills.db');
    await interrupt(database, [at('a/b'), row('x')], 2);
    await load(database, [at('a-b')]);
    expect(contentOf(database)).toEqual(await buildAnew([at('a-b')]));
  });
});

describe('before anything is written', () => {
  test('a missing source fails the load', async () => {
    const folder = scratchFolder();
    writeJsonLines(join(folder, 'rows.jsonl'), THREE);
    const sources = [join(folder, 'rows.jsonl'), join(folder, 'missing.jsonl')];
    const before = readdirSync(folder);

    expect(await codeOf(() => buildCatalogue({ semantic: false, database: join(folder, 'skills.db'), sources }))).toBe(
      'SOURCE_NOT_FOUND',
    );
    expect(readdirSync(folder)).toEqual(before);
  });

  test('a missing source leaves an existing catalogue as it was', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const before = traceOf(database);

    const sources = [[row('d')], `${database}.missing.jsonl`];
    expect(await codeOf(() => buildCatalogue({ semantic: false, database, sources }))).toBe('SOURCE_NOT_FOUND');
    expect(traceOf(database)).toEqual(before);
    expect(filesBeside(database)).toEqual([]);
  });

  test.each([
    ['no sources', { sources: [] }, 'INVALID_OPTION'],
    ['sources that are no array', { sources: 'rows.jsonl' }, 'INVALID_OPTION'],
    ['sources left out', {}, 'INVALID_OPTION'],
    ['a source that is a number', { sources: [42] }, 'INVALID_SOURCE'],
    ['a source that is nothing', { sources: [undefined] }, 'INVALID_SOURCE'],
    ['a source that is an object', { sources: [{ id: 'a' }] }, 'INVALID_SOURCE'],
    ['rows that cannot be iterated', { sources: [{ name: 'x', rows: 5 }] }, 'INVALID_SOURCE'],
    ['a file of another kind', { sources: [fileURLToPath(import.meta.url)] }, 'INVALID_SOURCE'],
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

  test('a path that no file can have fails the load and makes no other file', async () => {
    const folder = scratchFolder();
    expect(await codeOf(() => load(join(folder, 'a\0b'), THREE))).toBe('INVALID_OPTION');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a signal that was aborted ends the load', async () => {
    const database = scratchFile('skills.db');
    const reason = new Error('never mind');
    const aborted = buildCatalogue({ semantic: false, database, sources: [THREE], signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(existsSync(database)).toBe(false);
    expect(filesBeside(database)).toEqual([]);
  });
});

describe('a source that breaks on the way', () => {
  test('is in `failed`, and what came before is loaded: a gzip that ends too early', async () => {
    const folder = scratchFolder();
    const many = Array.from({ length: 5000 }, (_, i) => row(`skill-${i}`, { description: `text ${Math.sqrt(i)}` }));
    const packed = gzipSync(toJsonLines(many));
    const path = join(folder, 'rows.jsonl.gz');
    writeFileSync(path, packed.subarray(0, Math.floor(packed.length * 0.7)));
    const database = join(folder, 'skills.db');

    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [path, { name: 'more', rows: [row('z')] }],
    });

    expect(report.failed).toEqual([{ origin: path, reason: expect.stringContaining('gzip') }]);
    expect(report.added).toBeGreaterThan(1000);
    const ids = new Set(contentOf(database).keys());
    expect(ids.size).toBe(report.added);
    for (let i = 0; i < report.added - 1; i++) expect(ids.has(`skill-${i}`)).toBe(true);
    expect(ids.has('z')).toBe(true);
  });

  test('does not keep the sources after it from being read', async () => {
    const database = scratchFile('skills.db');
    async function* breaking() {
      yield row('a');
      throw new TypeError('no more');
    }
    const report = await buildCatalogue({
      semantic: false,
      database,
      sources: [
        { name: 'breaking', rows: breaking() },
        { name: 'whole', rows: [row('b')] },
      ],
    });

    expect(report).toMatchObject({ added: 2, failed: [{ origin: 'breaking', reason: 'no more' }] });
  });
});

describe('an interrupted load', () => {
  const before = [row('kept'), row('changed'), row('gone')];
  const now = [row('kept'), row('changed', { stars: 1 }), row('new-1'), row('new-2'), { id: 'bad' }, row('new-1')];

  test('that is run again ends and counts like one that ran through', async () => {
    const reference = scratchFile('skills.db');
    await load(reference, before);
    const expected = await load(reference, now, { prune: true });

    for (let rows = 0; rows <= now.length; rows++) {
      const database = scratchFile('skills.db');
      await load(database, before);
      const trace = traceOf(database);
      await interrupt(database, now, rows);
      expect(traceOf(database)).toEqual(trace);

      const report = await load(database, now, { prune: true });

      expect({ ...report, seconds: undefined }).toEqual({ ...expected, seconds: undefined });
      expect(contentOf(database)).toEqual(contentOf(reference));
      expect(filesBeside(database)).toEqual([]);
    }
  });

  test('that is run again over what the catalogue had before writes nothing', async () => {
    const database = scratchFile('skills.db');
    await load(database, before);
    const trace = traceOf(database);
    await interrupt(database, now, 4);

    expect(countsOf(await load(database, before))).toEqual(counts({ unchanged: 3 }));
    expect(traceOf(database)).toEqual(trace);
    expect(filesBeside(database)).toEqual([]);
  });

  test('does not make a source the holder of a skill that it no longer has', async () => {
    const database = scratchFile('skills.db');
    const prune = (name: string, ids: readonly string[]) =>
      buildCatalogue({ semantic: false, database, sources: [{ name, rows: ids.map((id) => row(id)) }], prune: true });
    await prune('one', ['shared', 'own-1']);
    await interrupt(database, [row('shared'), row('own-2')], 1, 'two');
    await buildCatalogue({ semantic: false, database, sources: [{ name: 'two', rows: [row('own-2')] }] });

    // Only `one` ever brought it in a load that was finished.
    expect((await prune('one', ['own-1'])).removed).toBe(1);
    expect([...contentOf(database).keys()]).toEqual(['own-1', 'own-2']);
  });

  test('does not keep another load from being done', async () => {
    const database = scratchFile('skills.db');
    await load(database, before);
    await interrupt(database, now, 5);

    await buildCatalogue({ semantic: false, database, sources: [{ name: 'another', rows: [row('other')] }] });
    expect([...contentOf(database).keys()]).toEqual(['changed', 'gone', 'kept', 'other']);
    expect(contentOf(database).get('changed')).toMatchObject({ record: { stars: 0 } });
  });

  test('lets the rows of a program tidy up', async () => {
    const stop = new AbortController();
    let tidy = false;
    const rows = (function* () {
      try {
        yield row('a');
        stop.abort(new Error('enough'));
        yield row('b');
      } finally {
        tidy = true;
      }
    })();
    const database = scratchFile('skills.db');
    await expect(buildCatalogue({ semantic: false, database, sources: [rows], signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    expect(tidy).toBe(true);
  });

  test('stops between two rows of a file', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'rows.jsonl');
    const many = Array.from({ length: 5000 }, (_, i) => row(`skill-${i}`));
    writeJsonLines(path, many);
    const database = join(folder, 'skills.db');
    const stop = new AbortController();
    const reason = new Error('enough');

    const options = { database, sources: [path], signal: stop.signal };
    const aborted = buildCatalogue({ semantic: false, ...options, onProgress: () => stop.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(existsSync(database)).toBe(false);

    expect(countsOf(await buildCatalogue({ semantic: false, database, sources: [path] }))).toEqual(
      counts({ added: 5000 }),
    );
    expect(filesBeside(database)).toEqual([]);
  });
});

describe('progress', () => {
  test('is told by source and phase, and never goes back', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'rows.jsonl');
    writeJsonLines(path, THREE);
    const told: LoadProgress[] = [];
    const sources = [path, { name: 'more', rows: [row('d'), 42] }];
    await buildCatalogue({
      semantic: false,
      database: join(folder, 'skills.db'),
      sources,
      onProgress: (one) => told.push(one),
    });

    const bytesTotal = readFileSync(path).length;
    expect(told.at(-1)).toMatchObject({ phase: 'publishing', rows: 5, bytesRead: bytesTotal, bytesTotal });
    expect([...new Set(told.map(({ phase, source }) => `${phase} ${source}`))]).toEqual([
      `reading ${path}`,
      'reading more',
      'publishing ',
    ]);
    for (const [i, { rows, bytesRead }] of told.entries()) {
      expect(rows).toBeGreaterThanOrEqual(told[i - 1]?.rows ?? 0);
      expect(bytesRead).toBeGreaterThanOrEqual(told[i - 1]?.bytesRead ?? 0);
      expect(bytesRead).toBeLessThanOrEqual(bytesTotal);
    }
  });
});

describe('removeSkills', () => {
  test('removes by id and says how many there were', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const stamp = stampOf(database);

    expect(removeSkills({ database, ids: new Set(['a', 'nobody', 'c']) })).toBe(2);
    expect(contentOf(database)).toEqual(await buildAnew([row('b')]));
    expect(stampOf(database)).not.toBe(stamp);
    expect(filesBeside(database)).toEqual([]);
  });

  test('takes an id that is named twice once', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    expect(removeSkills({ database, ids: ['a', 'a'] })).toBe(1);
  });

  test('writes nothing where there is nothing to remove', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const before = traceOf(database);

    expect(removeSkills({ database, ids: ['nobody', ''] })).toBe(0);
    expect(removeSkills({ database, ids: [] })).toBe(0);
    expect(traceOf(database)).toEqual(before);
    expect(filesBeside(database)).toEqual([]);
  });

  test('is undone by loading the source again', async () => {
    const database = scratchFile('skills.db');
    await load(database, THREE);
    const before = contentOf(database);
    removeSkills({ database, ids: ['b'] });

    expect(countsOf(await load(database, THREE))).toEqual(counts({ added: 1, unchanged: 2 }));
    expect(contentOf(database)).toEqual(before);
  });

  test('makes no catalogue where there is none', async () => {
    const database = scratchFile('skills.db');
    expect(await codeOf(() => removeSkills({ database, ids: ['a'] }))).toBe('DATABASE_NOT_FOUND');
    expect(existsSync(database)).toBe(false);
    expect(filesBeside(database)).toEqual([]);
  });
});

describe('a load that is killed', () => {
  const ROWS = 30_000;

  test('at three random moments and then finished is the load that ran through', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'rows.jsonl.gz');
    const [database, reference] = [join(folder, 'skills.db'), join(folder, 'reference.db')];
    writeJsonLines(path, generatedRows(6000, 0));
    await buildCatalogue({ semantic: false, database, sources: [path] });
    copyFileSync(database, reference);
    const before = traceOf(database);
    writeJsonLines(path, generatedRows(ROWS, 1));

    for (const third of [0, 1, 2]) {
      const moment = Math.floor(((third + Math.random()) * ROWS * 0.9) / 3);
      const signal = await killWhen(spawnLoad(database, path), (_, rows) => rows >= moment);
      expect(signal).toBe('SIGKILL');
      expect(traceOf(database)).toEqual(before);
    }
    const report = await buildCatalogue({ semantic: false, database, sources: [path], prune: true });

    const expected = await buildCatalogue({ semantic: false, database: reference, sources: [path], prune: true });
    expect({ ...report, seconds: undefined }).toEqual({ ...expected, seconds: undefined });
    expect(report.added).toBeGreaterThan(20_000);
    expect(report.updated).toBeGreaterThan(1000);
    expect(report.removed).toBeGreaterThan(100);
    const [found, wanted] = [contentOf(database), contentOf(reference)];
    expect([...found.keys()]).toEqual([...wanted.keys()]);
    expect([...wanted.keys()].filter((id) => !isDeepStrictEqual(found.get(id), wanted.get(id)))).toEqual([]);
    expect(filesBeside(database)).toEqual([]);
  }, 240_000);

  test('while it is being published leaves the one state or the other', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'rows.jsonl');
    const [database, reference] = [join(folder, 'skills.db'), join(folder, 'reference.db')];
    writeJsonLines(path, generatedRows(2000, 0));
    await buildCatalogue({ semantic: false, database, sources: [path] });
    const before = contentOf(database);
    copyFileSync(database, join(folder, 'before.db'));
    writeJsonLines(path, generatedRows(4000, 1));
    copyFileSync(database, reference);
    await buildCatalogue({ semantic: false, database: reference, sources: [path], prune: true });
    const after = contentOf(reference);

    for (const wait of [0, 5 + Math.random() * 10, 15 + Math.random() * 30]) {
      copyFileSync(join(folder, 'before.db'), database);
      await killWhen(spawnLoad(database, path), (phase) => phase === 'publishing', wait);
      expect([before.size, after.size]).toContain(contentOf(database).size);

      await buildCatalogue({ semantic: false, database, sources: [path], prune: true });
      expect(contentOf(database)).toEqual(after);
      expect(filesBeside(database)).toEqual([]);
    }
  }, 240_000);
});

/** Rows with and without ids, with collisions, repetitions and faults; two editions differ in a part of them. */
function generatedRows(count: number, edition: number): unknown[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 997 === 996) return { id: `row-${i}`, name: 'rejected' };
    const text = edition === 0 || i % 3 === 0 ? `text of ${i}` : `text of ${i}, later`;
    const skill = row(`row-${edition === 0 && i % 40 === 39 ? `gone-${i}` : i % 500 === 499 ? i - 1 : i}`, {
      description: text,
      stars: i % 100,
      files: i % 10 === 0 ? [{ filename: 'references/more.md', text: `more about ${i}` }] : [],
    });
    if (i % 4 !== 0) return skill;
    const separator = i % 8 === 0 ? '/' : '-';
    return { ...skill, id: undefined, codehostUrl: `https://github.com/o/r/tree/main/p${i >> 4}${separator}x` };
  });
}

function spawnLoad(database: string, source: string): ChildProcess {
  const script = fileURLToPath(new URL('killable-load.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', script, database, source, 'prune'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/**
 * Kills a load once it has come so far, without a chance to tidy up.
 *
 * @returns the signal that ended it; null where it was quicker
 */
async function killWhen(
  child: ChildProcess,
  isTime: (phase: string, rows: number) => boolean,
  waitMs = 0,
): Promise<string | null> {
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    const [phase = '', rows] = line.split(' ');
    if (!isTime(phase, Number(rows))) continue;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    child.kill('SIGKILL');
    break;
  }
  await ended;
  return child.signalCode;
}

function load(database: string, rows: readonly unknown[], options: Partial<BuildOptions> = {}): Promise<LoadReport> {
  return buildCatalogue({ semantic: false, database, sources: [{ name: 'rows', rows }], ...options });
}

/** Begins a load and gives it up after so many rows. */
async function interrupt(database: string, rows: readonly unknown[], count: number, name = 'rows'): Promise<void> {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  const some = (function* () {
    yield* rows.slice(0, count);
    stop.abort(reason);
    yield row('never');
  })();
  const aborted = buildCatalogue({ semantic: false, database, sources: [{ name, rows: some }], signal: stop.signal });
  await expect(aborted).rejects.toBe(reason);
}

/** What a new catalogue of these rows holds. */
async function buildAnew(rows: readonly unknown[]): Promise<ReturnType<typeof contentOf>> {
  const database = scratchFile('skills.db');
  await load(database, rows);
  return contentOf(database);
}

function countsOf({ added, updated, unchanged, removed }: LoadReport): ReturnType<typeof counts> {
  return { added, updated, unchanged, removed };
}

function counts(some: Partial<Pick<LoadReport, 'added' | 'updated' | 'unchanged' | 'removed'>>) {
  return { added: 0, updated: 0, unchanged: 0, removed: 0, ...some };
}

function writeSkill(folder: string, name: string, description: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`);
}
