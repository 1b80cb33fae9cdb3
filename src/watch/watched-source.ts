import type { Source } from '../load/index.js';
import type { WatchProblem } from './watch-options.js';

/** A source that is watched. */
export interface WatchedSource {
  /** As people call it. */
  readonly name: string;
  /** What a load is given. */
  readonly toLoad: Source;
  /** Whether it was there when somebody looked last. */
  readonly isThere: boolean;
  /**
   * The folders whose skills can be read one by one when they change: absolute, without links. Undefined if the source
   * must be read as a whole.
   */
  readonly roots: readonly string[] | undefined;
  /** Starts to watch, or notes that it is not there. From then on no change is missed. */
  start(): Promise<void>;
  /** Whether what is watched is still what lies there now. If not, what it told means nothing. */
  isSame(): Promise<boolean>;
  /** Looks whether it is still the same, and watches it anew if it is not. */
  look(): Promise<void>;
  close(): void;
}

/** Told of what happens in a source. */
export interface SourceListener {
  onPath(source: WatchedSource, path: string): void;
  onEverything(source: WatchedSource): void;
  onProblem(problem: WatchProblem): void;
}

/** How sources are watched. */
export interface Polling {
  readonly always: boolean;
  /** Milliseconds between two looks, at least. */
  readonly interval: number;
}
