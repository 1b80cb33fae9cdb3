import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isInside, isObject, MAX_NAME, madeOnce, orUndefined } from '../../core/index.js';
import { readTextFile } from '../folder/read-file.js';
import { cutCodePoints, isBlank, systemReason, toOneLine, withoutControls } from '../rows/texts.js';
import type { AgentProblem } from './agents.js';

/** What an agent's plugins bring. */
export type Plugins = Pick<PluginFiles, 'folders' | 'projects' | 'problems'>;

/** Where an agent's plugins are looked for. */
export interface PluginPlace {
  /** The agent's own folder. */
  readonly own: string;
  /** Its folders of the machine. */
  readonly system: readonly string[];
  /** Real path of the working folder. */
  readonly cwd: string;
  /** Real paths of the folders of the project, the nearest first. */
  readonly levels: readonly string[];
}

/** Plugins that are looked at, and folders with skills that a plugin names. Each may cost some files. */
const MAX_PLUGINS = 1000;

/** Largest file of an agent that says which plugins there are, in bytes. A marketplace of thousands has one. */
const MAX_PLUGIN_LIST_BYTES: number = 4 * 1024 * 1024;

/** By agent, the folder of all plugins in its own folder, and what finds the plugins. */
const READERS: Readonly<Record<string, readonly [home: string, (files: PluginFiles, place: PluginPlace) => unknown]>> =
  {
    'claude-code': ['plugins', readClaudePlugins],
    codex: ['plugins/cache', readCodexPlugins],
    'github-copilot': ['installed-plugins', readCopilotPlugins],
    'gemini-cli': ['extensions', readGeminiExtensions],
  };

/**
 * The folders with skills of the plugins of an agent that are installed and not disabled. Others wrote their files:
 * nothing in these leads out of the plugin's folder.
 *
 * @returns undefined if the agent has no plugins
 */
export async function pluginsOf(agent: string, place: PluginPlace): Promise<Plugins | undefined> {
  const [folder = '', read] = READERS[agent] ?? [];
  const home = read && (await realpath(join(place.own, folder)).catch(() => undefined));
  if (home === undefined) return undefined;
  const files = new PluginFiles(home);
  await read?.(files, place);
  return files;
}

/**
 * Plugins of Claude Code, by `plugins/installed_plugins.json` (versions 1 and 2) in its own folder. A plugin of a
 * project counts in that project only.
 *
 * Where a plugin's skills lie is said by the plugin (`.claude-plugin/plugin.json`) and by the marketplace that it came
 * from (`.claude-plugin/marketplace.json`): usually `skills/`, and what these two list. If the marketplace says
 * `strict: false` and lists skills, the plugin has those alone.
 *
 * `enabledPlugins` of settings says which are disabled: those of the machine, then of the project, then of the user.
 *
 * Sources: https://code.claude.com/docs/en/plugins-reference, https://code.claude.com/docs/en/settings
 */
async function readClaudePlugins(files: PluginFiles, { own, system, cwd, levels }: PluginPlace): Promise<void> {
  const { home } = files;
  const list = join(home, 'installed_plugins.json');
  const installed = await files.object(list, home, true);
  if (installed === undefined) return;
  if (!isObject(installed['plugins'])) return files.note(list, 'has no object `plugins`');
  // Version 1 has one installation of each plugin, version 2 a list of them.
  const all = Object.entries(installed['plugins']).flatMap(([key, value]) => [value].flat().map((one) => [key, one]));
  if (all.length > MAX_PLUGINS) files.note(list, `more than ${MAX_PLUGINS} plugins; the rest is left out`, true);
  const isEnabled = await enabledPlugins(files, [
    // The managed folder has `.claude/skills` in it, and the settings beside.
    ...system.map((skills) => [join(skills, '..', '..', 'managed-settings.json')] as const),
    ...levels.flatMap((level) =>
      ['settings.local.json', 'settings.json'].map((name) => [join(level, '.claude', name), level] as const),
    ),
    [join(own, 'settings.json')],
  ]);
  for (const [key, one] of all.slice(0, MAX_PLUGINS) as [string, unknown][]) {
    const at = key.lastIndexOf('@');
    const name = pluginName(at > 0 ? key.slice(0, at) : key);
    const shown = toOneLine(key);
    if (!isObject(one) || typeof one['installPath'] !== 'string' || isBlank(name)) {
      files.note(list, `${shown}: not a plugin with an installPath`);
    } else if (isEnabled(key) && (await countsHere(one, cwd, files.projects))) {
      const market = await marketOf(files, at > 0 ? key.slice(at + 1) : '', name);
      let folder = await files.realPath(resolve(home, one['installPath']));
      if (folder !== undefined && !isInside(folder, home)) {
        files.note(list, `${shown}: lies outside the folder of plugins, so it is not read`);
        continue;
      }
      folder ??= await market?.folder();
      if (folder === undefined) {
        files.note(list, `${shown}: its folder is not there`);
        continue;
      }
      const manifest = await files.object(join(folder, '.claude-plugin', 'plugin.json'), folder);
      const entry = market?.entry ?? entryOf(await files.object(join(folder, MARKETPLACE), folder), name);
      const listed = pathsIn(entry?.['skills']);
      const isWhole = entry?.['strict'] === false && listed.length > 0;
      if (!isWhole) await files.addFolders(folder, ['skills'], name, shown, true);
      await files.addFolders(folder, isWhole ? listed : [...listed, ...pathsIn(manifest?.['skills'])], name, shown);
    }
  }
}

/** Whether a plugin is meant for everything, or for the project of the working folder. */
async function countsHere({ scope, projectPath }: JsonObject, cwd: string, projects: Set<string>): Promise<boolean> {
  if (scope !== 'project' && scope !== 'local') return true;
  if (typeof projectPath !== 'string' || !isAbsolute(projectPath) || projectPath.includes('\0')) return false;
  const real = await realpath(projectPath).catch(() => resolve(projectPath));
  if (!isInside(cwd, real)) return false;
  projects.add(real);
  return true;
}

const MARKETPLACE = join('.claude-plugin', 'marketplace.json');

/** What a marketplace says of a plugin, and the folder that the plugin has in the copy of the marketplace. */
async function marketOf(files: PluginFiles, marketplace: string, name: string) {
  if (!/^(?!\.+$)[^/\\:\0]+$/.test(marketplace)) return undefined;
  const copy = join(files.home, 'marketplaces', marketplace);
  const market = await files.object(join(copy, MARKETPLACE), files.home);
  const entry = entryOf(market, name);
  const folder = async (): Promise<string | undefined> => {
    const base = await files.realPath(copy);
    const { source } = entry ?? {};
    if (base === undefined || typeof source !== 'string') return undefined;
    const root = isObject(market?.['metadata']) ? market['metadata']['pluginRoot'] : undefined;
    const real = await files.realPath(join(base, typeof root === 'string' ? root : '', source));
    return real !== undefined && isInside(real, base) ? real : undefined;
  };
  return { entry, folder };
}

function entryOf(marketplace: JsonObject | undefined, name: string): JsonObject | undefined {
  const plugins: unknown = marketplace?.['plugins'];
  return Array.isArray(plugins) ? plugins.filter(isObject).find((entry) => entry['name'] === name) : undefined;
}

const CODEX_MANIFESTS = ['.codex-plugin/plugin.json', '.claude-plugin/plugin.json', 'plugin.json'];

/** `name@marketplace`, in the characters that Codex takes. */
const CODEX_KEY = /^(?<name>[A-Za-z0-9_-]+)@(?<marketplace>[A-Za-z0-9_-]+)$/;

/**
 * Plugins of Codex: those that a table `[plugins."name@marketplace"]` of `config.toml` names and does not disable. They
 * lie in `plugins/cache/MARKETPLACE/NAME/VERSION`, and have `skills/` and what their `plugin.json` lists.
 *
 * Sources: https://developers.openai.com/codex/plugins/build and `codex-rs/core-plugins/src/store.rs` of openai/codex.
 */
async function readCodexPlugins(files: PluginFiles, { own }: PluginPlace): Promise<void> {
  const { parseToml } = await import('../../core/toml.js');
  const config = await files.object(join(own, 'config.toml'), undefined, false, parseToml, 'not TOML');
  const plugins = isObject(config?.['plugins']) ? config['plugins'] : {};
  for (const [key, value] of Object.entries(plugins).slice(0, MAX_PLUGINS)) {
    const { name, marketplace } = CODEX_KEY.exec(key)?.groups ?? {};
    if (name === undefined || marketplace === undefined || (isObject(value) && value['enabled'] === false)) continue;
    const versions = join(files.home, marketplace, name);
    const version = activeVersion(await files.foldersIn(versions));
    const folder = version === undefined ? undefined : await files.realPath(join(versions, version));
    if (folder === undefined || !isInside(folder, files.home)) continue;
    // The agent calls its skills by the name in the manifest.
    const { plugin, listed } = await files.manifest(folder, CODEX_MANIFESTS, name);
    await files.addFolders(folder, ['skills'], plugin, key, true);
    await files.addFolders(folder, listed, plugin, key);
  }
}

/** Codex takes `local` before any number, else the greatest. */
function activeVersion(names: readonly string[]): string | undefined {
  const versions = names.filter((name) => /^(?!\.{1,2}$)[A-Za-z0-9._+-]+$/.test(name));
  if (versions.includes('local')) return 'local';
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

/** In the order in which the agent looks for them. */
const COPILOT_MANIFESTS = [
  '.plugin/plugin.json',
  'plugin.json',
  '.github/plugin/plugin.json',
  '.claude-plugin/plugin.json',
];

/**
 * Plugins of GitHub Copilot CLI, in `installed-plugins/MARKETPLACE/NAME`, or in `_direct/NAME` if they come from no
 * marketplace: what their manifest lists, else `skills/`. `enabledPlugins` of settings may disable one.
 *
 * Sources: https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-plugin-reference and
 * https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
 */
async function readCopilotPlugins(files: PluginFiles, { own, levels }: PluginPlace): Promise<void> {
  const isEnabled = await enabledPlugins(files, [
    ...levels.map((level) => [join(level, '.github', 'copilot', 'settings.json'), level] as const),
    [join(own, 'settings.json')],
  ]);
  for (const marketplace of await files.foldersIn(files.home)) {
    for (const name of await files.foldersIn(join(files.home, marketplace))) {
      const key = marketplace === '_direct' ? name : `${name}@${marketplace}`;
      if (!isEnabled(key)) continue;
      const folder = join(files.home, marketplace, name);
      const { plugin, listed } = await files.manifest(folder, COPILOT_MANIFESTS, name);
      const isUsual = listed.length === 0;
      await files.addFolders(folder, isUsual ? ['skills'] : listed, plugin, toOneLine(key), isUsual);
    }
  }
}

/**
 * Extensions of Gemini CLI: `extensions/NAME/skills` in its own folder, of those with a `gemini-extension.json` that
 * are enabled in the working folder. An extension that was linked lies where somebody works on it: it is not read.
 *
 * Sources: https://geminicli.com/docs/cli/skills, https://geminicli.com/docs/extensions/reference, and of the rules of
 * `extension-enablement.json` `packages/cli/src/config/extensions/extensionEnablement.ts` of google-gemini/gemini-cli.
 */
async function readGeminiExtensions(files: PluginFiles, { cwd }: PluginPlace): Promise<void> {
  const enablement = await files.object(join(files.home, 'extension-enablement.json'), files.home);
  for (const folderName of await files.foldersIn(files.home)) {
    const folder = join(files.home, folderName);
    const name = (await files.object(join(folder, 'gemini-extension.json'), folder))?.['name'];
    const installed = await files.object(join(folder, '.gemini-extension-install.json'), folder);
    if (installed?.['type'] === 'link') files.note(folder, 'linked to another folder, so it is not read');
    else if (typeof name === 'string' && isEnabledIn(cwd, enablement?.[name])) {
      await files.addFolders(folder, ['skills'], pluginName(name), toOneLine(name), true);
    }
  }
}

/** The last rule that fits the folder decides: `!` disables, `*` at the end means what is below, too. */
function isEnabledIn(cwd: string, extension: unknown): boolean {
  const rules = isObject(extension) && Array.isArray(extension['overrides']) ? extension['overrides'] : [];
  const path = `/${cwd}/`.replaceAll('\\', '/').replace(/\/+/g, '/');
  const fits = (rule: unknown): rule is string => {
    if (typeof rule !== 'string') return false;
    const place = rule.replace(/^!/, '');
    return place.endsWith('*') ? path.startsWith(place.slice(0, -1)) : path === place;
  };
  return rules.findLast(fits)?.startsWith('!') !== true;
}

/**
 * Reads `enabledPlugins` of settings: `{"name@marketplace": false}` disables a plugin. One that no file names is
 * enabled, because it is installed.
 *
 * @param settings the ones that win first, each with the folder that it must lie in
 * @returns whether a plugin is enabled
 */
async function enabledPlugins(
  files: PluginFiles,
  settings: readonly (readonly [path: string, bound?: string])[],
): Promise<(key: string) => boolean> {
  const found = new Map<string, unknown>();
  for (const [path, bound] of settings) {
    const enabled = (await files.object(path, bound))?.['enabledPlugins'];
    for (const [key, value] of Object.entries(isObject(enabled) ? enabled : {})) {
      if (!found.has(key)) found.set(key, value);
    }
  }
  return (key) => found.get(key) !== false;
}

/** The paths that a field has: one text, or a list of texts. */
function pathsIn(value: unknown): string[] {
  return [value].flat().filter((path) => typeof path === 'string' && path !== '') as string[];
}

/** The name of a plugin as others wrote it. */
function pluginName(name: string): string {
  return cutCodePoints(withoutControls(name), MAX_NAME);
}

/** An object of JSON. Nothing in it has been checked. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the files of plugins, which others wrote, and collects the folders with skills and what is wrong. */
class PluginFiles {
  /** Folders with skills of a plugin, or of one skill: real paths. */
  readonly folders: { readonly path: string; readonly plugin: string }[] = [];
  /** Real paths of the folders of projects that plugins are meant for, of those that count here. */
  readonly projects: Set<string> = new Set();
  readonly problems: AgentProblem[] = [];
  /** Real path of the folder of all plugins. */
  readonly home: string;
  readonly #objects = new Map<string, Promise<JsonObject | undefined>>();

  constructor(home: string) {
    this.home = home;
  }

  /**
   * The object that a file has; undefined, and a problem, if it has something else. Plugins may share a file.
   *
   * @param bound real path of the folder that the file must lie in; undefined for what the user wrote
   */
  object(
    path: string,
    bound: string | undefined,
    hidesSkills = false,
    parse: (text: string) => unknown = JSON.parse,
    fault = 'not an object of JSON',
  ): Promise<JsonObject | undefined> {
    const wrong = (message: string): undefined => void this.note(path, message, hidesSkills);
    return madeOnce(this.#objects, path, async () => {
      try {
        const real = await realpath(path);
        if (bound !== undefined && !isInside(real, bound)) return wrong('a link that leads out of its folder');
        const file = await readTextFile(real, { force: true, limit: MAX_PLUGIN_LIST_BYTES });
        if (typeof file === 'string') return wrong('not a regular file');
        if (file.cut) return wrong(`over ${MAX_PLUGIN_LIST_BYTES / 1024 / 1024} MiB`);
        const value = orUndefined(() => parse(file.text));
        return isObject(value) ? value : wrong(fault);
      } catch (error) {
        return isMissing(error) ? undefined : wrong(`cannot be read: ${systemReason(error)}`);
      }
    });
  }

  /** What the first manifest that is there says of a plugin: its name, and its folders with skills. */
  async manifest(
    folder: string,
    paths: readonly string[],
    name: string,
  ): Promise<{ plugin: string; listed: string[] }> {
    let found: JsonObject | undefined;
    for (const path of paths) found ??= await this.object(join(folder, path), folder);
    const given = found?.['name'];
    const plugin = pluginName(typeof given === 'string' && given.trim() !== '' ? given : name);
    return { plugin, listed: pathsIn(found?.['skills']) };
  }

  /** @returns undefined if nothing is there */
  async realPath(path: string): Promise<string | undefined> {
    if (path.includes('\0')) return undefined;
    return realpath(path).catch((error) => this.#unreadable(path, error));
  }

  /** Names of the folders in a folder, in order; links are none. Empty if it is not there. */
  async foldersIn(path: string): Promise<readonly string[]> {
    const entries =
      (await readdir(path, { withFileTypes: true }).catch((error) => this.#unreadable(path, error))) ?? [];
    const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
    if (names.length > MAX_PLUGINS) this.note(path, `more than ${MAX_PLUGINS} plugins; the rest is left out`, true);
    return names.slice(0, MAX_PLUGINS);
  }

  #unreadable(path: string, error: unknown): undefined {
    if (!isMissing(error)) this.note(path, `cannot be read: ${systemReason(error)}`, true);
  }

  /**
   * Adds folders with skills of a plugin.
   *
   * @param folder real path of the plugin's folder, which nothing leads out of
   * @param key what the plugin is called in problems
   * @param isUsual whether the folders need not be there
   */
  async addFolders(
    folder: string,
    paths: readonly string[],
    plugin: string,
    key: string,
    isUsual = false,
  ): Promise<void> {
    for (const path of paths.slice(0, MAX_PLUGINS)) {
      const real = await this.realPath(join(folder, path));
      // One of control characters only would not be seen.
      const shown = toOneLine(path) || JSON.stringify(path);
      if (real === undefined) {
        if (!isUsual) this.note(folder, `${key}: ${shown} is not there`);
      } else if (!isInside(real, folder)) {
        this.note(folder, `${key}: ${shown} leads out of the plugin's folder, so it is not read`);
      } else if (!this.folders.some((one) => one.path === real && one.plugin === plugin)) {
        this.folders.push({ path: real, plugin });
      }
    }
  }

  note(path: string, message: string, hidesSkills = false): void {
    if (this.problems.length >= MAX_PLUGINS) return;
    this.problems.push({ path, message, ...(hidesSkills && { hidesSkills: true as const }) });
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
