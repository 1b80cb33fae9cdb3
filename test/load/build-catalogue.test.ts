import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BuildOptions, buildCatalogue, type LoadReport, type RejectedRow } from '../../src/index.js';
import { contentOf, filesBeside, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { type Row, row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

const THREE = [row('a'), row('b'), row('c')];

describe('sources', () => {
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
});

describe('a load that changes nothing', () => {
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

describe('pruning', () => {
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

  const line = (more: object = {}): string => JSON.stringify(row('b', more));
  test.each([
    ['is not JSON', () => line().replace(':', '')],
    ['has too many values', () => line({ many: Array(200_000).fill(1) })],
    ['is too long', () => line({ long: 'x'.repeat(32 * 1024 * 1024) })],
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
});

describe('ids that are derived', () => {
  const at = (path: string, more: Row = {}): Row => ({
    name: 'n',
    description: 'd',
    codehostUrl: `https://github.com/Owner/repo/tree/main/${path}`,
    ...more,
  });

  test('are those of an uninterrupted load, whatever an interrupted one had given away', async () => {
    const database = scratchFile('skills.db');
    await interrupt(database, [at('a/b'), row('x')], 2);
    await load(database, [at('a-b')]);
    expect(contentOf(database)).toEqual(await buildAnew([at('a-b')]));
  });
});

describe('before anything is written', () => {
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
