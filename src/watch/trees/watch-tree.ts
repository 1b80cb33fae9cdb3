import { watchFolders } from './folder-watches.js';
import { watchRecursively } from './recursive-watch.js';
import type { WatchTree } from './tree-watch.js';

/** Whether {@link watchTree} tells of every link. A watch of a whole tree tells only of those that change. */
export const SEES_ALL_LINKS: boolean = process.platform !== 'darwin' && process.platform !== 'win32';

/** Watches a tree in the way that suits the system. */
export const watchTree: WatchTree = SEES_ALL_LINKS ? watchFolders : watchRecursively;
