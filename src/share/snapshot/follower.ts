import type { CopyStats } from '../../result.js';

/** What is followed, and how. */
export interface FollowCopyOptions {
  /** The address of a snapshot's manifest, or of a database of PostgreSQL. */
  readonly address: string;
  /** The folder of the local copy; undefined for one in the user's cache folder. */
  readonly cache: string | undefined;
  /** A file with the password of a database. */
  readonly passwordFile: string | undefined;
  /** Milliseconds between two looks; undefined to look once. */
  readonly interval: number | undefined;
  /** Called when a look failed and the former state stays. What stays wrong is told once. */
  readonly onProblem: (error: unknown) => void;
  /** Called when a look succeeds after one that was told to have failed, with the milliseconds since that. */
  readonly onReachable?: (milliseconds: number) => void;
  /**
   * Whether words are searched. A single look then also writes their index where it is due: the search would have to
   * collect them anyway, and so would each one after it.
   *
   * @default false
   */
  readonly needsWords?: boolean;
  /** Ends the first look. */
  readonly signal: AbortSignal | undefined;
}

/** A local copy that is kept up to date. */
export interface CopyFollower {
  /** Path of the local catalogue. */
  readonly database: string;
  /**
   * Looks now.
   *
   * @throws {SkillSearchError} as opening a follower does; the former state stays then
   */
  look(): Promise<void>;
  /**
   * Makes the copy anew, as the newest state: what is here cannot be opened.
   *
   * @throws {SkillSearchError} as opening a follower does
   */
  mend(): Promise<void>;
  /**
   * What is known of the copy.
   *
   * @param stamp of the state that is asked about
   */
  statsOf(stamp: string): CopyStats;
  /** Stops looking. What is being fetched is continued by the next process. */
  close(): Promise<void>;
}

/** How long a single look may take where there is a copy already, in milliseconds. */
export const LONGEST_WITH_COPY = 5000;

/** Why the copy that is there is used as it is. */
export function tookTooLong(): Error {
  return new Error(`bringing it up to date takes longer than ${LONGEST_WITH_COPY / 1000} s`);
}

type FollowListeners = Pick<FollowCopyOptions, 'onProblem' | 'onReachable'>;

/** Tells once what stays wrong at look after look, and once that it is over. */
export class OutageReporter {
  readonly #listeners: FollowListeners;
  /** What is wrong now, if anything is. */
  #message: string | undefined;
  /** Since when something is wrong that was told, by `performance.now()`. */
  #since: number | undefined;

  constructor(listeners: FollowListeners) {
    this.#listeners = listeners;
  }

  report(error: Error): void {
    const isNews = error.message !== this.#message;
    this.note(error);
    if (!isNews) return;
    this.#since ??= performance.now();
    this.#listeners.onProblem(error);
  }

  /** Notes what need not be told: somebody is told in another way. */
  note({ message }: Error): void {
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
