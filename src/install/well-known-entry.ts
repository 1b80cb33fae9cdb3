import { decodePart } from '../decode-part.js';
import type { LockEntry } from './lock-file.js';

/** What an installer noted of a skill that it took from a well-known address of a server. */
export interface WellKnownEntry {
  /** The server's host, without port. */
  readonly host: string;
  /** The id in the address, where a server of this package has one skill by itself. */
  readonly id?: string;
}

/** The addresses that `http/published/published-path.ts` reads. */
const OF_ONE_SKILL = /\/skills\/([^/]+)\/(?:@[^/]*\/)?\.well-known\/(?:agent-skills|skills)\//;

/**
 * An entry as `npx skills` 1.5.18 writes it: the lock file of a project has the host alone, that of the user the
 * address of what was fetched.
 *
 * @returns undefined if the skill came from somewhere else
 */
export function wellKnownEntry({ source, sourceType, sourceUrl }: LockEntry): WellKnownEntry | undefined {
  if (sourceType !== 'well-known' || typeof source !== 'string') return undefined;
  const url = typeof sourceUrl === 'string' && URL.canParse(sourceUrl) ? new URL(sourceUrl) : undefined;
  const segment = OF_ONE_SKILL.exec(url?.pathname ?? '')?.[1];
  const id = segment === undefined ? undefined : decodePart(segment);
  return { host: url?.hostname ?? source, ...(id !== undefined && { id }) };
}
