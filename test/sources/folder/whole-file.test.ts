import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWholeFile } from '../../../src/sources/folder/read-file.js';
import { temporaryFolder } from './temporary-folder.js';

describe('a file', () => {
  it('is read as it is, with its executable bit', async () => {
    const folder = await temporaryFolder({ a: Buffer.from([0, 255, 10]), b: '' });
    chmodSync(join(folder, 'a'), 0o711);
    expect(await readWholeFile(join(folder, 'a'), 3)).toMatchObject({
      bytes: Buffer.from([0, 255, 10]),
      executable: true,
    });
    expect(await readWholeFile(join(folder, 'b'), 0)).toMatchObject({ bytes: Buffer.alloc(0), executable: false });
  });

  it('with more bytes than are wanted is not read', async () => {
    const folder = await temporaryFolder({ a: 'abcd' });
    expect(await readWholeFile(join(folder, 'a'), 3)).toBe('large');
  });

  it.skipIf(process.platform !== 'linux')(
    'that says that it is empty is read up to the limit all the same',
    async () => {
      expect(await readWholeFile('/proc/version', 1)).toBe('large');
      expect(await readWholeFile('/proc/version', 10_000)).toMatchObject({ bytes: expect.any(Buffer) });
    },
  );

  it('is not read if it has become a link', async () => {
    const folder = await temporaryFolder({ 'skill/a': 'mine', secret: 'secret' });
    renameSync(join(folder, 'skill/a'), join(folder, 'skill/b'));
    symlinkSync('../secret', join(folder, 'skill/a'));
    await expect(readWholeFile(join(folder, 'skill/a'), 100)).rejects.toThrow();
  });

  // Between the listing of a folder and the opening of a file in it, the folder is replaced.
  it('is not read if a folder above it has become a link', async () => {
    const folder = await temporaryFolder({ 'skill/docs/a': 'mine', 'elsewhere/a': 'secret' });
    const path = join(folder, 'skill/docs/a');
    expect(await readWholeFile(path, 100)).toMatchObject({ bytes: Buffer.from('mine') });
    renameSync(join(folder, 'skill/docs'), join(folder, 'skill/former'));
    symlinkSync('../elsewhere', join(folder, 'skill/docs'));
    await expect(readWholeFile(path, 100)).rejects.toThrow('replaced by a link');
  });

  it.skipIf(process.platform === 'win32')('that is a pipe is not waited for', async () => {
    const folder = await temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await readWholeFile(join(folder, 'pipe'), 100)).toBe('special');
  });

  it('that grows while it is read is never read beyond the limit', async () => {
    const folder = await temporaryFolder({ 'd/log': 'x'.repeat(1000) });
    const path = join(folder, 'd/log');
    const reading = readWholeFile(path, 1500);
    for (let i = 0; i < 20; i++) appendFileSync(path, 'y'.repeat(1000));
    const read = await reading;
    if (typeof read !== 'string') expect(read.bytes.length).toBeLessThanOrEqual(1500);
    writeFileSync(path, '');
    expect(await readWholeFile(path, 1500)).toMatchObject({ bytes: Buffer.alloc(0) });
  });

  it('is not steady if somebody writes it whenever it is read, also if its size stays', async () => {
    const path = join(await temporaryFolder({ a: 'AAAA' }), 'a');
    const rewritten = await readWholeFile(path, 100, async () => writeFileSync(path, 'BBBB'));
    expect(rewritten).toMatchObject({ isSteady: false });
    const grown = await readWholeFile(path, 100, async () => appendFileSync(path, 'x'));
    expect(grown).toMatchObject({ isSteady: false });
  });

  it('is read once more if it changed while it was read', async () => {
    const path = join(await temporaryFolder({ a: 'old' }), 'a');
    const sizes: number[] = [];
    const read = await readWholeFile(path, 100, async (size) => {
      if (sizes.push(size) === 1) writeFileSync(path, 'newer');
    });
    expect(read).toMatchObject({ isSteady: true, bytes: Buffer.from('newer') });
    expect(sizes).toEqual([3, 5]);
  });

  it('is steady if it was written before, just now or in the future', async () => {
    const path = join(await temporaryFolder({ a: 'old' }), 'a');
    writeFileSync(path, 'new');
    expect(await readWholeFile(path, 100)).toMatchObject({ isSteady: true, bytes: Buffer.from('new') });
    utimesSync(path, 4e9, 4e9);
    expect(await readWholeFile(path, 100)).toMatchObject({ isSteady: true, changedAt: 4e9 });
  });
});
