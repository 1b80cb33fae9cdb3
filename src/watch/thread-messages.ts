import type { ErrorCode } from '../errors.js';
import type { LoadProgress } from '../load/load-options.js';
import type { WatchedChange, WatchOptions, WatchProblem } from './watch-options.js';

/** What the thread of a watch is started with. */
export interface WatchThreadData {
  readonly options: Omit<WatchOptions, 'thread' | 'onProgress' | 'onChange' | 'onProblem' | 'signal'>;
  /** Whether somebody wants to know how far loads are. */
  readonly progress: boolean;
}

/** An error as it goes from thread to thread: only plain values keep what they are. */
export interface ErrorMessage {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly parameter: string | undefined;
  readonly path: string | undefined;
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
