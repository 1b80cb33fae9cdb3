import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, createWriteStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, type LoadReport, openSkillSearch, removeSkills } from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { Database } from '../../src/store/index.js';
import { contentOf, filesBeside, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import type { MeasuredLoad } from './measured-load.js';

const MEBIBYTE = 1024 * 1024;

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

const script = fileURLToPath(new URL('measured-load.ts', import.meta.url));

async function megabytes(sources: readonly string[]): Promise<number[]> {
  // Without a limit of the ratio: what is unpacked must not be kept either.
  const args = ['--import', 'tsx', script, scratchFolder(), '{"maxRatio":0}', ...sources];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as MeasuredLoad).megabytes);
}

async function packed(pieces: Iterable<string>): Promise<string> {
  const file = scratchFile('rows.jsonl.gz');
  const output = Readable.from(pieces)
    .pipe(createGzip({ level: 1 }))
    .pipe(createWriteStream(file));
  await once(output, 'finish');
  return file;
}

test('the memory of a load is that of an ordinary load, whatever the source has', { timeout: 120_000 }, async () => {
  const ordinary = scratchFile('rows.jsonl');
  writeFileSync(ordinary, toJsonLines(Array.from({ length: 2_000 }, (_, i) => row(`skill-${i}`))));
  const sparse = scratchFile('rows.jsonl');
  writeFileSync(sparse, toJsonLines([row('a'), row('b')]));
  truncateSync(sparse, 250 * MEBIBYTE);
  const hostile: Record<string, string> = {
    blanks: await packed(Array(250).fill(' '.repeat(MEBIBYTE))),
    'lines that are not JSON': await packed(Array(100).fill('x\n'.repeat(1_100))),
    'a line of 250 MiB': await packed(Array(250).fill('x'.repeat(MEBIBYTE))),
    'brackets without end': await packed(Array(100).fill('['.repeat(MEBIBYTE))),
    'a sparse file': sparse,
  };
  const names = Object.keys(hostile);
  // The most so far: one process takes the sources in turn.
  const [usual = 0, ...most] = await megabytes([ordinary, ...Object.values(hostile)]);
  expect(most).toHaveLength(names.length);
  for (const [i, name] of names.entries()) expect([name, Math.max(0, most[i]! - usual - 200)]).toEqual([name, 0]);
});

const PICTURE = Buffer.alloc(3000, 0xfe);

/** Each of them makes the contents of the skill `r` unreadable. */
const DAMAGES = [
  "UPDATE revision SET contents = NULL WHERE id = 'r'",
  "UPDATE revision SET contents = x'00' WHERE id = 'r'",
  "UPDATE revision SET contents = replace(contents, 'x.bin', 'y.bin') WHERE id = 'r'",
  'DELETE FROM blob WHERE size = 3000',
];

/** What writes the catalogue without a look at the source of `r`. */
const OTHER_WRITES: readonly (readonly [string, (database: string) => unknown])[] = [
  ['another load', (database) => loadRows(database, [row('z')])],
  ['a removal', (database) => removeSkills({ database, ids: ['s'] })],
  ['a repair', (database) => checkCatalogue({ database, repair: true })],
];

test.each(OTHER_WRITES)(
  'damaged contents stay known as damaged after %s, until their own load brings them',
  async (_, write) => {
    for (const damage of DAMAGES) {
      const database = scratchFile('skills.db');
      const own = sourceOf([whole('r'), row('s'), whole('t')]);
      await loadFile(database, own);
      change(database, damage);
      await write(database);
      expect(await damagedIn(database), damage).toContain('r');
      {
        await using search = await openSkillSearch({ database });
        expect(await codeOf(() => search.read('r', 'x.bin')), damage).toBe('DATABASE_DAMAGED');
        expect(search.contents('s')?.complete).not.toBe(true);
      }
      expect((await loadFile(database, own)).updated, damage).toBeGreaterThan(0);
      expect((await checkCatalogue({ database })).problems, damage).toEqual([]);
      await using search = await openSkillSearch({ database });
      expect(search.contents('r')?.complete).toBe(true);
      expect(Buffer.from(search.read('r', 'x.bin')!)).toEqual(PICTURE);
      expect(catalogueSearchOf(search).completeIds({ limit: 9 })).toEqual(['r', 't']);
    }
  },
);

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

function whole(id: string): object {
  const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const files = [
    { filename: 'SKILL.md', text: id, complete: true, sha256: sha256(id) },
    { filename: 'x.bin', base64: PICTURE.toString('base64'), complete: true, sha256: sha256(PICTURE) },
  ];
  return { ...row(id), files };
}

function sourceOf(rows: readonly object[]): string {
  const file = scratchFile('rows.jsonl');
  writeFileSync(file, toJsonLines(rows));
  return file;
}

function loadRows(database: string, rows: readonly object[]): Promise<LoadReport> {
  return loadFile(database, sourceOf(rows));
}

function loadFile(database: string, source: string): Promise<LoadReport> {
  return buildCatalogue({ database, sources: [source], semantic: false });
}

/** Ids of the skills whose contents a check finds fault with. */
async function damagedIn(database: string): Promise<string[]> {
  const { problems } = await checkCatalogue({ database });
  return problems.flatMap(({ skill }) => skill ?? []);
}

function change(database: string, sql: string): void {
  changing(database, (connection) => connection.exec(`PRAGMA foreign_keys = OFF; ${sql}`));
}

function changing(database: string, work: (connection: InstanceType<typeof Database>) => void): void {
  const connection = new Database(database);
  try {
    work(connection);
  } finally {
    connection.close();
  }
}
