import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { projectCatalogue, surroundings } from '../../src/core/index.js';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import type { InstalledReport } from '../../src/sources/index.js';
import { catalogueOf, idOf, PDF_FORMS, skillMarkdown as skillText } from '../agents/install/skill-catalogue.js';
import { scratchFolder } from '../scratch-folder.js';
import { writeFiles } from '../sources/folders.js';
import { MadeUpHome, skillMarkdown } from '../sources/installed/made-up-home.js';
import { linesOf, outOf, runCaptured, standAt } from './run-captured.js';

describe('agents', () => {
  async function someSkills(): Promise<MadeUpHome> {
    const made = await MadeUpHome.with(
      'home/.claude/skills/pdf',
      'home/.claude/plugins/cache/docs/skills/xlsx',
      'home/work/project/.claude/skills/pdf',
      'home/work/project/.cursor/skills/ui',
    );
    const plugins = { 'docs@market': [{ installPath: join(made.home, '.claude/plugins/cache/docs') }] };
    await made.write({
      'home/.claude/plugins/installed_plugins.json': JSON.stringify({ plugins }),
      'home/.cursor/skills/Broken/SKILL.md': skillMarkdown('Broken', '\u200b'),
    });
    await made.link('home/.cursor/skills/out', 'elsewhere');
    standAt(made.home, made.project);
    return made;
  }

  describe('agents', () => {
    test('shows what was found where, what collides, what is broken, and what was not read', async () => {
      await someSkills();
      expect(linesOf(await outOf(['agents']))).toEqual([
        'Claude Code  claude-code, 3 skills',
        '  user     1  ~/.claude/skills',
        '  project  1  ~/work/project/.claude/skills',
        '  plugin   1  ~/.claude/plugins/cache/docs/skills (called docs:NAME)',
        '',
        'Cursor  cursor, 3 skills',
        '  project  1  ~/work/project/.cursor/skills',
        '  project  1  ~/work/project/.claude/skills',
        '  user     1  ~/.cursor/skills',
        '',
        'Shared by agents  universal, 0 skills',
        '  no folder',
        '',
        'Names of several skills',
        '  pdf  claude-code',
        '    takes  ~/.claude/skills/pdf',
        '    not    ~/work/project/.claude/skills/pdf',
        '',
        'Broken',
        '  ~/.cursor/skills/Broken',
        '    name: "Broken" is not of lower-case letters, digits and single hyphens',
        '    description: blank',
        '',
        'Not read',
        '  ~/.cursor/skills/out',
        '    a link that leads nowhere',
        '',
        '5 skills in 6 places, 1 name of several skills, 1 broken, 1 not read',
      ]);
    });

    test('can be narrowed to some, on this machine or not, and widened to all', async () => {
      await someSkills();
      const titles = async (...words: string[]): Promise<string[]> => {
        const { out } = await runCaptured(['agents', '--json', ...words]);
        return (JSON.parse(out) as InstalledReport).agents.map(({ name }) => name);
      };
      expect(await titles('--agent', 'goose', '--agent', 'cursor')).toEqual(['cursor', 'goose']);
      expect((await titles('--all')).length).toBeGreaterThan(70);
      const wrong = await runCaptured(['agents', '--agent', 'claude']);
      expect([wrong.status, wrong.out]).toEqual([2, '']);
      expect(wrong.error).toBe('error: unknown agent "claude": did you mean claude-code?\n');
      expect((await runCaptured(['agents', '--agent', 'codex', '--all'])).status).toBe(2);
    });

    test('keeps to the width of the terminal, and lets no name of a folder move the cursor', async () => {
      const made = await MadeUpHome.with();
      const name = `\u001b[2J${'very-'.repeat(20)}long`;
      await made.write({ [`home/.claude/skills/${name}/SKILL.md`]: 'no front matter' });
      for (const folder of ['a', 'b']) {
        const path = `home/.claude/skills/${folder}/SKILL.md`;
        await made.write({ [path]: skillMarkdown('same-'.repeat(1000), 'Is called the same.') });
      }
      standAt(made.home, made.project);
      const { out } = await runCaptured(['agents'], { columns: 60 });
      const plain = out.replace(/\u001b\[(?:1|2|22)m/g, '');
      expect(plain).not.toContain('\u001b');
      expect(linesOf(plain).filter((line) => line.length > 60)).toEqual([]);
      expect(plain.replace(/\n\s*/g, '')).toContain('very-very-long');
    });
  });

  describe('load --installed', () => {
    test('loads into the catalogue of the project, unless another is named, and tells which', async () => {
      const made = await someSkills();
      const loaded = await runCaptured(['load', '--installed', '--no-semantic', '--json']);
      const database = projectCatalogue(surroundings({ home: made.home }), made.project);
      expect(loaded).toMatchObject({ status: 0, error: `Catalogue: ${database}\n` });
      await using search = await openSkillSearch({ database });
      expect(search.stats().skills).toBe(4);
      const other = join(made.root, 'other.db');
      const named = ['load', '--installed', '--agent', 'cursor', '--no-semantic', '--database', other];
      expect((await runCaptured(named)).error).toBe('');
      await using narrow = await openSkillSearch({ database: other });
      expect(narrow.stats().skills).toBe(2);
    });

    test('of two projects go into catalogues of their own, which prune nothing of each other', async () => {
      const made = await MadeUpHome.with(
        'home/.claude/skills/all',
        'home/a/.agents/skills/one',
        'home/b/.claude/skills/two',
      );
      await made.write({ 'home/a/.git/HEAD': '', 'home/b/.git/HEAD': '', 'home/b/src/x': '' });
      standAt(made.home, made.project);
      const load = async (at: string): Promise<readonly string[]> => {
        vi.spyOn(process, 'cwd').mockReturnValue(join(made.home, at));
        const { error } = await runCaptured(['load', '--installed', '--no-semantic']);
        await using search = await openSkillSearch({ database: error.slice('Catalogue: '.length, -1) });
        return search
          .list()
          .hits.map(({ skill }) => skill.name)
          .sort();
      };
      for (let i = 0; i < 2; i++) {
        expect(await load('a')).toEqual(['all', 'one']);
        expect(await load('b/src')).toEqual(['all', 'two']);
        expect(await load('')).toEqual(['all']);
      }
    });

    test('keeps what is no longer installed with --no-prune', async () => {
      const made = await MadeUpHome.with('home/.claude/skills/a', 'home/.claude/skills/b');
      standAt(made.home, made.project);
      const removed = async (...words: string[]): Promise<number> => {
        const { out } = await runCaptured(['load', '--installed', '--no-semantic', '--json', ...words]);
        return (JSON.parse(out) as { removed: number }).removed;
      };
      expect(await removed()).toBe(0);
      await rm(join(made.home, '.claude/skills/a'), { recursive: true });
      expect(await removed('--no-prune')).toBe(0);
      expect(await removed()).toBe(1);
    });
  });
});

describe('install', () => {
  /** A catalogue, and a user in a project of theirs. */
  async function userWithCatalogue() {
    const { search, database, folder } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillText('cron') });
    const [home, project] = [scratchFolder(), scratchFolder()];
    standAt(home, project);
    const run = (command: string, ...words: string[]) => runCaptured([command, '--database', database, ...words]);
    return { run, home, project, folder, database, pdf: idOf(search, 'pdf-forms'), cron: idOf(search, 'cron') };
  }

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
    expect(readFileSync(join(home, '.agents', 'skills', 'cron', 'SKILL.md'), 'utf8')).toBe(skillText('cron'));
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
    await writeFiles(folder, { 'cron/SKILL.md': skillText('cron', 'Otherwise.') });
    await buildCatalogue({ database, sources: [folder], semantic: false });
    const refused = await run('install', cron);
    expect([refused.status, refused.out]).toEqual([1, '']);
    expect(refused.error).toContain('the option force');
    expect(linesOf((await run('install', cron, '--force')).out)[0]).toMatch(/^replaced /);
  });
});
