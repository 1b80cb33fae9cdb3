import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { compareCodePoints } from '../../core/index.js';
import { toOneLine } from '../rows/clean-text.js';

/** The entries of a folder, in code-point order of their names. */
export async function listFolder(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.sort((a, b) => compareCodePoints(a.name, b.name));
}

/** {@link listFolder}, that asks the system for each folder once. */
export function listOnce(): typeof listFolder {
  const listed = new Map<string, Promise<Dirent[]>>();
  return (path) => {
    const entries = listed.get(path) ?? listFolder(path);
    listed.set(path, entries);
    return entries;
  };
}

/** Whether a folder with this name is left out of every walk. */
export function isNeverEntered(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

/** What an error of the file system says, without the path, which may be private. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? toOneLine(String(message));
}
