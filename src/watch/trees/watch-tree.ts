import { watchFolders } from './folder-watches.js';
import { watchRecursively } from './recursive-watch.js';
import type { WatchTree } from './tree-watch.js';

/** Watches a tree in the way that suits the system. */
export const watchTree: WatchTree =
  process.platform === 'darwin' || process.platform === 'win32' ? watchRecursively : watchFolders;
