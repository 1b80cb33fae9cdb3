import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  type Dirent,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFolder, readWholeFile } from '../../../src/sources/folder/read-file.js';
import { collectContents, collectedText } from '../../../src/sources/folder/read-skill.js';
import { LinkRoots, type WalkedSkill } from '../../../src/sources/folder/walk-folder.js';
import { temporaryFolder } from '../folders.js';

describe('collected text', () => {
  describe('the text of a file', () => {
    it('is not read if a folder above it has become a link', async () => {
      const folder = await temporaryFolder({ 'skill/docs/a': 'mine', 'elsewhere/a': 'secret' });
      const path = join(folder, 'skill/docs/a');
      const read = collectedText(new Map());
      expect(await read(path)).toMatchObject({ text: 'mine' });
      renameSync(join(folder, 'skill/docs'), join(folder, 'skill/former'));
      symlinkSync('../elsewhere', join(folder, 'skill/docs'));
      await expect(read(path)).rejects.toThrow('replaced by a link');
    });

    // Somebody may put the file back that was a link before: nobody knows what it is now.
    it('is not looked for again if the file was refused', async () => {
      const path = join(await temporaryFolder({ a: 'text' }), 'a');
      await expect(collectedText(new Map([[path, new Error('replaced')]]))(path)).rejects.toThrow('replaced');
      expect(await collectedText(new Map([[path, 'special']]))(path)).toEqual({ kind: 'special' });
      expect(await collectedText(new Map([[path, 'large']]))(path)).toMatchObject({ text: 'text' });
    });
  });
});

describe('skill contents', () => {
  describe('the contents of a folder', () => {
    it('are incomplete with a file that changes while it is read, which is listed without its bytes', async () => {
      const folder = await temporaryFolder({ 'SKILL.md': '# x', 'b.txt': 'b', log: 'longer' });
      const change = async (size: number): Promise<void> => {
        if (size >= 6) appendFileSync(join(folder, 'log'), 'x');
      };
      const collected = await collectContents(skillIn(folder), new LinkRoots(folder), undefined, change);
      expect(collected.warnings).toEqual(['contents: log: changed while it was read; incomplete']);
      expect(collected.contents.complete).toBe(false);
      expect(collected.contents.files).toMatchObject([
        { path: 'SKILL.md', complete: true },
        { path: 'b.txt', complete: true },
        { path: 'log', complete: false, bytes: undefined },
      ]);
    });

    it('are incomplete where a file comes or goes while they are read', async () => {
      const folder = await temporaryFolder({
        'SKILL.md': '# x',
        'docs/a.txt': 'a',
        'docs/b.txt': 'b',
        'more/c.txt': 'c',
      });
      const told = async (path: string, change: () => void): Promise<readonly string[]> => {
        const list = async (listed: string): Promise<Dirent[]> => {
          const entries = await listFolder(listed);
          if (listed === join(folder, path)) change();
          return entries;
        };
        const roots = new LinkRoots(folder);
        const { contents, warnings } = await collectContents(skillIn(folder), roots, undefined, undefined, list);
        expect(contents.complete).toBe(warnings.length === 0);
        return warnings;
      };
      expect(await told('docs', () => {})).toEqual([]);
      expect(await told('docs', () => writeFileSync(join(folder, 'docs/d.txt'), 'd'))).toEqual([
        'contents: docs: changed while it was read; incomplete',
      ]);
      expect(await told('', () => writeFileSync(join(folder, 'new.txt'), 'd'))).toEqual([
        'contents: the folder: changed while it was read; incomplete',
      ]);
      expect(await told('', () => {})).toEqual([]);
    });

    // Between two looks at it a link stood there, and the listing was that of another folder.
    it('are incomplete where a folder was replaced, and put back', async () => {
      const folder = await temporaryFolder({
        's/SKILL.md': '# x',
        's/docs/a.txt': 'a',
        's/docs/b.txt': 'b',
        'other/a.txt': '',
      });
      const docs = join(folder, 's/docs');
      const list = async (listed: string): Promise<Dirent[]> => {
        if (listed !== docs) return listFolder(listed);
        renameSync(docs, join(folder, 'former'));
        symlinkSync('../other', docs);
        const entries = await listFolder(listed);
        rmSync(docs);
        renameSync(join(folder, 'former'), docs);
        return entries;
      };
      const roots = new LinkRoots(folder);
      const { contents } = await collectContents(skillIn(join(folder, 's')), roots, undefined, undefined, list);
      expect(contents.files.map(({ path }) => path)).toEqual(['SKILL.md', 'docs/a.txt']);
      expect(contents.complete).toBe(false);
    });
  });

  function skillIn(folder: string): WalkedSkill {
    return { path: '', realPath: folder, skillFile: 'SKILL.md', realSkillFile: join(folder, 'SKILL.md') };
  }
});

describe('whole file', () => {
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
});
