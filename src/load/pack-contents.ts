import type { SkillContentsToStore } from '../store/index.js';
import { type PackedBlob, packBlob } from '../store/index.js';

/**
 * Packs those bytes of a skill that the store lacks, each once, outside of this thread.
 *
 * @returns undefined if it lacks none, so that nobody need wait
 */
export function packContents(
  contents: SkillContentsToStore | undefined,
  lacks: (sha256: string) => boolean,
): Promise<PackedBlob[]> | undefined {
  const lacking = new Map<string, Uint8Array>();
  for (const { sha256, bytes } of contents?.files ?? []) {
    if (bytes instanceof Uint8Array && !lacking.has(sha256) && lacks(sha256)) lacking.set(sha256, bytes);
  }
  if (lacking.size === 0) return undefined;
  return Promise.all(Array.from(lacking, ([sha256, bytes]) => packBlob(sha256, bytes)));
}
