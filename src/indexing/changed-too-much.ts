import { MAX_UNINDEXED } from '../core/index.js';
import { changesSince, readStamp } from '../store/index.js';

/**
 * Whether more has changed since a derived file was written than searches put beside it.
 *
 * @param stamp of the state that the file was written of; undefined if there is no file that can be read
 */
export function changedTooMuch(catalogue: string, stamp: string | undefined, what: 'skills' | 'vectors'): boolean {
  if (stamp === undefined) return true;
  if (stamp === readStamp(catalogue)) return false;
  const changes = changesSince(catalogue, stamp);
  return changes === undefined || changes[what] > MAX_UNINDEXED;
}
