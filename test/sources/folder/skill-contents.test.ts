import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LinkRoots } from '../../../src/sources/folder/follow-link.js';
import { collectContents } from '../../../src/sources/folder/skill-contents.js';
import type { FoundSkill } from '../../../src/sources/folder/walk-folder.js';
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
});

function skillIn(folder: string): FoundSkill {
  return { path: '', realPath: folder, skillFile: 'SKILL.md', realSkillFile: join(folder, 'SKILL.md') };
}
