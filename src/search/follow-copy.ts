import { isSnapshotAddress } from '../core/index.js';
import type { CopyFollower, FollowCopyOptions } from '../share/index.js';

/**
 * Brings the local copy of what an address names up to date, and with an interval keeps it so.
 *
 * @throws {SkillSearchError} as `followSnapshot` and `followShared`
 * @throws the signal's reason when aborted
 */
export async function followCopy(options: FollowCopyOptions): Promise<CopyFollower> {
  if (isSnapshotAddress(options.address)) {
    const { followSnapshot } = await import('../share/snapshot/follow-snapshot.js');
    return followSnapshot(options);
  }
  const { followShared } = await import('../share/shared-catalogue/follow-shared.js');
  return followShared(options);
}
