import type { CopyStats } from '../result.js';

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
