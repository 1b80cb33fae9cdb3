import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_CONTENT_BYTES, MAX_CONTENT_FILES, sha256Of } from '../../src/core/index.js';
import {
  type BuildOptions,
  buildCatalogue,
  checkCatalogue,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  type SkillContents,
  type SkillSearch,
} from '../../src/index.js';
import type { Connection } from '../../src/store/index.js';
import { changeIn, inDatabase } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { skillMd, whole, written } from './whole-files.js';

const PICTURE = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]), Buffer.alloc(3000, 7)]);

describe('the contents of a skill of a folder', () => {
  test('leave out what is no part of a skill, and secrets, which makes them incomplete', async () => {
    const { database, report } = await loaded({
      'a/SKILL.md': skillMd('a'),
      'a/.git/config': 'x',
      'a/b/.GIT/config': 'x',
      'a/node_modules/x/index.js': 'x',
      'a/__pycache__/x.pyc': 'x',
      'a/.DS_Store': 'x',
      'a/.env.example': 'KEY=',
      'b/SKILL.md': skillMd('b'),
      'b/.env': 'KEY=1',
      'b/.ssh/id_rsa': 'secret',
    });
    await using search = await open(database);
    expect(pathsOf(search, 'a')).toEqual(['.env.example', 'SKILL.md']);
    expect(contentsOf(search, 'a').complete).toBe(true);
    expect(pathsOf(search, 'b')).toEqual(['SKILL.md']);
    expect(contentsOf(search, 'b').complete).toBe(false);
    expect(messages(report)).toEqual([
      'contents: .env: may hold secrets; left out',
      'contents: .ssh: may hold secrets; left out',
    ]);
  });

  test('take links that stay in the skill for copies, and never follow one that leaves it', async () => {
    const { database, report } = await loaded(
      { 'in/SKILL.md': skillMd('in'), 'out/SKILL.md': skillMd('out') },
      (root) => {
        mkdirSync(join(root, 'in/docs'));
        writeFileSync(join(root, 'in/docs/a.md'), 'text');
        symlinkSync('docs/a.md', join(root, 'in/link.md'));
        symlinkSync('docs', join(root, 'in/same'));
        mkdirSync(join(root, 'in/deep'));
        symlinkSync('../docs', join(root, 'in/deep/docs'));
        symlinkSync('../in/docs/a.md', join(root, 'out/neighbour.md'));
        symlinkSync('/etc/hostname', join(root, 'out/outside.md'));
        symlinkSync('.', join(root, 'out/self'));
      },
    );
    await using search = await open(database);
    expect(pathsOf(search, 'in')).toEqual(['SKILL.md', 'deep/docs/a.md', 'docs/a.md', 'link.md', 'same/a.md']);
    expect(contentsOf(search, 'in').complete).toBe(true);
    expect(text(search, 'in', 'same/a.md')).toBe('text');
    expect(pathsOf(search, 'out')).toEqual(['SKILL.md']);
    expect(contentsOf(search, 'out').complete).toBe(false);
    expect(messages(report)).toEqual([
      'a link that leads outside the source',
      'contents: neighbour.md: a link that leads out of the skill; left out',
      'contents: self: a link that leads in a circle; left out',
    ]);
  });

  test.each([
    ['files', MAX_CONTENT_FILES - 1, 1, 'contents: more than 512 files; 2 files are left out, from zy on'],
    ['bytes', 15, MAX_CONTENT_BYTES / 16, 'contents: over 16 MiB; 2 files are left out, from zy on'],
  ])('are at most 512 files and 16 MiB: %s', async (_, count, size, warning) => {
    const files: Record<string, string | Buffer> = { 's/SKILL.md': skillMd('s') };
    const room = size === 1 ? 0 : Buffer.byteLength(skillMd('s'));
    for (let i = 0; i < count; i++) files[`s/f${i}`] = Buffer.alloc(size);
    if (size > 1) files['s/g'] = Buffer.alloc(size - room);
    const full = await loaded(files);
    expect(messages(full.report)).toEqual([]);
    const over = await loaded({ ...files, 's/zy': 'x', 's/zz': 'x' });
    expect(messages(over.report)).toEqual([warning]);
    expect(over.report.added).toBe(1);
    await using search = await open(over.database);
    expect(contentsOf(search, 's').complete).toBe(false);
    expect(pathsOf(search, 's')).toHaveLength(Object.keys(files).length);
  });
});

test('a load keeps equal bytes once, packed, and gives up those that no skill has any more', async () => {
  const files = { 'a/SKILL.md': skillMd('a'), 'a/x.bin': PICTURE, 'b/SKILL.md': skillMd('b'), 'b/y.bin': PICTURE };
  const { database, folder } = await loaded(files);
  const digest = sha256Of(PICTURE);
  expect(blobs(database).get(digest)).toBeLessThan(PICTURE.length / 10);
  expect(blobs(database).size).toBe(3);
  rmSync(join(folder, 'a/x.bin'));
  await load(database, folder);
  expect(blobs(database).has(digest)).toBe(true);
  rmSync(join(folder, 'b'), { recursive: true });
  await load(database, folder, { prune: true });
  expect([...blobs(database).keys()]).toEqual([sha256Of(skillMd('a'))]);
  await using search = await open(database);
  await removeSkills({ database, ids: search.ids() });
  // The open search may still read them. The next load that writes gives them up.
  expect(blobs(database).size).toBe(1);
  await buildCatalogue({ database, sources: [[{ name: 'c', description: 'c' }]], semantic: false });
  expect(blobs(database).size).toBe(0);
});

const skill = '---\nname: r\ndescription: d\n---\n# R\n';

test('a row that is known is read again where its contents were left out', async () => {
  const files = [{ filename: 'SKILL.md', text: skill, complete: true, sha256: sha256Of(skill) }];
  const rows = scratchFile('rows.jsonl');
  writeFileSync(rows, toJsonLines([skillRow('r', files), row('s')]));
  const database = scratchFile('skills.db');
  const states: boolean[] = [];
  for (const contents of [false, true, true, false, false, true]) {
    await load(database, rows, { contents });
    await using search = await open(database);
    states.push(search.contents('r')!.complete);
  }
  expect(states).toEqual([false, true, true, false, false, true]);
});

describe('a bit that changes in stored bytes', () => {
  test.each(['deflate', 'raw'])(
    'is noticed by whoever reads or checks them, and mended by the next load: %s',
    async (packing) => {
      const noise = Buffer.from(Array.from({ length: 500 }, (_, i) => ((i * i * 7919) % 251) ^ (i % 256)));
      const bytes = packing === 'raw' ? noise.subarray(0, 60) : Buffer.concat([PICTURE, noise]);
      const { database, folder } = await loaded({
        'a/SKILL.md': skillMd('a'),
        'a/x.bin': bytes,
        'b/SKILL.md': skillMd('b'),
        'b/x.bin': bytes,
      });
      flipBitOf(database, sha256Of(bytes), packing);
      const ids = ['a', 'b'];
      {
        await using search = await open(database);
        for (const name of ids) {
          expect(await codeOf(() => search.read(idOf(search, name), 'x.bin'))).toBe('DATABASE_DAMAGED');
          expect(text(search, name, 'SKILL.md')).toBe(skillMd(name));
        }
      }
      const { problems } = await checkCatalogue({ database });
      expect(problems.map(({ part, problem }) => [part, problem])).toEqual(
        ids.map(() => ['skill', 'the bytes of its file x.bin are damaged or missing']),
      );
      expect(await load(database, folder)).toMatchObject({ added: 0, removed: 0 });
      expect((await checkCatalogue({ database })).problems).toEqual([]);
      await using search = await open(database);
      expect(Buffer.from(search.read(idOf(search, 'b'), 'x.bin')!)).toEqual(bytes);
    },
  );

  test.each([
    ['an executable bit is changed', "UPDATE revision SET contents = replace(contents, ',0,', ',1,')"],
    ['a size is changed', 'UPDATE blob SET size = 1 WHERE size > 1000'],
  ])('is found and mended where %s', async (_, sql) => {
    const rows = scratchFile('rows.jsonl');
    writeFileSync(rows, toJsonLines([skillRow('r', [whole('SKILL.md', 'x'), whole('x.bin', PICTURE)])]));
    const database = scratchFile('skills.db');
    await load(database, rows);
    changeIn(database, sql);
    expect((await checkCatalogue({ database })).problems).not.toEqual([]);
    await load(database, rows);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
    await using search = await open(database);
    expect(Buffer.from(search.read('r', 'x.bin')!)).toEqual(PICTURE);
  });
});

async function loaded(
  files: Readonly<Record<string, string | Buffer>>,
  prepare?: (folder: string) => void,
  options: Partial<BuildOptions> = {},
): Promise<{ database: string; folder: string; report: LoadReport }> {
  const folder = written(files);
  prepare?.(folder);
  const database = scratchFile('skills.db');
  return { database, folder, report: await load(database, folder, options) };
}

function load(database: string, source: string | string[], options: Partial<BuildOptions> = {}): Promise<LoadReport> {
  return buildCatalogue({ database, sources: [source].flat(), semantic: false, ...options });
}

function open(database: string): Promise<SkillSearch> {
  return openSkillSearch({ database });
}

function messages({ warnings }: LoadReport): string[] {
  return warnings.map(({ message }) => message);
}

function idOf(search: SkillSearch, name: string): string {
  const id = search.ids().find((candidate) => search.get(candidate)?.name === name);
  if (id === undefined) throw new Error(`no skill ${name}`);
  return id;
}

function contentsOf(search: SkillSearch, name: string): SkillContents {
  return search.contents(idOf(search, name))!;
}

function pathsOf(search: SkillSearch, name: string): string[] {
  return contentsOf(search, name).files.map(({ path }) => path);
}

function text(search: SkillSearch, name: string, path: string): string {
  return Buffer.from(search.read(idOf(search, name), path)!).toString();
}

/** Stored sizes by digest. */
function blobs(database: string): Map<string, number> {
  return inDatabase(database, (connection) => {
    const rows = connection.prepare<[], [string, number]>('SELECT lower(hex(sha256)), length(bytes) FROM blob').raw();
    return new Map(rows.all());
  });
}

function skillRow(id: string, files: readonly object[]): object {
  return { ...row(id), files };
}

function flipBitOf(database: string, digest: string, packing: string): void {
  const flip = (connection: Connection): void => {
    const blob = connection
      .prepare<[Buffer], { packing: string; bytes: Buffer }>('SELECT packing, bytes FROM blob WHERE sha256 = ?')
      .get(Buffer.from(digest, 'hex'))!;
    expect(blob.packing).toBe(packing);
    const at = blob.bytes.length >> 1;
    blob.bytes[at] = blob.bytes[at]! ^ 4;
    connection.prepare('UPDATE blob SET bytes = ? WHERE sha256 = ?').run(blob.bytes, Buffer.from(digest, 'hex'));
  };
  inDatabase(database, flip, false);
}
