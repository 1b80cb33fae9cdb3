import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  nearestCatalogue,
  projectCatalogue,
  type Surroundings,
  surroundings,
  userCatalogue,
} from '../../../src/core/index.js';
import { findFolders } from '../../../src/sources/index.js';
import { AGENTS, SHARED_AGENT } from '../../../src/sources/installed/agents.js';
import { installedPlace } from '../../../src/sources/installed/find-folders.js';
import { installedSkillFolders } from '../../../src/sources/installed/index.js';
import { codeOf } from '../../error-code.js';
import { MadeUpHome } from './made-up-home.js';

describe('folders with skills', () => {
  test('are those of the agents on this machine, and the shared ones', async () => {
    const made = await MadeUpHome.with(
      'home/.claude/skills/pdf',
      'home/.cursor/skills/ui',
      'home/.agents/skills/shared',
      'home/work/project/.claude/skills/here',
    );
    const { folders, ...rest } = made.options;
    expect(made.short(await installedSkillFolders(rest))).toEqual([
      'claude-code user home/.claude/skills',
      'claude-code project home/work/project/.claude/skills',
      'cursor project home/work/project/.claude/skills',
      'cursor user home/.cursor/skills',
      'universal user home/.agents/skills',
    ]);
    // Given folders say that the agent is there.
    expect(made.short(await installedSkillFolders({ ...rest, folders }))).toContain('codex user home/.agents/skills');
  });

  test.each(AGENTS.filter((_, i) => i % 6 === 0))('are looked for where $title left a mark', async (agent) => {
    const made = await MadeUpHome.with();
    const { home, options, project } = made;
    const { folders: _, ...here } = options;
    expect((await findFolders(here)).agents).toEqual([SHARED_AGENT]);
    const [mark] = agent.projectMarks;
    const own = agent.ownFolder({ platform: 'linux', home, env: {}, cwd: project });
    await mkdir(mark === undefined ? own : join(project, mark), { recursive: true });
    const { agents } = await findFolders(here);
    expect(agents.includes(agent.name)).toBe(!agent.onlyByName);
  });

  test('of a project are those from the working folder up to the root of its repository, the nearest first', async () => {
    const made = await MadeUpHome.with(
      'home/work/.claude/skills/above',
      'home/work/project/.claude/skills/root',
      'home/work/project/packages/app/.claude/skills/app',
      'home/.claude/skills/user',
    );
    const options = { ...made.options, agents: ['claude-code'] };
    const at = async (cwd: string): Promise<string[]> =>
      made.short(await installedSkillFolders({ ...options, cwd: join(made.home, cwd) }));
    const user = 'claude-code user home/.claude/skills';
    const root = 'claude-code project home/work/project/.claude/skills';
    await mkdir(join(made.project, 'packages/app/src'), { recursive: true });
    expect(await at('work/project/packages/app/src')).toEqual([
      user,
      'claude-code project home/work/project/packages/app/.claude/skills',
      root,
    ]);
    expect(await at('work/project')).toEqual([user, root]);
    // Without a repository it is the working folder alone; the home folder is never a project.
    expect(await at('work')).toEqual([user, 'claude-code project home/work/.claude/skills']);
    expect(await at('.')).toEqual([user]);
    await made.write({ 'home/.git/HEAD': 'ref: refs/heads/main\n' });
    expect(await at('work')).toEqual([user, 'claude-code project home/work/.claude/skills']);
  });

  test('of the user may be links, those of a project only into folders of agents', async () => {
    const made = await MadeUpHome.with('dotfiles/claude/pdf', 'home/work/project/.agents/skills/a', 'secret/b');
    await made.link('home/.claude/skills', 'dotfiles/claude');
    await made.link('home/work/project/.claude/skills', 'home/work/project/.agents/skills');
    await made.link('home/work/project/.cursor/skills', 'secret');
    await made.link('home/work/project/.gemini', 'secret');
    await made.write({ 'secret/skills/c/SKILL.md': 'c' });
    const options = { ...made.options, agents: ['claude-code', 'cursor', 'gemini-cli'] };
    const { folders, problems } = await findFolders(options);
    expect(made.short(folders)).toEqual([
      'claude-code user dotfiles/claude',
      'claude-code project home/work/project/.agents/skills',
      'cursor project home/work/project/.agents/skills',
      'gemini-cli project home/work/project/.agents/skills',
    ]);
    expect(problems.map(({ path, message }) => `${made.inside(path)}: ${message}`)).toEqual([
      "home/work/project/.cursor/skills: a link that leads out of the agents' folders",
      "home/work/project/.gemini/skills: a link that leads out of the agents' folders",
    ]);
  });

  test('are none where there is a file, a circle, or the whole home', async () => {
    const made = await MadeUpHome.with();
    await made.write({ 'home/.cursor/skills': 'a file' });
    await made.link('home/.claude/skills', 'home/.claude/skills');
    await made.link('home/.gemini/skills', 'home');
    const { folders, problems } = await findFolders(made.options);
    expect(folders).toEqual([]);
    expect(problems.map(({ path, message }) => `${made.inside(path)}: ${message}`)).toEqual([
      'home/.claude/skills: a link that leads in a circle',
      'home/.cursor/skills: is not a folder',
      'home/.gemini/skills: is a link to the home folder or above it, so it is not read',
    ]);
  });

  test('with a name that others use too count only where the agent is there', async () => {
    const made = await MadeUpHome.with('home/work/project/skills/not-an-installed-one');
    expect(await installedSkillFolders(made.options)).toEqual([]);
    await mkdir(join(made.home, '.openclaw'));
    expect(made.short(await installedSkillFolders(made.options))).toEqual([
      'openclaw project home/work/project/skills',
    ]);
  });

  test('refuse what is no agent, and say which was meant', async () => {
    expect(await codeOf(() => installedSkillFolders({ agents: ['claud-code'] }))).toBe('INVALID_OPTION');
    await expect(installedSkillFolders({ agents: ['claud-code'] })).rejects.toThrow(
      'unknown agent "claud-code": did you mean claude-code?',
    );
    await expect(installedSkillFolders({ home: '' })).rejects.toThrow('home must be a text that is not empty, got ""');
    const misspelt = { [SHARED_AGENT]: { users: [] } } as Readonly<Record<string, object>>;
    await expect(installedSkillFolders({ folders: misspelt })).rejects.toThrow('did you mean user?');
  });
});

const WORK = 'home/work/project';

describe('the catalogue of what is installed', () => {
  test('is that of the nearest folder of the project with skills, and everybody below asks the same', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/mine', `${WORK}/.claude/skills/whole`);
    await made.add(`${WORK}/packages/a/.agents/skills/part`);
    await made.write({ [`${WORK}/packages/a/src/x.ts`]: '', [`${WORK}/packages/b/y.ts`]: '' });
    expect(await levelIn(made, WORK)).toBe(WORK);
    expect(await levelIn(made, `${WORK}/packages/b`)).toBe(WORK);
    expect(await levelIn(made, `${WORK}/packages/a`)).toBe(`${WORK}/packages/a`);
    expect(await levelIn(made, `${WORK}/packages/a/src`)).toBe(`${WORK}/packages/a`);
  });

  test("is the user's in the home folder, above it, and in a project without skills", async () => {
    const made = await MadeUpHome.with('home/.claude/skills/mine', 'home/.agents/skills/mine-too');
    await made.write({ 'home/.git/HEAD': '', [`${WORK}/src/.cursor/x`]: '', 'home/notes/a.md': '' });
    for (const at of ['home', '.', WORK, `${WORK}/src`, 'home/notes', 'home/.claude/skills', 'etc']) {
      expect(await levelIn(made, at), at).toBe('home');
    }
  });

  test('stays when the skills of the project go, and the hook asks those that exist', async () => {
    const made = await MadeUpHome.with(`${WORK}/.claude/skills/whole`, `${WORK}/a/.claude/skills/part`);
    const [whole, part] = [surroundingsIn(made, WORK), surroundingsIn(made, `${WORK}/a`)];
    expect(await nearestCatalogue(part)).toBe(userCatalogue(part));
    await load(made, whole);
    expect(await nearestCatalogue(part)).toBe(projectCatalogue(whole, whole.cwd));
    await load(made, part);
    expect(await nearestCatalogue(part)).toBe(projectCatalogue(part, part.cwd));
    await rm(join(made.project, 'a/.claude'), { recursive: true });
    expect(await levelIn(made, `${WORK}/a`)).toBe(`${WORK}/a`);
    expect(await nearestCatalogue(part)).toBe((await installedPlace(part)).database);
  });
});

function surroundingsIn(made: MadeUpHome, at: string): Surroundings {
  return surroundings({ home: made.home, env: {}, platform: 'linux', cwd: join(made.root, at) });
}

/** The folder whose catalogue is used at `at`; `home` for the user's. Both from the machine's root. */
async function levelIn(made: MadeUpHome, at: string): Promise<string> {
  const of = surroundingsIn(made, at);
  const { database, cwd, found } = await installedPlace(of);
  const { home, env, platform } = of;
  expect(found).toEqual(await findFolders({ home, cwd, env, platform }));
  expect(database).toBe(cwd === made.home ? userCatalogue(of) : projectCatalogue(of, cwd));
  return made.inside(cwd);
}

/** As if its catalogue had been loaded. */
async function load(made: MadeUpHome, of: Surroundings): Promise<void> {
  const { database } = await installedPlace(of);
  await made.write({ [made.inside(database)]: '' });
  onTestFinished(() => rm(dirname(database), { recursive: true, force: true }));
}
