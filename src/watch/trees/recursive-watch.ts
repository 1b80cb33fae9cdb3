import { watch } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathInside } from '../../sources/index.js';
import { isWatchedPath } from './is-watched-inside.js';
import type { TreeListener, TreeWatch } from './tree-watch.js';

/**
 * Watches a tree by one watch: for macOS and Windows, which tell of everything below a folder.
 *
 * @throws the system's error if it refuses
 */
export async function watchRecursively(root: string, listener: TreeListener): Promise<TreeWatch> {
  let closed = false;
  const watcher = watch(root, { recursive: true }, (kind, name) => {
    // Without a name: there was too much to tell.
    if (name === null) listener.onLost();
    else void tell(kind, join(root, name));
  });
  const close = (): void => {
    closed = true;
    watcher.close();
  };
  watcher.on('error', (error) => {
    if (closed) return;
    close();
    listener.onEnd(error);
  });

  async function tell(kind: string, path: string): Promise<void> {
    if (!isWatchedPath(pathInside(root, path))) return;
    const found = await lstat(path).catch(() => undefined);
    if (closed) return;
    if (found?.isSymbolicLink() === true) listener.onLink();
    // Windows tells of a folder, too, when something in it changes.
    if (kind !== 'change' || found?.isDirectory() !== true) listener.onPath(path);
  }
  return { close };
}
