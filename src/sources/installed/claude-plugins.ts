import { realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isInside, isObject } from '../../core/index.js';
import { isBlank, toOneLine } from '../rows/clean-text.js';
import { enabledPlugins, type SettingsFile } from './enabled-plugins.js';
import { MAX_PLUGINS, PluginFiles, pathsIn, pluginName } from './plugin-files.js';
import type { PluginPlace, Plugins } from './plugins.js';
import type { JsonObject } from './read-json.js';

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
