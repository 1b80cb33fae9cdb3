import { rm } from 'node:fs/promises';
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
import { installedPlace } from '../../../src/sources/installed/find-folders.js';
import { MadeUpHome } from './made-up-home.js';

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

  test('is of the working folder alone where there is no repository', async () => {
    const made = await MadeUpHome.with('home/loose/.claude/skills/a');
    await made.write({ 'home/loose/below/x': '' });
    expect(await levelIn(made, 'home/loose')).toBe('home/loose');
    expect(await levelIn(made, 'home/loose/below')).toBe('home');
  });

  test('is of a real folder: a link to a project is that project', async () => {
    const made = await MadeUpHome.with(`${WORK}/.claude/skills/a`);
    await made.link('home/short', WORK);
    expect(await levelIn(made, 'home/short')).toBe(WORK);
  });

  test('counts a link in a project only if it leads into a folder of an agent', async () => {
    const made = await MadeUpHome.with('home/.agents/skills/mine', 'home/elsewhere/a');
    await made.link(`${WORK}/.claude/skills`, 'home/elsewhere');
    expect(await levelIn(made, WORK)).toBe('home');
    await made.link(`${WORK}/.agents/skills`, 'home/.agents/skills');
    expect(await levelIn(made, WORK)).toBe(WORK);
  });

  test('is of a project to which only a plugin belongs', async () => {
    const made = await MadeUpHome.with('home/.claude/plugins/p/skills/a');
    const installPath = join(made.home, '.claude/plugins/p');
    const plugins = { 'p@m': [{ scope: 'project', projectPath: made.project, installPath }] };
    await made.write({ 'home/.claude/plugins/installed_plugins.json': JSON.stringify({ version: 2, plugins }) });
    expect(await levelIn(made, WORK)).toBe(WORK);
    expect(await levelIn(made, 'home')).toBe('home');
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

  test('has the same folders from wherever it is loaded', async () => {
    const made = await MadeUpHome.with('home/.claude/skills/mine', `${WORK}/.claude/skills/a`, `${WORK}/b/skills/b`);
    await made.write({ [`${WORK}/b/c/x`]: '' });
    for (const at of [WORK, `${WORK}/b`, `${WORK}/b/c`]) {
      const { cwd } = await installedPlace(surroundingsIn(made, at));
      const { folders } = await findFolders({ ...made.options, cwd });
      expect(made.short(folders)).toContain(`claude-code project ${WORK}/.claude/skills`);
      expect(cwd).toBe(made.project);
    }
  });

  test('lies in a folder whose name tells nothing', async () => {
    const of = surroundings({ platform: 'linux', home: '/home/a', env: {}, cwd: '/' });
    expect(projectCatalogue(of, '/home/a/secret')).toMatch(
      /^\/home\/a\/\.local\/share\/skill-discovery\/projects\/[0-9a-f]{16}\/skills\.db$/,
    );
    expect(userCatalogue(of)).toBe('/home/a/.local/share/skill-discovery/skills.db');
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
