import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, isObject } from '../../core/index.js';
import { reasonOf } from '../folder/list-folder.js';
import { readTextFile } from '../folder/text-file.js';
import { MAX_PLUGINS, PluginFiles, pathsIn, pluginName } from './plugin-files.js';
import type { PluginPlace, Plugins } from './plugins.js';
import type { JsonObject } from './read-json.js';
import { MAX_PLUGIN_LIST_BYTES } from './read-json.js';

const MANIFESTS = ['.codex-plugin/plugin.json', '.claude-plugin/plugin.json', 'plugin.json'];

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
    const manifest = await files.firstObject(folder, MANIFESTS);
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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') files.note(path, `cannot be read: ${reasonOf(error)}`);
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
