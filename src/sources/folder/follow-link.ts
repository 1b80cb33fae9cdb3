import { realpath, stat } from 'node:fs/promises';
import { reasonOf } from './list-folder.js';
import { isInside, pathInside } from './source-paths.js';

/** Where a symbolic link leads, if it may be followed. */
export type LinkTarget =
  | { readonly kind: 'folder' | 'file' | 'other'; readonly realPath: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Follows a link, if it leads to something inside `realRoot`. Never throws. */
export async function followLink(link: string, realRoot: string): Promise<LinkTarget> {
  try {
    const target = await realpath(link);
    if (!isInside(target, realRoot)) return { kind: 'refused', reason: 'a link that leads outside the source' };
    if (pathInside(realRoot, target).split('/').includes('.git')) {
      return { kind: 'refused', reason: 'a link into a .git folder' };
    }
    const found = await stat(target);
    return { kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', realPath: target };
  } catch (error) {
    return { kind: 'refused', reason: brokenLink(error) };
  }
}

function brokenLink(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'a link that leads nowhere';
  if (code === 'ELOOP') return 'a link that leads in a circle';
  return `a link that cannot be followed: ${reasonOf(error)}`;
}
