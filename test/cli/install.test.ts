import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { catalogueOf, idOf, PDF_FORMS, skillMarkdown } from '../agents/install/skill-catalogue.js';
import { scratchFolder } from '../scratch-folder.js';
import { writeFiles } from '../sources/folders.js';
import { linesOf, runCaptured } from './run-captured.js';

/** A catalogue, and a user in a project of theirs. */
async function userWithCatalogue() {
  const { search, database, folder } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
  const [home, project] = [scratchFolder(), scratchFolder()];
  for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, home);
  for (const name of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR']) vi.stubEnv(name, '');
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(project);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    cwd.mockRestore();
  });
  const run = (command: string, ...words: string[]) => runCaptured([command, '--database', database, ...words]);
  return { run, home, project, folder, database, pdf: idOf(search, 'pdf-forms'), cron: idOf(search, 'cron') };
}

describe('install', () => {
  test('writes skills for the user, and says what it did', async () => {
    const { run, home, pdf, cron } = await userWithCatalogue();
    const { status, out, error } = await run('install', pdf, cron);
    expect([status, linesOf(out)]).toEqual([
      0,
      [
        'installed  pdf-forms, 4 files, in ~/.agents/skills/pdf-forms',
        'installed  cron, 1 file, in ~/.agents/skills/cron',
        'noted in ~/.agents/skills/skills-lock.json',
      ],
    ]);
    expect(error).toContain('read a skill before');
    expect(readFileSync(join(home, '.agents', 'skills', 'cron', 'SKILL.md'), 'utf8')).toBe(skillMarkdown('cron'));
    expect(linesOf((await run('install', cron)).out)[0]).toMatch(/^unchanged/);
  });

  test('writes where an agent looks, in the project, or where it is told', async () => {
    const { run, home, project, cron } = await userWithCatalogue();
    expect((await run('install', cron, '--agent', 'claude-code')).status).toBe(0);
    expect((await run('install', cron, '--agent', 'claude-code', '--project')).status).toBe(0);
    const to = scratchFolder();
    const { out } = await run('install', cron, '--to', to, '--json');
    expect(JSON.parse(out)).toMatchObject({ skills: [{ id: cron, state: 'installed', folder: join(to, 'cron') }] });
    for (const folder of [join(home, '.claude', 'skills'), join(project, '.claude', 'skills'), to]) {
      expect(existsSync(join(folder, 'cron', 'SKILL.md')), folder).toBe(true);
    }
    expect(existsSync(join(project, 'skills-lock.json'))).toBe(true);
  });

  test('replaces with --force only', async () => {
    const { run, folder, database, cron } = await userWithCatalogue();
    await run('install', cron);
    await writeFiles(folder, { 'cron/SKILL.md': skillMarkdown('cron', 'Otherwise.') });
    await buildCatalogue({ database, sources: [folder], semantic: false });
    const refused = await run('install', cron);
    expect([refused.status, refused.out]).toEqual([1, '']);
    expect(refused.error).toContain('the option force');
    expect(linesOf((await run('install', cron, '--force')).out)[0]).toMatch(/^replaced /);
  });

  test('ends with 1 for a skill that there is not, and with 2 for wrong use', async () => {
    const { run, cron } = await userWithCatalogue();
    expect((await run('install', 'none')).status).toBe(1);
    for (const words of [
      [],
      [cron, '--agent', 'nobody'],
      [cron, '--agent', 'codex', '--to', 'x'],
      [cron, '--to', ''],
    ]) {
      expect((await run('install', ...words)).status).toBe(2);
    }
  });
});
