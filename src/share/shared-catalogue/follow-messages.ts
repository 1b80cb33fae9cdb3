import type { ErrorMessage } from '../../core/index.js';
import type { SharedState } from './shared-state.js';

/** What the thread of a follower is started with. */
export interface FollowThreadData {
  /** The address, with its password if it has one. */
  readonly address: string;
  readonly passwordFile: string | undefined;
  readonly folder: string;
  /** Milliseconds between two looks. */
  readonly interval: number;
}

/** To the thread. */
export type FollowRequest =
  /** @property anew whether what is here is damaged */
  { readonly kind: 'look'; readonly id: number; readonly anew: boolean } | { readonly kind: 'close' };

/** From the thread. */
export type FollowReply =
  /**
   * The copy is the newest state that the database has, and words can be searched; vectors may still be indexed.
   *
   * @property isNewest whether it is not even newer, as beside a standby that is behind
   */
  | { readonly kind: 'agreed'; readonly state: SharedState; readonly isNewest: boolean }
  /** A look failed. */
  | { readonly kind: 'failed'; readonly error: ErrorMessage }
  /** A derived file of the copy could not be written. */
  | { readonly kind: 'warned'; readonly message: string }
  /** The look that somebody asked for has ended. */
  | { readonly kind: 'looked'; readonly id: number; readonly error: ErrorMessage | undefined };
