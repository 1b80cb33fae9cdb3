import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFolders } from '../../../src/sources/index.js';
import { inspectInstalled } from '../../../src/sources/installed/inspect-installed.js';
import { MadeUpHome } from './made-up-home.js';

/** The folders of an agent's plugins as `plugin path`, and what could not be read of them. */
async function pluginsOf(made: MadeUpHome, agent: string, more: object = {}): Promise<object> {
  const { folders, problems } = await findFolders({ ...made.options, agents: [agent], ...more });
  return {
    folders: folders.filter(({ scope }) => scope === 'plugin').map((one) => `${one.plugin} ${made.inside(one.path)}`),
    problems: problems.map(({ path, message }) => `${made.inside(path)}: ${message}`),
  };
}

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
    expect(await pluginsOf(made, 'gemini-cli')).toEqual({
      folders: [`docs ${EXTENSIONS}/docs/skills`],
      problems: [],
    });
    expect(await calledBy(made, 'gemini-cli')).toEqual(['pdf']);
  });

  test.each([
    ['nothing', [], true],
    ['a rule for all of the home folder', ['!HOME/*'], false],
    ['the last rule that fits', ['!HOME/*', 'HOME/work/project/*'], true],
    ['a rule for the folder itself', ['!HOME/work/project/'], false],
    ['a rule for the folder above alone', ['!HOME/work/'], true],
    ['a rule for another folder', ['!HOME/work/pro*', '!HOME/other/*'], false],
    ['no rule at all', [7, null], true],
  ])('are on or off as %s says', async (_, rules, isOn) => {
    const made = await MadeUpHome.with(`${EXTENSIONS}/docs/skills/pdf`);
    const home = made.home.replaceAll('\\', '/').replace(/^(?!\/)/, '/');
    const overrides = rules.map((rule) => (typeof rule === 'string' ? rule.replace('HOME', home) : rule));
    await made.write({
      ...manifest('docs'),
      [`${EXTENSIONS}/extension-enablement.json`]: JSON.stringify({ docs: { overrides } }),
    });
    const folders = isOn ? [`docs ${EXTENSIONS}/docs/skills`] : [];
    expect(await pluginsOf(made, 'gemini-cli')).toEqual({ folders, problems: [] });
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
    expect(await pluginsOf(made, 'gemini-cli')).toEqual({
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
    expect(await pluginsOf(made, 'codex')).toEqual({
      folders: [`documents ${CACHE}/docs/1.10.0/skills`, `mine ${CACHE}/mine/local/more`],
      problems: [],
    });
    expect(await calledBy(made, 'codex')).toEqual(['documents:pdf', 'mine:xlsx']);
  });

  test.each([
    ['is no TOML', 'plugins = {', [`${CONFIG}: not TOML`]],
    ['names none', 'model = "x"\n', []],
    ['has something else there', 'plugins = 7\n', []],
  ])('are none where the configuration %s', async (_, text, problems) => {
    const made = await MadeUpHome.with(`${CACHE}/docs/1.0.0/skills/pdf`);
    await made.write({ [CONFIG]: text });
    expect(await pluginsOf(made, 'codex')).toEqual({ folders: [], problems });
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
    expect(await pluginsOf(made, 'github-copilot')).toEqual({
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
    expect(await pluginsOf(made, 'github-copilot')).toEqual({ folders: [], problems: [] });
    await made.write({ 'home/work/project/.github/copilot/settings.json': settings(true) });
    const folders = [`docs ${PLUGINS}/market/docs/skills`];
    expect(await pluginsOf(made, 'github-copilot')).toEqual({ folders, problems: [] });
  });

  test('are looked for where COPILOT_HOME says', async () => {
    const made = await MadeUpHome.with('other/installed-plugins/market/docs/skills/pdf');
    const env = { COPILOT_HOME: join(made.root, 'other') };
    const folders = ['docs other/installed-plugins/market/docs/skills'];
    expect(await pluginsOf(made, 'github-copilot', { env })).toEqual({ folders, problems: [] });
  });
});
