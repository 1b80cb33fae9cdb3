import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isInside, isObject, MAX_NAME } from '../../core/index.js';
import { readTextFile } from '../folder/read-file.js';
import { cutCodePoints, isBlank, systemReason, toOneLine, withoutControls } from '../rows/texts.js';
import type { AgentProblem } from './agents.js';

/** A folder with skills of a plugin, or of one skill. */
interface PluginFolder {
  /** Absolute and real. */
  readonly path: string;
  /** Name of the plugin, or of the extension. */
  readonly plugin: string;
}

/** What an agent's plugins bring. */
export interface Plugins {
  readonly folders: readonly PluginFolder[];
  /** Real paths of the folders of projects that plugins are meant for, of those that count here. */
  readonly projects: readonly string[];
  readonly problems: readonly AgentProblem[];
}

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

/**
 * The folders with skills of the plugins of Claude Code that are installed and not disabled, by
 * `plugins/installed_plugins.json` (versions 1 and 2) in the agent's own folder. A plugin of a project counts in that
 * project only.
 *
 * Where a plugin's skills lie is said by the plugin (`.claude-plugin/plugin.json`) and by the marketplace that it came
 * from (`.claude-plugin/marketplace.json`): usually `skills/`, and what these two list. If the marketplace says
 * `strict: false` and lists skills, the plugin has those alone. Others wrote these files: nothing in them leads out of
 * the plugin's folder, and no plugin lies outside `plugins/`.
 *
 * `enabledPlugins` of settings says which are disabled: those of the machine, then of the project, then of the user.
 * Skills of a disabled plugin are none that the agent has.
 *
 * Sources: https://code.claude.com/docs/en/plugins-reference, https://code.claude.com/docs/en/settings
 */
export async function claudePlugins(place: PluginPlace): Promise<Plugins> {
  const home = await realpath(join(place.own, 'plugins')).catch(() => undefined);
  return home === undefined ? { folders: [], projects: [], problems: [] } : new PluginReader(home, place).read();
}

/** One installation of a plugin. */
interface Installed {
  /** `name@marketplace`. */
  readonly key: string;
  readonly name: string;
  readonly marketplace: string;
  readonly value: JsonObject;
}

class PluginReader {
  /** Real path of the folder of all plugins. */
  readonly #home: string;
  readonly #place: PluginPlace;
  readonly #list: string;
  readonly #files = new PluginFiles();
  readonly #projects = new Set<string>();

  constructor(home: string, place: PluginPlace) {
    this.#home = home;
    this.#place = place;
    this.#list = join(home, 'installed_plugins.json');
  }

  async read(): Promise<Plugins> {
    const list = await this.#files.object(this.#list, this.#home, true);
    if (list !== undefined) {
      if (isObject(list['plugins'])) await this.#readAll(list['plugins']);
      else this.#files.note(this.#list, 'has no object `plugins`');
    }
    const { folders, problems } = this.#files;
    return { folders, projects: [...this.#projects], problems };
  }

  async #readAll(plugins: JsonObject): Promise<void> {
    const all = Object.entries(plugins).flatMap(([key, value]) =>
      // Version 1 has one installation of each plugin, version 2 a list of them.
      (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ key, one })),
    );
    if (all.length > MAX_PLUGINS)
      this.#files.note(this.#list, `more than ${MAX_PLUGINS} plugins; the rest is left out`, true);
    const isEnabled = await enabledPlugins(this.#files, this.#settings());
    for (const { key, one } of all.slice(0, MAX_PLUGINS)) {
      const at = key.lastIndexOf('@');
      const name = pluginName(at > 0 ? key.slice(0, at) : key);
      const isUsable = isObject(one) && typeof one['installPath'] === 'string' && !isBlank(name);
      if (!isUsable) {
        this.#files.note(this.#list, `${toOneLine(key)}: not a plugin with an installPath`);
        continue;
      }
      if (!isEnabled(key)) continue;
      const marketplace = at > 0 ? key.slice(at + 1) : '';
      if (await this.#countsHere(one)) await this.#readPlugin({ key: toOneLine(key), name, marketplace, value: one });
    }
  }

  /** The settings that name plugins, the ones that win first. */
  #settings(): readonly SettingsFile[] {
    const { own, system, levels } = this.#place;
    const inProject = (level: string): SettingsFile[] =>
      ['settings.local.json', 'settings.json'].map((name) => ({ path: join(level, '.claude', name), bound: level }));
    return [
      // The managed folder has `.claude/skills` in it, and the settings beside.
      ...system.map((skills) => ({ path: join(skills, '..', '..', 'managed-settings.json'), bound: undefined })),
      ...levels.flatMap(inProject),
      { path: join(own, 'settings.json'), bound: undefined },
    ];
  }

  /** Whether a plugin is meant for everything, or for the project of the working folder. */
  async #countsHere({ scope, projectPath }: JsonObject): Promise<boolean> {
    if (scope !== 'project' && scope !== 'local') return true;
    if (typeof projectPath !== 'string' || !isAbsolute(projectPath) || projectPath.includes('\0')) return false;
    const real = await realpath(projectPath).catch(() => resolve(projectPath));
    const counts = isInside(this.#place.cwd, real);
    if (counts) this.#projects.add(real);
    return counts;
  }

  async #readPlugin({ key, name, marketplace, value }: Installed): Promise<void> {
    const entry = await this.#entryOf(name, marketplace);
    const given = resolve(this.#home, String(value['installPath']));
    const folder = await this.#pluginFolder(given, marketplace, entry, key);
    if (folder === undefined) return;
    const manifest = await this.#files.object(join(folder, '.claude-plugin', 'plugin.json'), folder);
    const entryHere = entry ?? findEntry(await this.#files.object(marketplaceFile(folder), folder), name);
    const listed = pathsIn(entryHere?.['skills']);
    const isWhole = entryHere?.['strict'] === false && listed.length > 0;
    const paths = isWhole ? listed : [...listed, ...pathsIn(manifest?.['skills'])];
    if (!isWhole) await this.#files.addFolders(folder, ['skills'], name, key, true);
    await this.#files.addFolders(folder, paths, name, key);
  }

  /** Real path of a plugin's folder, which must lie among the plugins. */
  async #pluginFolder(
    given: string,
    marketplace: string,
    entry: JsonObject | undefined,
    key: string,
  ): Promise<string | undefined> {
    const real = await this.#files.realPath(given);
    if (real !== undefined && isInside(real, this.#home)) return real;
    if (real !== undefined) {
      this.#files.note(this.#list, `${key}: lies outside the folder of plugins, so it is not read`);
      return undefined;
    }
    const inMarketplace = await this.#folderInMarketplace(marketplace, entry);
    if (inMarketplace === undefined) this.#files.note(this.#list, `${key}: its folder is not there`);
    return inMarketplace;
  }

  /** Where a plugin lies in the copy of its marketplace, if that has it. */
  async #folderInMarketplace(marketplace: string, entry: JsonObject | undefined): Promise<string | undefined> {
    const source = entry?.['source'];
    if (typeof source !== 'string') return undefined;
    const folder = this.#marketplaceFolder(marketplace);
    const base = folder === undefined ? undefined : await this.#files.realPath(folder);
    if (base === undefined) return undefined;
    const { metadata } = (await this.#marketplace(marketplace)) ?? {};
    const root = isObject(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : '';
    const real = await this.#files.realPath(join(base, root, source));
    return real !== undefined && isInside(real, base) ? real : undefined;
  }

  async #entryOf(name: string, marketplace: string): Promise<JsonObject | undefined> {
    return findEntry(await this.#marketplace(marketplace), name);
  }

  async #marketplace(name: string): Promise<JsonObject | undefined> {
    const folder = this.#marketplaceFolder(name);
    return folder === undefined ? undefined : this.#files.object(marketplaceFile(folder), this.#home);
  }

  #marketplaceFolder(name: string): string | undefined {
    return /^(?!\.+$)[^/\\:\0]+$/.test(name) ? join(this.#home, 'marketplaces', name) : undefined;
  }
}

function marketplaceFile(folder: string): string {
  return join(folder, '.claude-plugin', 'marketplace.json');
}

/** What a marketplace says of a plugin. */
function findEntry(marketplace: JsonObject | undefined, name: string): JsonObject | undefined {
  const plugins: unknown = marketplace?.['plugins'];
  if (!Array.isArray(plugins)) return undefined;
  return plugins.filter(isObject).find((entry) => entry['name'] === name);
}

const CODEX_MANIFESTS = ['.codex-plugin/plugin.json', '.claude-plugin/plugin.json', 'plugin.json'];

/** `name@marketplace`, in the characters that Codex takes. */
const KEY = /^(?<name>[A-Za-z0-9_-]+)@(?<marketplace>[A-Za-z0-9_-]+)$/;

/**
 * The folders with skills of the plugins of Codex: those that a table `[plugins."name@marketplace"]` of `config.toml`
 * names and does not disable. They lie in `plugins/cache/MARKETPLACE/NAME/VERSION`, and have `skills/` and what their
 * `plugin.json` lists.
 *
 * Sources: https://developers.openai.com/codex/plugins/build and `codex-rs/core-plugins/src/store.rs` of openai/codex.
 */
export async function codexPlugins({ own }: PluginPlace): Promise<Plugins> {
  const files = new PluginFiles();
  const cache = await realpath(join(own, 'plugins', 'cache')).catch(() => undefined);
  if (cache === undefined) return { folders: [], projects: [], problems: [] };
  const plugins = await configuredPlugins(join(own, 'config.toml'), files);
  for (const [key, value] of Object.entries(plugins).slice(0, MAX_PLUGINS)) {
    const { name, marketplace } = KEY.exec(key)?.groups ?? {};
    if (name === undefined || marketplace === undefined || (isObject(value) && value['enabled'] === false)) continue;
    const versions = join(cache, marketplace, name);
    const version = activeVersion(await files.foldersIn(versions));
    const folder = version === undefined ? undefined : await files.realPath(join(versions, version));
    if (folder === undefined || !isInside(folder, cache)) continue;
    const manifest = await files.firstObject(folder, CODEX_MANIFESTS);
    const given = manifest?.['name'];
    // The agent calls its skills by the name in there.
    const plugin = pluginName(typeof given === 'string' && given.trim() !== '' ? given : name);
    await files.addFolders(folder, ['skills'], plugin, key, true);
    await files.addFolders(folder, pathsIn(manifest?.['skills']), plugin, key);
  }
  return { folders: files.folders, projects: [], problems: files.problems };
}

/** What the configuration says of plugins, by their keys. */
async function configuredPlugins(path: string, files: PluginFiles): Promise<JsonObject> {
  try {
    const file = await readTextFile(path, { force: true, limit: MAX_PLUGIN_LIST_BYTES });
    if (file.kind !== 'text' || file.cut) {
      files.note(path, 'not a regular file of a usual size');
      return {};
    }
    const config = await parsed(file.text);
    if (config === undefined) files.note(path, 'not TOML');
    return isObject(config) && isObject(config['plugins']) ? config['plugins'] : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') files.note(path, `cannot be read: ${systemReason(error)}`);
    return {};
  }
}

/** @returns undefined if the text is no TOML */
async function parsed(text: string): Promise<unknown> {
  const { parseToml, TomlError } = await import('../../core/toml.js');
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return undefined;
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

/** What was installed from no marketplace. */
const DIRECT = '_direct';

/**
 * The folders with skills of the plugins of GitHub Copilot CLI, in `installed-plugins/MARKETPLACE/NAME`: what their
 * manifest lists, else `skills/`. `enabledPlugins` of the settings of the project and of the user may disable one.
 *
 * Sources: https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-plugin-reference and
 * https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
 */
export async function copilotPlugins({ own, levels }: PluginPlace): Promise<Plugins> {
  const files = new PluginFiles();
  const home = await realpath(join(own, 'installed-plugins')).catch(() => undefined);
  if (home === undefined) return { folders: [], projects: [], problems: [] };
  const isEnabled = await enabledPlugins(files, [
    ...levels.map((level) => ({ path: join(level, '.github', 'copilot', 'settings.json'), bound: level })),
    { path: join(own, 'settings.json'), bound: undefined },
  ]);
  for (const marketplace of await files.foldersIn(home)) {
    for (const name of await files.foldersIn(join(home, marketplace))) {
      const key = marketplace === DIRECT ? name : `${name}@${marketplace}`;
      if (!isEnabled(key)) continue;
      const folder = join(home, marketplace, name);
      const manifest = await files.firstObject(folder, COPILOT_MANIFESTS);
      const given = manifest?.['name'];
      const plugin = pluginName(typeof given === 'string' && given.trim() !== '' ? given : name);
      const listed = pathsIn(manifest?.['skills']);
      await files.addFolders(
        folder,
        listed.length > 0 ? listed : ['skills'],
        plugin,
        toOneLine(key),
        listed.length === 0,
      );
    }
  }
  return { folders: files.folders, projects: [], problems: files.problems };
}

/**
 * The folders with skills of the extensions of Gemini CLI: `extensions/NAME/skills` in its own folder, of those with a
 * `gemini-extension.json` that are enabled in the working folder. An extension that was linked lies where somebody
 * works on it; that folder is not read.
 *
 * Sources: https://geminicli.com/docs/cli/skills, https://geminicli.com/docs/extensions/reference, and of the rules of
 * `extension-enablement.json` `packages/cli/src/config/extensions/extensionEnablement.ts` of google-gemini/gemini-cli.
 */
export async function geminiExtensions({ own, cwd }: PluginPlace): Promise<Plugins> {
  const files = new PluginFiles();
  const home = await realpath(join(own, 'extensions')).catch(() => undefined);
  if (home === undefined) return { folders: [], projects: [], problems: [] };
  const enablement = await files.object(join(home, 'extension-enablement.json'), home);
  for (const folderName of await files.foldersIn(home)) {
    const folder = join(home, folderName);
    const manifest = await files.object(join(folder, 'gemini-extension.json'), folder);
    const name = manifest?.['name'];
    const installed = await files.object(join(folder, '.gemini-extension-install.json'), folder);
    if (installed?.['type'] === 'link') files.note(folder, 'linked to another folder, so it is not read');
    else if (typeof name === 'string' && isEnabled(enablement?.[name], cwd)) {
      await files.addFolders(folder, ['skills'], pluginName(name), toOneLine(name), true);
    }
  }
  return { folders: files.folders, projects: [], problems: files.problems };
}

/** The last rule that fits the folder decides: `!` disables, `*` at the end means what is below, too. */
function isEnabled(extension: unknown, cwd: string): boolean {
  const rules = isObject(extension) && Array.isArray(extension['overrides']) ? extension['overrides'] : [];
  const path = withSlashes(cwd);
  const fits = (rule: unknown): rule is string => {
    if (typeof rule !== 'string') return false;
    const place = rule.replace(/^!/, '');
    return place.endsWith('*') ? path.startsWith(place.slice(0, -1)) : path === place;
  };
  return rules.findLast(fits)?.startsWith('!') !== true;
}

function withSlashes(path: string): string {
  return `/${path}/`.replaceAll('\\', '/').replace(/\/+/g, '/');
}

/** A file of settings. */
interface SettingsFile {
  readonly path: string;
  /** Real path of the folder that it must lie in; undefined for what the user wrote, or who manages the machine. */
  readonly bound: string | undefined;
}

/**
 * Reads `enabledPlugins` of settings: `{"name@marketplace": false}` disables a plugin. One that no file names is
 * enabled, because it is installed.
 *
 * @param settings the ones that win first
 * @returns whether a plugin is enabled
 */
async function enabledPlugins(
  files: PluginFiles,
  settings: readonly SettingsFile[],
): Promise<(key: string) => boolean> {
  const said = new Map<string, unknown>();
  for (const { path, bound } of settings) {
    const enabled = (await files.object(path, bound))?.['enabledPlugins'];
    if (!isObject(enabled)) continue;
    for (const [key, value] of Object.entries(enabled)) if (!said.has(key)) said.set(key, value);
  }
  return (key) => said.get(key) !== false;
}

/** Plugins that are looked at, and folders with skills that a plugin names. Each may cost some files. */
const MAX_PLUGINS = 1000;

/** Reads the files of plugins, which others wrote, and collects the folders with skills and what is wrong. */
class PluginFiles {
  readonly folders: PluginFolder[] = [];
  readonly problems: AgentProblem[] = [];
  readonly #objects = new Map<string, Promise<JsonObject | undefined>>();

  /**
   * An object of JSON; undefined, and a problem, if the file has something else. Plugins may share a file.
   *
   * @param bound real path of the folder that the file must lie in; undefined for what the user wrote
   */
  object(path: string, bound: string | undefined, hidesSkills = false): Promise<JsonObject | undefined> {
    const known = this.#objects.get(path) ?? this.#readObject(path, bound, hidesSkills);
    this.#objects.set(path, known);
    return known;
  }

  /** The first of several files that is there. */
  async firstObject(folder: string, paths: readonly string[]): Promise<JsonObject | undefined> {
    for (const path of paths) {
      const found = await this.object(join(folder, path), folder);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** @returns undefined if nothing is there */
  async realPath(path: string): Promise<string | undefined> {
    if (path.includes('\0')) return undefined;
    try {
      return await realpath(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.note(path, `cannot be read: ${systemReason(error)}`, true);
      return undefined;
    }
  }

  /** Names of the folders in a folder, in order; links are none. Empty if it is not there. */
  async foldersIn(path: string): Promise<readonly string[]> {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
      if (names.length > MAX_PLUGINS) this.note(path, `more than ${MAX_PLUGINS} plugins; the rest is left out`, true);
      return names.slice(0, MAX_PLUGINS);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.note(path, `cannot be read: ${systemReason(error)}`, true);
      return [];
    }
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
    if (this.problems.length < MAX_PLUGINS) {
      this.problems.push({ path, message, ...(hidesSkills && { hidesSkills: true as const }) });
    }
  }

  async #readObject(path: string, bound: string | undefined, hidesSkills: boolean): Promise<JsonObject | undefined> {
    const file = await readJson(path, bound);
    if (file.kind === 'fault') this.note(path, file.reason, hidesSkills);
    return file.kind === 'object' ? file.value : undefined;
  }
}

/** The paths that a field has: one text, or a list of texts. */
function pathsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((path) => typeof path === 'string' && path !== '');
}

/** The name of a plugin as others wrote it. */
function pluginName(name: string): string {
  return cutCodePoints(withoutControls(name), MAX_NAME);
}

/** Largest file of an agent that says which plugins there are, in bytes. A marketplace of thousands has one. */
const MAX_PLUGIN_LIST_BYTES: number = 4 * 1024 * 1024;

/** An object of JSON. Nothing in it has been checked. */
type JsonObject = Readonly<Record<string, unknown>>;

/** What a file of JSON has. */
type JsonFile =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'missing' }
  /** `reason` says why it was not read; it names nothing of what is in the file. */
  | { readonly kind: 'fault'; readonly reason: string };

/**
 * Reads a file that should be an object of JSON. Never throws, whatever is in the file.
 *
 * @param bound real path of the folder that the file must lie in, links followed; undefined for any place
 */
async function readJson(path: string, bound: string | undefined): Promise<JsonFile> {
  try {
    const real = await realpath(path);
    if (bound !== undefined && !isInside(real, bound))
      return { kind: 'fault', reason: 'a link that leads out of its folder' };
    const file = await readTextFile(real, { force: true, limit: MAX_PLUGIN_LIST_BYTES });
    if (file.kind !== 'text') return { kind: 'fault', reason: 'not a regular file' };
    if (file.cut) return { kind: 'fault', reason: `over ${MAX_PLUGIN_LIST_BYTES / 1024 / 1024} MiB` };
    const value = parse(file.text);
    return isObject(value) ? { kind: 'object', value } : { kind: 'fault', reason: 'not an object of JSON' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'fault', reason: `cannot be read: ${systemReason(error)}` };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
