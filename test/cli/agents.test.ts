import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { projectCatalogue, surroundings } from '../../src/core/index.js';
import { openSkillSearch } from '../../src/index.js';
import type { InstalledReport } from '../../src/sources/index.js';
import { MadeUpHome, skillMarkdown } from '../sources/installed/made-up-home.js';
import { linesOf, runCaptured } from './run-captured.js';

/** The process as if it were on a made-up machine, in its project. */
async function standOn(made: MadeUpHome): Promise<void> {
  vi.stubEnv('HOME', made.home);
  vi.stubEnv('USERPROFILE', made.home);
  vi.spyOn(process, 'cwd').mockReturnValue(made.project);
}

beforeEach(() => {
  for (const name of [
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'CODEX_HOME',
    'CLAUDE_CONFIG_DIR',
    'LOCALAPPDATA',
    'APPDATA',
  ]) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

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
  await standOn(made);
  return made;
}

describe('agents', () => {
  test('shows what was found where, what collides, what is broken, and what was not read', async () => {
    await someSkills();
    const { status, out, error } = await runCaptured(['agents']);
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out)).toEqual([
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

  test('prints the same as JSON', async () => {
    const made = await someSkills();
    const { status, out } = await runCaptured(['agents', '--json']);
    const { agents, skills, collisions, problems } = JSON.parse(out) as InstalledReport;
    expect(status).toBe(0);
    expect(agents.map(({ name, skills: count }) => `${name} ${count}`)).toEqual([
      'claude-code 3',
      'cursor 3',
      'universal 0',
    ]);
    expect(skills.length).toBe(5);
    expect(collisions).toEqual([
      {
        agent: 'claude-code',
        name: 'pdf',
        taken: [join(made.home, '.claude/skills/pdf')],
        left: [join(made.project, '.claude/skills/pdf')],
      },
    ]);
    expect(problems.length).toBe(1);
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
    await standOn(made);
    const { out } = await runCaptured(['agents'], { columns: 60 });
    const plain = out.replace(/\u001b\[(?:1|2|22)m/g, '');
    expect(plain).not.toContain('\u001b');
    expect(linesOf(plain).filter((line) => line.length > 60)).toEqual([]);
    expect(plain.replace(/\n\s*/g, '')).toContain('very-very-long');
  });

  test('shows twenty of each kind, and says how many more there are', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `home/.claude/skills/Skill${i}`);
    await standOn(await MadeUpHome.with(...names));
    const { out } = await runCaptured(['agents']);
    expect(linesOf(out)).toContain('  … and 5 more (all of them with --json)');
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

  test('needs a source, and --agent needs --installed', async () => {
    expect(await runCaptured(['load'])).toMatchObject({
      status: 2,
      error: "error: missing required argument 'source' (or --installed)\n",
    });
    expect(await runCaptured(['load', '.', '--agent', 'codex'])).toMatchObject({
      status: 2,
      error: 'error: --agent says whose installed skills are meant: add --installed\n',
    });
  });

  test('keeps what is no longer installed with --no-prune', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/a', 'home/.claude/skills/b');
    await standOn(made);
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
