import { isObject } from '../../core/index.js';
import type { PluginFiles } from './plugin-files.js';

/** A file of settings. */
export interface SettingsFile {
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
export async function enabledPlugins(
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
