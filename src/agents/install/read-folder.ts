import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CONTENT_BYTES, MAX_CONTENT_FILES } from '../../core/index.js';
import type { HashedFile } from './folder-hash.js';

/** Windows knows no executable files, so nothing there can differ by it. */
export const HAS_MODES: boolean = process.platform !== 'win32';

/** What lies in the place of a skill's folder. */
export type FoundFolder =
  | { readonly kind: 'missing' }
  /** Files and folders only, no more than a skill has. */
  | { readonly kind: 'files'; readonly files: readonly HashedFile[] }
  | { readonly kind: 'other'; readonly what: string };

/** Reads a folder with all of its files. Follows no links, and reads no more than a skill may have. */
export async function readFolder(path: string): Promise<FoundFolder> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found === undefined) return { kind: 'missing' };
  if (found.isSymbolicLink()) return { kind: 'other', what: 'a link' };
  if (!found.isDirectory()) return { kind: 'other', what: 'no folder' };
  const files: HashedFile[] = [];
  const what = await collect(path, '', files, { bytes: 0 });
  return what === undefined ? { kind: 'files', files } : { kind: 'other', what };
}

/** @returns what is there that no skill has; undefined if there is no such thing */
async function collect(
  root: string,
  folder: string,
  files: HashedFile[],
  total: { bytes: number },
): Promise<string | undefined> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const what = await collect(root, path, files, total);
      if (what !== undefined) return what;
      continue;
    }
    if (!entry.isFile()) return `a folder with something else than files in it, ${JSON.stringify(path)}`;
    const { size, mode } = await lstat(join(root, path));
    total.bytes += size;
    if (files.length >= MAX_CONTENT_FILES || total.bytes > MAX_CONTENT_BYTES) return 'a folder larger than any skill';
    files.push({ path, bytes: await readFile(join(root, path)), executable: HAS_MODES && (mode & 0o111) !== 0 });
  }
  return undefined;
}
