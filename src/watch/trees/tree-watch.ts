/** Told of what happens in a watched tree. */
export interface TreeListener {
  /** A file or folder changed, appeared or vanished. */
  onPath(path: string): void;
  /** Something was missed: anything may have changed. */
  onLost(): void;
  /** The tree is watched no more. */
  onEnd(error: unknown): void;
  /** A symbolic link is in the tree: what it leads to may lie where nobody watches. */
  onLink(): void;
}

/** Watches a folder with everything in it. */
export interface TreeWatch {
  /** May be called more than once. */
  close(): void;
}

/** Starts to watch a folder. From the moment that the promise is kept, no change is missed. */
export type WatchTree = (root: string, listener: TreeListener) => Promise<TreeWatch>;
