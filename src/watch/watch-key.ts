import { createHash } from 'node:crypto';
import type { InstalledOptions } from '../sources/index.js';
import { installedKey } from '../sources/index.js';
import type { WatchedLoad } from './load-changes.js';

/** What decides what a watch loads, but for the catalogue. */
interface WatchKeyParts {
  /** Absolute paths, and installed skills. */
  readonly sources: readonly (string | InstalledOptions)[];
  readonly load: Partial<WatchedLoad>;
  /** Id of the model; undefined if no vectors are made. */
  readonly model: string | undefined;
  readonly polling: boolean;
}

/** The same 16 hexadecimal digits for watches that load the same in the same way. */
export function watchKey({ sources, load, model, polling }: WatchKeyParts): string {
  const { author, codehostBase, skillUrlBase, followLinks, maxUnpackedBytes, maxRatio, git, gitSeconds } = load;
  const { contents, classify, semantic } = load;
  const named = sources.map((source) => (typeof source === 'string' ? source : [installedKey(source)]));
  const options = [author, codehostBase, skillUrlBase, followLinks, maxUnpackedBytes, maxRatio, git, gitSeconds];
  const text = JSON.stringify([named, options, contents, classify, semantic, model, polling]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
