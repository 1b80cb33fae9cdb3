import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { MadeUpHome } from '../sources/installed/made-up-home.js';
import { eventually, watching } from './watching.js';

// For a machine with twenty other things to do.
vi.setConfig({ testTimeout: 150_000 });

const CLAUDE = 'home/.claude';
const MARKET = `${CLAUDE}/plugins/cache/market`;

/** The list of plugins of Claude Code that has these. */
function listOf(made: MadeUpHome, ...names: readonly string[]): Readonly<Record<string, string>> {
  const plugins = names.map((name) => {
    const installPath = join(made.root, MARKET, name);
    return [`${name}@market`, [{ scope: 'user', installPath }]];
  });
  const list = JSON.stringify({ version: 2, plugins: Object.fromEntries(plugins) });
  return { [`${CLAUDE}/plugins/installed_plugins.json`]: list };
}

describe('what is installed, watched,', () => {
  test('loses the skills of a plugin that any settings disable, and has them again once they enable it', async () => {
    const made = await MadeUpHome.with(`${CLAUDE}/skills/a`, `${MARKET}/docs/skills/b`);
    await made.write(listOf(made, 'docs'));
    const { names, untilNames } = await watching({ sources: [{ installed: made.options }] });
    expect(names()).toEqual(['a', 'b']);
    const said = (isEnabled: boolean): string => JSON.stringify({ enabledPlugins: { 'docs@market': isEnabled } });
    await made.write({ [`${CLAUDE}/settings.json`]: said(false) });
    await untilNames('a');
    await made.write({ 'home/work/project/.claude/settings.json': said(true) });
    await untilNames('a', 'b');
    await made.write({ 'home/work/project/.claude/settings.local.json': said(false) });
    await untilNames('a');
    await rm(join(made.project, '.claude/settings.local.json'));
    await untilNames('a', 'b');
  });

  test('follows the settings of Codex, GitHub Copilot CLI and Gemini CLI, too', async () => {
    const extension = 'home/.gemini/extensions/docs';
    const made = await MadeUpHome.with(
      'home/.agents/skills/own',
      'home/.codex/plugins/cache/market/docs/local/skills/a',
      'home/.copilot/installed-plugins/market/docs/skills/b',
      `${extension}/skills/c`,
    );
    const codex = (isEnabled: boolean): object => ({
      'home/.codex/config.toml': `[plugins."docs@market"]\nenabled = ${isEnabled}\n`,
    });
    await made.write({
      ...codex(true),
      'home/.codex/plugins/cache/market/docs/local/.codex-plugin/plugin.json': '{"name": "docs"}',
      'home/.copilot/installed-plugins/market/docs/plugin.json': '{"name": "docs"}',
      [`${extension}/gemini-extension.json`]: '{"name": "docs", "version": "1.0.0"}',
    });
    const { names, untilNames } = await watching({ sources: [{ installed: made.options }] });
    expect(names()).toEqual(['a', 'b', 'c', 'own']);
    await made.write({ ...codex(false) });
    await untilNames('b', 'c', 'own');
    await made.write({ 'home/.copilot/settings.json': '{"enabledPlugins": {"docs@market": false}}' });
    await untilNames('c', 'own');
    await made.write({ 'home/.gemini/extensions/extension-enablement.json': '{"docs": {"overrides": ["!/*"]}}' });
    await untilNames('own');
    await made.write({ ...codex(true) });
    await untilNames('a', 'own');
  });

  test('keeps the skills of plugins whose list cannot be read, and loses those that it lacks once it can', async () => {
    const made = await MadeUpHome.with(`${CLAUDE}/skills/a`, `${MARKET}/docs/skills/b`);
    await made.write(listOf(made, 'docs'));
    const { names, untilNames, changes } = await watching({ sources: [{ installed: made.options }] });
    await made.write({ [`${CLAUDE}/plugins/installed_plugins.json`]: '{"version": 2, "plu' });
    await made.add(`${CLAUDE}/skills/c`);
    await untilNames('a', 'b', 'c');
    const before = changes.length;
    // Long enough for the folders to be found anew.
    await new Promise((resolve) => setTimeout(resolve, 4500));
    expect([names(), changes.length]).toEqual([['a', 'b', 'c'], before]);
    await made.write(listOf(made));
    await eventually(() => expect(names()).toEqual(['a', 'c']));
  });
});
