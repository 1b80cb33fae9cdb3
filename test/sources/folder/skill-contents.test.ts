import { appendFileSync, type Dirent, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFolder } from '../../../src/sources/folder/read-file.js';
import { collectContents } from '../../../src/sources/folder/read-skill.js';
import type { FoundSkill } from '../../../src/sources/folder/walk-folder.js';
import { LinkRoots } from '../../../src/sources/folder/walk-folder.js';
import { temporaryFolder } from './temporary-folder.js';

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

function skillIn(folder: string): FoundSkill {
  return { path: '', realPath: folder, skillFile: 'SKILL.md', realSkillFile: join(folder, 'SKILL.md') };
}
