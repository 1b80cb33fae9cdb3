import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, truncateSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, type LoadReport, openSkillSearch, removeSkills } from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { changeIn } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import type { MeasuredLoad } from './measured-load.js';
import { whole } from './whole-files.js';

const MEBIBYTE = 1024 * 1024;

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
      const own = sourceOf([wholeSkill('r'), row('s'), wholeSkill('t')]);
      await loadFile(database, own);
      changeIn(database, damage);
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

function wholeSkill(id: string): object {
  return { ...row(id), files: [whole('SKILL.md', id), whole('x.bin', PICTURE)] };
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
