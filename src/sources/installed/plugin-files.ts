import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, MAX_NAME } from '../../core/index.js';
import { reasonOf } from '../folder/list-folder.js';
import { cutCodePoints, toOneLine, withoutControls } from '../rows/clean-text.js';
import type { AgentProblem } from './agent-problem.js';
import type { PluginFolder } from './plugins.js';
import { type JsonObject, readJson } from './read-json.js';

/** Plugins that are looked at, and folders with skills that a plugin names. Each may cost some files. */
export const MAX_PLUGINS = 1000;

/** Reads the files of plugins, which others wrote, and collects the folders with skills and what is wrong. */
export class PluginFiles {
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
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.note(path, `cannot be read: ${reasonOf(error)}`, true);
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
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.note(path, `cannot be read: ${reasonOf(error)}`, true);
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
export function pathsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((path) => typeof path === 'string' && path !== '');
}

/** The name of a plugin as others wrote it. */
export function pluginName(name: string): string {
  return cutCodePoints(withoutControls(name), MAX_NAME);
}
