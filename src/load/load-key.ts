import { createHash } from 'node:crypto';

/** Names a load by what it is of: one that was killed is gone on with by the next of the same key. */
export function loadKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
