import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clearLeftovers, StagingFolder } from '../../../src/agents/install/staging-folder.js';
import { scratchFolder } from '../../scratch-folder.js';
import { writeFiles } from '../../sources/folder/temporary-folder.js';

function file(text: string) {
  return { path: 'SKILL.md', bytes: Buffer.from(text), executable: false };
}

describe('a staging folder', () => {
  test('takes everything back if a skill cannot be put in its place', async () => {
    const base = scratchFolder();
    await writeFiles(base, { 'former/SKILL.md': 'former', 'taken/mine.md': 'mine' });
    const staging = await StagingFolder.make(base);
    for (const name of ['fresh', 'former', 'taken']) await staging.write(name, [file('new')]);
    await staging.place('fresh', false);
    await staging.place('former', true);
    expect(readFileSync(join(base, 'former', 'SKILL.md'), 'utf8')).toBe('new');
    await expect(staging.place('taken', false)).rejects.toThrow();
    await staging.undo();
    await staging.remove();
    expect(readdirSync(base).sort()).toEqual(['former', 'taken']);
    expect(readFileSync(join(base, 'former', 'SKILL.md'), 'utf8')).toBe('former');
    expect(readdirSync(join(base, 'taken'))).toEqual(['mine.md']);
  });

  test('writes over nothing, be it of the same skill', async () => {
    const staging = await StagingFolder.make(scratchFolder());
    await expect(staging.write('a', [file('1'), file('2')])).rejects.toMatchObject({ code: 'EEXIST' });
    await staging.remove();
  });

  test('of another process that still works is left alone, and so is what only looks like one', async () => {
    const base = scratchFolder();
    const kept = [`.skill-discovery-install-${process.pid}-0123456789ab`, '.skill-discovery-install-x-0123456789ab'];
    for (const name of kept) mkdirSync(join(base, name));
    writeFileSync(join(base, '.skill-discovery-install-4194305-0123456789ab'), 'a file');
    await clearLeftovers(base);
    expect(readdirSync(base)).toHaveLength(3);
  });

  test('that came with a project moves nothing from behind a link', async () => {
    const [base, home] = [scratchFolder(), scratchFolder()];
    await writeFiles(home, { 'keys/id': 'secret', 'work/plan.md': 'mine' });
    const [linked, withLinks] = [4194305, 4194306].map((pid) => `.skill-discovery-install-${pid}-0123456789ab`);
    await writeFiles(base, { [`${linked}/new/a.md`]: '', [`${withLinks}/replaced/b.md`]: '' });
    symlinkSync(home, join(base, linked!, 'replaced'), 'junction');
    symlinkSync(join(home, 'work'), join(base, withLinks!, 'replaced', 'work'), 'junction');
    await clearLeftovers(base);
    expect(readdirSync(base)).toEqual([]);
    expect(readFileSync(join(home, 'keys', 'id'), 'utf8')).toBe('secret');
    expect(readFileSync(join(home, 'work', 'plan.md'), 'utf8')).toBe('mine');
  });

  test('keeps a former skill that cannot be put back', async () => {
    const base = scratchFolder();
    await writeFiles(base, { 'skill/SKILL.md': 'former' });
    const staging = await StagingFolder.make(base);
    await staging.write('skill', [file('new')]);
    await staging.place('skill', true);
    // Somebody keeps the new one from being taken away, by a folder in the place where it was.
    const [name] = readdirSync(base).filter((one) => one.startsWith('.'));
    await writeFiles(base, { [`${name}/new/skill/other.md`]: '' });
    await staging.undo();
    await staging.remove();
    expect(existsSync(join(base, name!, 'replaced', 'skill', 'SKILL.md'))).toBe(true);
  });
});
