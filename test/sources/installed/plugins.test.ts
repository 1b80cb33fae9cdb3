import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFolders } from '../../../src/sources/index.js';
import { inspectInstalled } from '../../../src/sources/installed/index.js';
import { MadeUpHome } from './made-up-home.js';

const CACHE = 'home/.claude/plugins/cache/market';
const LIST = 'home/.claude/plugins/installed_plugins.json';
const MARKET = 'home/.claude/plugins/marketplaces/market';

/** The folders of plugins, Claude Code's unless others are named, as `plugin path`, and what could not be read of them. */
async function pluginsOf(made: MadeUpHome, more: object = {}): Promise<{ folders: string[]; problems: string[] }> {
  const { folders, problems } = await findFolders({ ...made.options, agents: ['claude-code'], ...more });
  return {
    folders: folders.filter(({ scope }) => scope === 'plugin').map((one) => `${one.plugin} ${made.inside(one.path)}`),
    problems: problems.map(({ path, message }) => `${made.inside(path)}: ${message}`),
  };
}

/** @param entries of the list: the paths are from the machine's root */
async function install(made: MadeUpHome, entries: Record<string, object>, version = 2): Promise<void> {
  const plugins = Object.entries(entries).map(([name, entry]) => {
    const all = { scope: 'user', version: '1.0', installPath: join(made.root, `${CACHE}/${name}`), ...entry };
    return [name.includes('@') ? name : `${name}@market`, version === 1 ? all : [all]];
  });
  await made.write({ [LIST]: JSON.stringify({ version, plugins: Object.fromEntries(plugins) }) });
}

describe('the plugins of Claude Code', () => {
  test.each([1, 2])('are read from a list of version %i', async (version) => {
    const made = await MadeUpHome.with(`${CACHE}/docs/skills/pdf`, `${CACHE}/other/skills/not-installed`);
    await install(made, { docs: {} }, version);
    expect(await pluginsOf(made)).toEqual({ folders: [`docs ${CACHE}/docs/skills`], problems: [] });
  });

  test('of a project count in that project only', async () => {
    const made = await MadeUpHome.with(`${CACHE}/a/skills/x`, `${CACHE}/b/skills/y`, `${CACHE}/c/skills/z`);
    await mkdir(join(made.project, 'src'));
    const elsewhere = join(made.home, 'work/other');
    await install(made, {
      a: { scope: 'project', projectPath: made.project },
      b: { scope: 'local', projectPath: elsewhere },
      c: { scope: 'project' },
    });
    expect((await pluginsOf(made, { cwd: join(made.project, 'src') })).folders).toEqual([`a ${CACHE}/a/skills`]);
    expect((await pluginsOf(made, { cwd: made.home })).folders).toEqual([]);
  });

  test('have the listed skills alone, if their marketplace is not strict', async () => {
    const made = await MadeUpHome.with(`${CACHE}/docs/skills/pdf`, `${CACHE}/docs/skills/other`);
    const entry = (strict: boolean): object => ({
      [`${MARKET}/.claude-plugin/marketplace.json`]: JSON.stringify({
        name: 'market',
        plugins: [{ name: 'else' }, { name: 'docs', source: '../../installed/', strict, skills: ['./skills/pdf'] }],
      }),
    });
    await install(made, { docs: {} });
    await made.write(entry(false) as Record<string, string>);
    expect((await pluginsOf(made)).folders).toEqual([`docs ${CACHE}/docs/skills/pdf`]);
    await made.write(entry(true) as Record<string, string>);
    expect((await pluginsOf(made)).folders).toEqual([`docs ${CACHE}/docs/skills`, `docs ${CACHE}/docs/skills/pdf`]);
  });

  test('that settings disable are none of the agent', async () => {
    const made = await MadeUpHome.with(`${CACHE}/docs/skills/pdf`);
    await install(made, { docs: {} });
    const on = [`docs ${CACHE}/docs/skills`];
    const managed = join(made.root, 'etc/claude-code/.claude/skills');
    const folders = { 'claude-code': { system: [managed] } };
    const settings = async (path: string, isOn: unknown): Promise<string[]> => {
      await made.write({ [path]: JSON.stringify({ enabledPlugins: { 'docs@market': isOn } }) });
      return (await pluginsOf(made, { folders })).folders;
    };
    // Each wins over those before it.
    expect(await settings('home/.claude/settings.json', 'no answer')).toEqual(on);
    expect(await settings('home/.claude/settings.json', false)).toEqual([]);
    expect(await settings('home/work/project/.claude/settings.json', true)).toEqual(on);
    expect(await settings('home/work/project/.claude/settings.local.json', false)).toEqual([]);
    expect(await settings('etc/claude-code/managed-settings.json', true)).toEqual(on);
  });

  test('never lead out of their folder, whatever their files say', async () => {
    const made = await MadeUpHome.with('secret/skills/s', `${CACHE}/a/in/x`, `${CACHE}/b/skills/y`, `${CACHE}/other/z`);
    await made.write({
      [`${CACHE}/a/.claude-plugin/plugin.json`]: JSON.stringify({
        skills: [
          '../other',
          '../../../../../../secret/skills',
          './in',
          'in\u0000',
          '\u0000\u0000',
          7,
          '\u001b[2Jgone',
          '',
        ],
      }),
    });
    await made.link(`${CACHE}/a/skills`, 'secret/skills');
    await made.link(`${CACHE}/c`, 'secret');
    await install(made, {
      a: {},
      c: {},
      d: { installPath: join(made.root, 'secret') },
      'e@../../..': { installPath: 7 },
    });
    expect(await pluginsOf(made)).toEqual({
      folders: [`a ${CACHE}/a/in`],
      problems: [
        `${CACHE}/a: a@market: skills leads out of the plugin's folder, so it is not read`,
        `${CACHE}/a: a@market: ../other leads out of the plugin's folder, so it is not read`,
        `${CACHE}/a: a@market: ../../../../../../secret/skills leads out of the plugin's folder, so it is not read`,
        `${CACHE}/a: a@market: in is not there`,
        `${CACHE}/a: a@market: "\\u0000\\u0000" is not there`,
        `${CACHE}/a: a@market: [2Jgone is not there`,
        `${LIST}: c@market: lies outside the folder of plugins, so it is not read`,
        `${LIST}: d@market: lies outside the folder of plugins, so it is not read`,
        `${LIST}: e@../../..: not a plugin with an installPath`,
      ],
    });
  });

  test.each([
    ['not JSON', '{"plugins": {', 'not an object of JSON'],
    ['without plugins', '{"version": 2, "plugins": []}', 'has no object `plugins`'],
    ['with a prototype', '{"__proto__": {"plugins": {}}}', 'has no object `plugins`'],
    ['giant', ' '.repeat(4 * 1024 * 1024 + 1), 'over 4 MiB'],
  ])('are none where the list is %s', async (_, text, reason) => {
    const made = await MadeUpHome.with('home/.claude/skills/kept');
    await made.write({ [LIST]: text });
    expect(await pluginsOf(made)).toEqual({ folders: [], problems: [`${LIST}: ${reason}`] });
  });
});

/** What an agent calls its skills, the ones that it takes first. */
async function calledBy(made: MadeUpHome, agent: string): Promise<string[]> {
  const { skills } = await inspectInstalled({ ...made.options, agents: [agent] });
  return skills.flatMap(({ installations }) => installations.map(({ calledAs }) => calledAs));
}

describe('the extensions of Gemini CLI', () => {
  const EXTENSIONS = 'home/.gemini/extensions';
  const manifest = (name: string) => ({
    [`${EXTENSIONS}/${name}/gemini-extension.json`]: JSON.stringify({ name, version: '1.0.0' }),
  });

  test('have the skills of their folder, under their own names', async () => {
    const made = await MadeUpHome.with(`${EXTENSIONS}/docs/skills/pdf`, `${EXTENSIONS}/none/skills/no-manifest`);
    await made.write({ ...manifest('docs'), ...manifest('without-skills') });
    expect(await pluginsOf(made, { agents: ['gemini-cli'] })).toEqual({
      folders: [`docs ${EXTENSIONS}/docs/skills`],
      problems: [],
    });
    expect(await calledBy(made, 'gemini-cli')).toEqual(['pdf']);
  });

  test.each([
    ['nothing', [], true],
    ['a rule for all of the home folder', ['!HOME/*'], false],
    ['the last rule that fits', ['!HOME/*', 'HOME/work/project/*'], true],
    ['a rule for the folder above alone', ['!HOME/work/'], true],
    ['a rule for another folder', ['!HOME/work/pro*', '!HOME/other/*'], false],
  ])('are on or off as %s says', async (_, rules, isOn) => {
    const made = await MadeUpHome.with(`${EXTENSIONS}/docs/skills/pdf`);
    const home = made.home.replaceAll('\\', '/').replace(/^(?!\/)/, '/');
    const overrides = rules.map((rule) => (typeof rule === 'string' ? rule.replace('HOME', home) : rule));
    await made.write({
      ...manifest('docs'),
      [`${EXTENSIONS}/extension-enablement.json`]: JSON.stringify({ docs: { overrides } }),
    });
    const folders = isOn ? [`docs ${EXTENSIONS}/docs/skills`] : [];
    expect(await pluginsOf(made, { agents: ['gemini-cli'] })).toEqual({ folders, problems: [] });
  });

  test('that are linked, or lead elsewhere, are not read', async () => {
    const made = await MadeUpHome.with('secret/skills/s', `${EXTENSIONS}/mine/skills/m`);
    await made.write({
      ...manifest('mine'),
      [`${EXTENSIONS}/mine/.gemini-extension-install.json`]: JSON.stringify({ source: '/secret', type: 'link' }),
      ...manifest('out'),
    });
    await made.link(`${EXTENSIONS}/out/skills`, 'secret/skills');
    await made.link(`${EXTENSIONS}/link`, 'secret');
    expect(await pluginsOf(made, { agents: ['gemini-cli'] })).toEqual({
      folders: [],
      problems: [
        `${EXTENSIONS}/mine: linked to another folder, so it is not read`,
        `${EXTENSIONS}/out: out: skills leads out of the plugin's folder, so it is not read`,
      ],
    });
  });
});

describe('the plugins of Codex', () => {
  const CACHE = 'home/.codex/plugins/cache/market';
  const CONFIG = 'home/.codex/config.toml';

  test('are those that the configuration names and does not disable, in their active version', async () => {
    const made = await MadeUpHome.with(
      ...['1.9.0', '1.10.0'].map((version) => `${CACHE}/docs/${version}/skills/pdf`),
      ...['local', '2.0.0'].map((version) => `${CACHE}/mine/${version}/more/xlsx`),
      `${CACHE}/off/1.0.0/skills/off`,
      `${CACHE}/unnamed/1.0.0/skills/unnamed`,
    );
    await made.write({
      [CONFIG]:
        '[plugins."docs@market"]\nenabled = true\n[plugins."mine@market"]\n[plugins."off@market"]\nenabled = false\n' +
        '[plugins."gone@market"]\n[plugins."../x@market"]\n',
      [`${CACHE}/docs/1.10.0/.codex-plugin/plugin.json`]: JSON.stringify({ name: 'documents' }),
      [`${CACHE}/mine/local/.codex-plugin/plugin.json`]: JSON.stringify({ name: 'mine', skills: './more/' }),
    });
    expect(await pluginsOf(made, { agents: ['codex'] })).toEqual({
      folders: [`documents ${CACHE}/docs/1.10.0/skills`, `mine ${CACHE}/mine/local/more`],
      problems: [],
    });
    expect(await calledBy(made, 'codex')).toEqual(['documents:pdf', 'mine:xlsx']);
  });

  test.each([
    ['is no TOML', 'plugins = {', [`${CONFIG}: not TOML`]],
    ['has something else there', 'plugins = 7\n', []],
  ])('are none where the configuration %s', async (_, text, problems) => {
    const made = await MadeUpHome.with(`${CACHE}/docs/1.0.0/skills/pdf`);
    await made.write({ [CONFIG]: text });
    expect(await pluginsOf(made, { agents: ['codex'] })).toEqual({ folders: [], problems });
  });
});

describe('the plugins of GitHub Copilot CLI', () => {
  const PLUGINS = 'home/.copilot/installed-plugins';

  test('have the folders that their manifest lists, else skills, under their own names', async () => {
    const made = await MadeUpHome.with(
      `${PLUGINS}/market/docs/skills/pdf`,
      `${PLUGINS}/market/listed/more/xlsx`,
      `${PLUGINS}/market/listed/skills/not-listed`,
      `${PLUGINS}/_direct/owner-repo/skills/direct`,
    );
    await made.write({
      [`${PLUGINS}/market/listed/.claude-plugin/plugin.json`]: JSON.stringify({ name: 'x', skills: 'skills/' }),
      [`${PLUGINS}/market/listed/plugin.json`]: JSON.stringify({ name: 'lists', skills: ['more/', 'gone'] }),
    });
    expect(await pluginsOf(made, { agents: ['github-copilot'] })).toEqual({
      folders: [
        `owner-repo ${PLUGINS}/_direct/owner-repo/skills`,
        `docs ${PLUGINS}/market/docs/skills`,
        `lists ${PLUGINS}/market/listed/more`,
      ],
      problems: [`${PLUGINS}/market/listed: listed@market: gone is not there`],
    });
    expect(await calledBy(made, 'github-copilot')).toEqual(['direct', 'pdf', 'xlsx']);
  });

  test('are off if the settings of the user say so, unless the project says otherwise', async () => {
    const made = await MadeUpHome.with(`${PLUGINS}/market/docs/skills/pdf`);
    const settings = (isOn: boolean): string => JSON.stringify({ enabledPlugins: { 'docs@market': isOn } });
    await made.write({ 'home/.copilot/settings.json': settings(false) });
    expect(await pluginsOf(made, { agents: ['github-copilot'] })).toEqual({ folders: [], problems: [] });
    await made.write({ 'home/work/project/.github/copilot/settings.json': settings(true) });
    const folders = [`docs ${PLUGINS}/market/docs/skills`];
    expect(await pluginsOf(made, { agents: ['github-copilot'] })).toEqual({ folders, problems: [] });
  });
});
