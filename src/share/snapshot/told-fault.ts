import type { FollowCopyOptions } from './copy-follower.js';

type FollowListeners = Pick<FollowCopyOptions, 'onProblem' | 'onReachable'>;

/** Tells once what stays wrong at look after look, and once that it is over. */
export class ToldFault {
  readonly #listeners: FollowListeners;
  /** What is wrong now, if anything is. */
  #message: string | undefined;
  /** Since when something is wrong that was told, by `performance.now()`. */
  #since: number | undefined;

  constructor(listeners: FollowListeners) {
    this.#listeners = listeners;
  }

  tell(error: Error): void {
    const isNews = error.message !== this.#message;
    this.know(error);
    if (!isNews) return;
    this.#since ??= performance.now();
    this.#listeners.onProblem(error);
  }

  /** Notes what need not be told: somebody is told in another way. */
  know({ message }: Error): void {
    this.#message = message;
  }

  /** A look has succeeded. */
  over(): void {
    const since = this.#since;
    this.#message = undefined;
    this.#since = undefined;
    if (since !== undefined) this.#listeners.onReachable?.(performance.now() - since);
  }
}
