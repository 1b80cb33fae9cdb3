import { isSnapshotAddress } from '../database-address.js';
import type { CopyFollower } from '../snapshot/copy-follower.js';

/** What is followed, and how. */
export interface FollowCopyOptions {
  /** The address of a snapshot's manifest, or of a database of PostgreSQL. */
  readonly address: string;
  readonly cache: string | undefined;
  readonly passwordFile: string | undefined;
  /** Milliseconds between two looks; undefined to look once. */
  readonly interval: number | undefined;
  /** Called when a look failed and the former state stays. */
  readonly onProblem: (error: unknown) => void;
  /** Ends the first look. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Brings the local copy of what an address names up to date, and with an interval keeps it so.
 *
 * @throws {SkillSearchError} as `followSnapshot` and `followShared`
 * @throws the signal's reason when aborted
 */
export async function followCopy(options: FollowCopyOptions): Promise<CopyFollower> {
  if (isSnapshotAddress(options.address)) {
    const { followSnapshot } = await import('../snapshot/follow-snapshot.js');
    return followSnapshot(options);
  }
  const { followShared } = await import('../shared-catalogue/follow-shared.js');
  return followShared(options);
}
