import { realpath } from 'node:fs/promises';
import { isInside, isObject } from '../../core/index.js';
import { reasonOf } from '../folder/list-folder.js';
import { readTextFile } from '../folder/text-file.js';

/** Largest file of an agent that says which plugins there are, in bytes. A marketplace of thousands has one. */
export const MAX_PLUGIN_LIST_BYTES: number = 4 * 1024 * 1024;

/** An object of JSON. Nothing in it has been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a file of JSON has. */
export type JsonFile =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'missing' }
  /** `reason` says why it was not read; it names nothing of what is in the file. */
  | { readonly kind: 'fault'; readonly reason: string };

/**
 * Reads a file that should be an object of JSON. Never throws, whatever is in the file.
 *
 * @param bound real path of the folder that the file must lie in, links followed; undefined for any place
 */
export async function readJson(path: string, bound: string | undefined): Promise<JsonFile> {
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
    return { kind: 'fault', reason: `cannot be read: ${reasonOf(error)}` };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
