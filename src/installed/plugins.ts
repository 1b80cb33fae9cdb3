import { realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isObject } from '../is-object.js';
import { MAX_NAME, MAX_PLUGINS } from '../limits.js';
import { reasonOf } from '../sources/folder/list-folder.js';
import { isInside } from '../sources/folder/source-paths.js';
import { cutCodePoints, isBlank, toOneLine, withoutControls } from '../sources/rows/clean-text.js';
import type { AgentProblem } from './agent-problem.js';
import { type JsonObject, readJson } from './read-json.js';

/** A folder with skills of a plugin, or of one skill. */
interface PluginFolder {
  /** Absolute and real. */
  readonly path: string;
  /** Name of the plugin: the agent calls its skills `plugin:skill`. */
  readonly plugin: string;
}

/** What an agent's plugins bring. */
export interface Plugins {
  readonly folders: readonly PluginFolder[];
  /** Real paths of the folders of projects that plugins are meant for, of those that count here. */
  readonly projects: readonly string[];
  readonly problems: readonly AgentProblem[];
}

/**
 * The folders with skills of the plugins of Claude Code that are installed, by `plugins/installed_plugins.json`
 * (versions 1 and 2) in the agent's own folder. A plugin of a project counts in that project only.
 *
 * Where a plugin's skills lie is said by the plugin (`.claude-plugin/plugin.json`) and by the marketplace that it came
 * from (`.claude-plugin/marketplace.json`): usually `skills/`, and what these two list. If the marketplace says
 * `strict: false` and lists skills, the plugin has those alone. Others wrote these files: nothing in them leads out of
 * the plugin's folder, and no plugin lies outside `plugins/`.
 *
 * @param own the agent's own folder
 * @param cwd real path of the working folder
 */
export async function claudePlugins(own: string, cwd: string): Promise<Plugins> {
  const home = await realpath(join(own, 'plugins')).catch(() => undefined);
  return home === undefined ? { folders: [], projects: [], problems: [] } : new PluginReader(home, cwd).read();
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
  readonly #cwd: string;
  readonly #list: string;
  readonly #folders: PluginFolder[] = [];
  readonly #projects = new Set<string>();
  readonly #problems: AgentProblem[] = [];
  readonly #objects = new Map<string, Promise<JsonObject | undefined>>();

  constructor(home: string, cwd: string) {
    this.#home = home;
    this.#cwd = cwd;
    this.#list = join(home, 'installed_plugins.json');
  }

  async read(): Promise<Plugins> {
    const list = await this.#object(this.#list, this.#home, true);
    if (list !== undefined) {
      if (isObject(list['plugins'])) await this.#readAll(list['plugins']);
      else this.#note(this.#list, 'has no object `plugins`');
    }
    return { folders: this.#folders, projects: [...this.#projects], problems: this.#problems };
  }

  async #readAll(plugins: JsonObject): Promise<void> {
    const all = Object.entries(plugins).flatMap(([key, value]) =>
      // Version 1 has one installation of each plugin, version 2 a list of them.
      (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ key, one })),
    );
    if (all.length > MAX_PLUGINS)
      this.#note(this.#list, `more than ${MAX_PLUGINS} plugins; the rest is left out`, true);
    for (const { key, one } of all.slice(0, MAX_PLUGINS)) {
      const at = key.lastIndexOf('@');
      const name = cutCodePoints(withoutControls(at > 0 ? key.slice(0, at) : key), MAX_NAME);
      const isUsable = isObject(one) && typeof one['installPath'] === 'string' && !isBlank(name);
      if (!isUsable) {
        this.#note(this.#list, `${toOneLine(key)}: not a plugin with an installPath`);
        continue;
      }
      const marketplace = at > 0 ? key.slice(at + 1) : '';
      if (await this.#countsHere(one)) await this.#readPlugin({ key: toOneLine(key), name, marketplace, value: one });
    }
  }

  /** Whether a plugin is meant for everything, or for the project of the working folder. */
  async #countsHere({ scope, projectPath }: JsonObject): Promise<boolean> {
    if (scope !== 'project' && scope !== 'local') return true;
    if (typeof projectPath !== 'string' || !isAbsolute(projectPath) || projectPath.includes('\0')) return false;
    const real = await realpath(projectPath).catch(() => resolve(projectPath));
    const counts = isInside(this.#cwd, real);
    if (counts) this.#projects.add(real);
    return counts;
  }

  async #readPlugin({ key, name, marketplace, value }: Installed): Promise<void> {
    const entry = await this.#entryOf(name, marketplace);
    const given = resolve(this.#home, String(value['installPath']));
    const folder = await this.#pluginFolder(given, marketplace, entry, key);
    if (folder === undefined) return;
    const manifest = await this.#object(join(folder, '.claude-plugin', 'plugin.json'), folder);
    const entryHere = entry ?? findEntry(await this.#object(marketplaceFile(folder), folder), name);
    const listed = pathsIn(entryHere?.['skills']);
    const isWhole = entryHere?.['strict'] === false && listed.length > 0;
    const paths = isWhole ? listed : [...listed, ...pathsIn(manifest?.['skills'])];
    if (!isWhole) await this.#addFolder(folder, 'skills', name, key, true);
    for (const path of paths.slice(0, MAX_PLUGINS)) await this.#addFolder(folder, path, name, key, false);
  }

  /** Real path of a plugin's folder, which must lie among the plugins. */
  async #pluginFolder(
    given: string,
    marketplace: string,
    entry: JsonObject | undefined,
    key: string,
  ): Promise<string | undefined> {
    const real = await this.#realPath(given);
    if (real !== undefined && isInside(real, this.#home)) return real;
    if (real !== undefined) {
      this.#note(this.#list, `${key}: lies outside the folder of plugins, so it is not read`);
      return undefined;
    }
    const inMarketplace = await this.#folderInMarketplace(marketplace, entry);
    if (inMarketplace === undefined) this.#note(this.#list, `${key}: its folder is not there`);
    return inMarketplace;
  }

  /** Where a plugin lies in the copy of its marketplace, if that has it. */
  async #folderInMarketplace(marketplace: string, entry: JsonObject | undefined): Promise<string | undefined> {
    const source = entry?.['source'];
    if (typeof source !== 'string') return undefined;
    const folder = this.#marketplaceFolder(marketplace);
    const base = folder === undefined ? undefined : await this.#realPath(folder);
    if (base === undefined) return undefined;
    const { metadata } = (await this.#marketplace(marketplace)) ?? {};
    const root = isObject(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : '';
    const real = await this.#realPath(join(base, root, source));
    return real !== undefined && isInside(real, base) ? real : undefined;
  }

  async #entryOf(name: string, marketplace: string): Promise<JsonObject | undefined> {
    return findEntry(await this.#marketplace(marketplace), name);
  }

  async #marketplace(name: string): Promise<JsonObject | undefined> {
    const folder = this.#marketplaceFolder(name);
    return folder === undefined ? undefined : this.#object(marketplaceFile(folder), this.#home);
  }

  #marketplaceFolder(name: string): string | undefined {
    return /^(?!\.+$)[^/\\:\0]+$/.test(name) ? join(this.#home, 'marketplaces', name) : undefined;
  }

  async #addFolder(folder: string, path: string, plugin: string, key: string, isUsual: boolean): Promise<void> {
    const real = await this.#realPath(join(folder, path));
    // One of control characters only would not be seen.
    const shown = toOneLine(path) || JSON.stringify(path);
    if (real === undefined) {
      if (!isUsual) this.#note(folder, `${key}: ${shown} is not there`);
    } else if (!isInside(real, folder)) {
      this.#note(folder, `${key}: ${shown} leads out of the plugin's folder, so it is not read`);
    } else if (!this.#folders.some((one) => one.path === real && one.plugin === plugin)) {
      this.#folders.push({ path: real, plugin });
    }
  }

  /** @returns undefined if nothing is there */
  async #realPath(path: string): Promise<string | undefined> {
    if (path.includes('\0')) return undefined;
    try {
      return await realpath(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#note(path, `cannot be read: ${reasonOf(error)}`, true);
      return undefined;
    }
  }

  /** An object of JSON; undefined, and a problem, if the file has something else. Plugins may share a file. */
  #object(path: string, bound: string, hidesSkills = false): Promise<JsonObject | undefined> {
    const known = this.#objects.get(path) ?? this.#readObject(path, bound, hidesSkills);
    this.#objects.set(path, known);
    return known;
  }

  async #readObject(path: string, bound: string, hidesSkills: boolean): Promise<JsonObject | undefined> {
    const file = await readJson(path, bound);
    if (file.kind === 'fault') this.#note(path, file.reason, hidesSkills);
    return file.kind === 'object' ? file.value : undefined;
  }

  #note(path: string, message: string, hidesSkills = false): void {
    if (this.#problems.length < MAX_PLUGINS) {
      this.#problems.push({ path, message, ...(hidesSkills && { hidesSkills: true as const }) });
    }
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

function pathsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((path) => typeof path === 'string' && path !== '');
}
