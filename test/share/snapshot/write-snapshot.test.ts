import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, updateSkills, writeSnapshot } from '../../../src/index.js';
import { chunkPath, type Manifest, readManifest } from '../../../src/share/snapshot/manifest.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { largeCatalogue } from './snapshots.js';

describe('a snapshot', () => {
  test('holds every byte of a catalogue and its derived files, in chunks that are what they are named', async () => {
    const database = await largeCatalogue();
    const to = join(scratchFolder(), 'deep', 'folder');
    const report = await writeSnapshot({ database, to });
    const manifest = manifestIn(to);
    expect(manifest.files.map(({ name }) => name)).toEqual(['skills.db', 'skills.db.keyword']);
    for (const { name, chunks } of manifest.files) {
      expect(chunks.length).toBeGreaterThan(1);
      const parts = chunks.map((digest) => readFileSync(join(to, chunkPath(digest))));
      expect(parts.map((part) => createHash('sha256').update(part).digest('hex'))).toEqual(chunks);
      const whole = readFileSync(database + name.slice('skills.db'.length));
      expect(Buffer.concat(parts).equals(whole)).toBe(true);
    }
    expect(report).toMatchObject({ manifest: join(to, 'manifest.json'), written: report.chunks, pruned: 0 });
  });

  test('of the same state is the same, and writes nothing', async () => {
    const database = await largeCatalogue();
    const to = scratchFolder();
    await writeSnapshot({ database, to });
    const before = readFileSync(join(to, 'manifest.json'), 'utf8');
    expect(await writeSnapshot({ database, to })).toMatchObject({ written: 0, writtenBytes: 0 });
    expect(readFileSync(join(to, 'manifest.json'), 'utf8')).toBe(before);
  });

  test('after a small change writes only the chunks that the change touched', async () => {
    const database = await largeCatalogue();
    const to = scratchFolder();
    const first = await writeSnapshot({ database, to });
    await updateSkills({ database, rows: [row('later')], semantic: false });
    const second = await writeSnapshot({ database, to });
    expect(second.written).toBeGreaterThan(0);
    expect(second.written).toBeLessThan(first.written);
  });

  test.each([
    ['was cut off', (whole: Buffer) => whole.subarray(0, 100)],
    [
      'has lost a bit',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 99), Buffer.from([whole[99]! ^ 1]), whole.subarray(100)]),
    ],
  ])('mends a chunk that %s', async (_, damaged) => {
    const database = await largeCatalogue();
    const to = scratchFolder();
    await writeSnapshot({ database, to });
    const path = join(to, chunkPath(manifestIn(to).files[0]!.chunks[0]!));
    const whole = readFileSync(path);
    writeFileSync(path, damaged(whole));
    expect(await writeSnapshot({ database, to })).toMatchObject({ written: 1 });
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  test('deletes chunks when asked, but those of the snapshot before it stay, and so do files of others', async () => {
    const database = scratchFile('skills.db');
    const to = scratchFolder();
    const stored: string[][] = [];
    for (const name of ['first', 'second', 'third']) {
      await buildCatalogue({ database, semantic: false, prune: true, sources: [{ name: 'rows', rows: [row(name)] }] });
      await writeSnapshot({ database, to });
      stored.push(manifestIn(to).files.flatMap(({ chunks }) => chunks));
    }
    writeFileSync(join(to, 'chunks', 'note.txt'), 'not ours');
    const { pruned } = await writeSnapshot({ database, to, prune: true });
    const [first, second, third] = stored.map((digests) =>
      digests.filter((one) => existsSync(join(to, chunkPath(one)))),
    );
    expect(third).toEqual(stored[2]);
    expect(second).toEqual(stored[1]);
    expect(first!.length).toBe(stored[0]!.length - pruned);
    expect(pruned).toBeGreaterThan(0);
    expect(readFileSync(join(to, 'chunks', 'note.txt'), 'utf8')).toBe('not ours');
  });

  test('is refused into a folder whose manifest is something else, and touches nothing of it', async () => {
    const to = scratchFolder();
    writeFileSync(join(to, 'manifest.json'), '{"name":"an app"}');
    expect(await codeOf(async () => writeSnapshot({ database: await largeCatalogue(), to }))).toBe(
      'SNAPSHOT_NOT_WRITABLE',
    );
    expect(readdirSync(to)).toEqual(['manifest.json']);
  });

  test('is written by one at a time', async () => {
    const [database, to] = [await largeCatalogue(), scratchFolder()];
    const codes = await Promise.all([1, 2].map(() => codeOf(() => writeSnapshot({ database, to }))));
    expect(codes.sort()).toEqual(['LOAD_IN_PROGRESS', 'no error']);
    expect(await codeOf(() => writeSnapshot({ database, to }))).toBe('no error');
  });

  test('leaves nothing unfinished behind', async () => {
    const to = scratchFolder();
    await writeSnapshot({ database: await largeCatalogue(), to });
    const names = readdirSync(to, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.includes('part'))).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('says where it cannot be written', async () => {
    const to = scratchFolder();
    chmodSync(to, 0o500);
    expect(await codeOf(async () => writeSnapshot({ database: await largeCatalogue(), to }))).toBe(
      'SNAPSHOT_NOT_WRITABLE',
    );
  });

  test('is refused into what is a file, and of what is no catalogue', async () => {
    const database = await largeCatalogue();
    const file = scratchFile('file');
    writeFileSync(file, '');
    expect(await codeOf(() => writeSnapshot({ database, to: file }))).toBe('SNAPSHOT_NOT_WRITABLE');
    expect(await codeOf(() => writeSnapshot({ database: file, to: scratchFolder() }))).toBe('NOT_A_CATALOGUE');
    mkdirSync(`${file}-folder`);
    expect(await codeOf(() => writeSnapshot({ database: `${file}-none`, to: scratchFolder() }))).toBe(
      'DATABASE_NOT_FOUND',
    );
    expect(await codeOf(() => writeSnapshot({ database: 'https://example.org/manifest.json', to: file }))).toBe(
      'INVALID_OPTION',
    );
  });
});

function manifestIn(folder: string): Manifest {
  return readManifest(readFileSync(join(folder, 'manifest.json'), 'utf8'), folder);
}
