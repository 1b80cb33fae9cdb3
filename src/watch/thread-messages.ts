import type { ErrorMessage } from '../core/index.js';
import type { LoadProgress } from '../load/index.js';
import type { WatchedChange, WatchOptions, WatchProblem } from './watch-options.js';

/** What the thread of a watch is started with. */
export interface WatchThreadData {
  readonly options: Omit<WatchOptions, 'thread' | 'onProgress' | 'onChange' | 'onProblem' | 'signal'>;
  /** Whether somebody wants to know how far loads are. */
  readonly progress: boolean;
}

/** What the thread of a watch sends. */
export type WatchMessage =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly error: ErrorMessage }
  | { readonly kind: 'change'; readonly change: WatchedChange }
  | {
      readonly kind: 'problem';
      readonly problem: Omit<WatchProblem, 'error'>;
      readonly error: ErrorMessage | undefined;
    }
  | { readonly kind: 'progress'; readonly progress: LoadProgress };
