import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type LoadReport,
  openSkillSearch,
  type SkillDetails,
} from '../../../src/index.js';
import type { InstalledOptions } from '../../../src/sources/index.js';
import { codeOf } from '../../error-code.js';
import { MadeUpHome } from './made-up-home.js';

async function load(
  made: MadeUpHome,
  more: Partial<BuildOptions> = {},
  installed: InstalledOptions = {},
): Promise<LoadReport> {
  const sources = [{ installed: { ...made.options, ...installed } }];
  return buildCatalogue({ database: databaseOf(made), sources, semantic: false, ...more });
}

function databaseOf(made: MadeUpHome): string {
  return join(made.root, 'skills.db');
}

async function skillsOf(made: MadeUpHome): Promise<SkillDetails[]> {
  await using search = await openSkillSearch({ database: databaseOf(made), localPaths: true });
  return search.list({ limit: 50 }).hits.map(({ skill }) => search.get(skill.id)!);
}

/** Each skill as its id and its installations. */
async function installationsOf(made: MadeUpHome): Promise<Record<string, string[]>> {
  const skills = (await skillsOf(made)).map(({ id, installations = [] }): [string, string[]] => [
    id,
    installations.map(({ agent, scope, path = '', plugin }) =>
      [agent, scope, made.inside(path), ...(plugin === undefined ? [] : [plugin])].join(' '),
    ),
  ]);
  return Object.fromEntries(skills.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const countsOf = ({ added, updated, unchanged, removed }: LoadReport): number[] => [added, updated, unchanged, removed];

describe('the skills that are installed', () => {
  test('are one source, and know by whom they are had', async () => {
    const made = await MadeUpHome.with(
      'home/.claude/skills/pdf',
      'home/.cursor/skills/ui',
      'home/work/project/.claude/skills/here',
    );
    const report = await load(made);
    expect(countsOf(report)).toEqual([3, 0, 0, 0]);
    expect(report.warnings).toEqual([]);
    expect(await installationsOf(made)).toEqual({
      'skills-here': [
        'claude-code project home/work/project/.claude/skills/here',
        'cursor project home/work/project/.claude/skills/here',
      ],
      'skills-pdf': ['claude-code user home/.claude/skills/pdf'],
      'skills-ui': ['cursor user home/.cursor/skills/ui'],
    });
    expect(countsOf(await load(made))).toEqual([0, 0, 3, 0]);
  });

  test('are one skill where several agents have it, or a link leads to it', async () => {
    const made = await MadeUpHome.with('home/.agents/skills/shared', 'home/.gemini/skills/own');
    await made.link('home/.claude/skills/linked', 'home/.agents/skills/shared');
    await made.link('home/.cursor/skills', 'home/.gemini/skills');
    await load(made);
    expect(await installationsOf(made)).toEqual({
      'skills-own': ['cursor user home/.gemini/skills/own', 'gemini-cli user home/.gemini/skills/own'],
      'skills-shared': [
        'claude-code user home/.claude/skills/linked',
        'codex user home/.agents/skills/shared',
        'gemini-cli user home/.agents/skills/shared',
        'universal user home/.agents/skills/shared',
      ],
    });
  });

  test('keep their ids from load to load, also when an agent comes or goes', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/pdf', 'home/.cursor/skills/pdf');
    const ids = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await skillsOf(made)).map(({ id, localPath = '' }) => [made.inside(localPath), id]));
    await load(made, {}, { agents: ['cursor'] });
    const alone = await ids();
    expect(alone).toEqual({ 'home/.cursor/skills/pdf': 'skills-pdf' });
    await load(made, {}, { agents: ['claude-code', 'cursor'] });
    const both = await ids();
    expect(both).toMatchObject(alone);
    expect(both['home/.claude/skills/pdf']).toMatch(/^skills-pdf-[0-9a-f]{8}$/);
    await load(made);
    expect(await ids()).toEqual(both);
  });

  test('are pruned when they are no longer installed, unless that is refused', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/a', 'home/.claude/skills/b', 'home/.claude/skills/c');
    await load(made);
    await rm(join(made.home, '.claude/skills/a'), { recursive: true });
    expect(countsOf(await load(made, { prune: false }))).toEqual([0, 0, 2, 0]);
    expect(countsOf(await load(made))).toEqual([0, 0, 2, 1]);
    // Nothing is left, and the folder says so.
    await rm(join(made.home, '.claude/skills/b'), { recursive: true });
    await rm(join(made.home, '.claude/skills/c'), { recursive: true });
    expect(countsOf(await load(made))).toEqual([0, 0, 0, 2]);
  });

  test('stay where no folder is there any more, or one cannot be read now', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/a', 'home/.cursor/skills/b');
    await load(made);
    await rename(made.home, `${made.home}-away`);
    await mkdir(made.home);
    const away = await load(made);
    expect(countsOf(away)).toEqual([0, 0, 0, 0]);
    expect(away.warnings.map(({ origin, message }) => `${origin}: ${message}`)).toEqual([
      'installed: no skill in this source',
      'installed: nothing was pruned, because the source held no skill',
    ]);
    await rm(made.home, { recursive: true });
    await rename(`${made.home}-away`, made.home);

    await rm(join(made.home, '.claude/skills/a'), { recursive: true });
    const unreachable = { 'gemini-cli': { user: [join(made.home, 'x'.repeat(300))] } };
    const closed = await load(made, {}, { folders: unreachable });
    expect(closed.removed).toBe(0);
    expect(closed.warnings[0]?.message).toBe('cannot be read: ENAMETOOLONG');
    expect((await load(made)).removed).toBe(1);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'stay below a folder that cannot be read now; the others are pruned',
    async () => {
      const made = await MadeUpHome.with(
        'home/.claude/skills/gone',
        'home/.claude/skills/stays',
        'home/.claude/skills/group/a',
        'home/.claude/skills/group/b/c',
        'home/.cursor/skills/linked',
        'home/.cursor/skills/gone-too',
      );
      await made.link('home/.claude/skills/group/linked', 'home/.cursor/skills/linked');
      const agents = ['claude-code'];
      await load(made, {}, { agents });
      const claudes = ['skills-gone', 'skills-group-a', 'skills-group-b-c', 'skills-linked', 'skills-stays'];
      expect(Object.keys(await installationsOf(made))).toEqual(claudes);
      await rm(join(made.home, '.claude/skills/gone'), { recursive: true });
      const group = join(made.home, '.claude/skills/group');
      await chmod(group, 0o000);
      const closed = await load(made, {}, { agents });
      await chmod(group, 0o700);
      expect(countsOf(closed)).toEqual([0, 0, 1, 1]);
      expect(closed.warnings.map(({ origin, message }) => `${origin}: ${message}`)).toEqual([
        '~/.claude/skills/group: the folder cannot be read: EACCES',
      ]);
      expect(Object.keys(await installationsOf(made))).toEqual(claudes.slice(1));

      await load(made);
      await rm(join(made.home, '.cursor/skills/gone-too'), { recursive: true });
      const skills = join(made.home, '.claude/skills');
      await chmod(skills, 0o000);
      const without = await load(made);
      await chmod(skills, 0o700);
      expect(without.removed).toBe(1);
      expect((await skillsOf(made)).length).toBe(4);
    },
  );

  test('take their files with them, and nothing that a link brings in from another folder', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/a', 'home/work/project/.claude/skills/evil');
    await made.write({ 'home/.claude/skills/a/notes.md': 'private notes' });
    await made.write({ 'home/work/project/.claude/skills/common/shared.md': 'shared text' });
    await made.link('home/work/project/.claude/skills/evil/notes.md', 'home/.claude/skills/a/notes.md');
    await made.link('home/work/project/.claude/skills/evil/more', 'home/.claude/skills/a');
    await made.link(
      'home/work/project/.claude/skills/evil/shared.md',
      'home/work/project/.claude/skills/common/shared.md',
    );
    await load(made);
    await using search = await openSkillSearch({ database: databaseOf(made) });
    const namesOf = (id: string): string[] => search.files(id).map(({ filename }) => filename);
    expect(namesOf('skills-evil')).toEqual(['SKILL.md', 'shared.md']);
    expect(namesOf('skills-a')).toEqual(['SKILL.md', 'notes.md']);
    const contents = await search.contents('skills-evil');
    expect(contents?.files.map(({ path }) => path)).toEqual(['SKILL.md']);
  });

  test('are at most one source of a load, with options that are known', async () => {
    const made = await MadeUpHome.with();
    const two = buildCatalogue({ database: databaseOf(made), sources: [{ installed: {} }, { installed: {} }] });
    await expect(two).rejects.toThrow('sources must have at most one of installed skills');
    expect(await codeOf(() => load(made, {}, { agents: ['nobody'] }))).toBe('INVALID_OPTION');
  });
});
