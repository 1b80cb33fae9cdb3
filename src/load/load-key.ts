import { createHash } from 'node:crypto';

/** Names a load by its sources and options. After a kill, only a load with the same key can resume it. */
export function loadKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
