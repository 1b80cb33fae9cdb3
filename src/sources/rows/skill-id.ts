import { createHash } from 'node:crypto';

import { MAX_ID } from './limits.js';

/** An id made of the place where a skill is. */
export interface DerivedId {
  /** `[a-z0-9_.-]`, at most 250 characters; empty where the place has no such character. */
  readonly slug: string;
  /** Whether another place may have the same slug because characters were lost or cut off. */
  readonly lossy: boolean;
  /** First 8 hex digits of the identity's SHA-256. */
  readonly hash: string;
}

/** What separates the parts of a place; these become `-` and count as kept. */
const SEPARATORS = /[\s/\\:]+/gu;

/**
 * The id of a skill that brings none: `owner/repo/path` becomes `owner-repo-path`. Depends on the place alone, so it
 * stays from load to load. The identity, if it is more than the place, goes into the hash. Where `lossy`, or where two places have one slug, take {@link idWithHash}.
 */
export function deriveId(place: string, identity: string = place): DerivedId {
  const separated = place.trim().toLowerCase().replace(SEPARATORS, '-');
  const plain = separated
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9_.-]+/g, '-');
  const slug = trimDashes(plain.replace(/-{2,}/g, '-'));
  // A slug of dots alone would be a step in a path, not a name.
  const usable = /^[.-]*$/.test(slug) ? '' : slug;
  const cut = trimDashes(usable.slice(0, MAX_ID));
  return {
    slug: cut,
    lossy: plain !== separated || cut !== slug,
    hash: createHash('sha256').update(identity).digest('hex').slice(0, 8),
  };
}

/** The slug with its place's hash, at most 250 characters; the hash alone where the slug is empty. */
export function idWithHash(slug: string, hash: string): string {
  const beginning = trimDashes(slug.slice(0, MAX_ID - hash.length - 1));
  return beginning === '' ? hash : `${beginning}-${hash}`;
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}
