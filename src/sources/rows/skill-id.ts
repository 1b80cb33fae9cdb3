import { createHash } from 'node:crypto';

import { MAX_ID } from '../../core/index.js';

/** An id made from the location of a skill. */
export interface DerivedId {
  /** `[a-z0-9_.-]`, at most 250 characters; empty if the location has no such character. */
  readonly slug: string;
  /** Whether another location may have the same slug, because characters were lost or cut off. */
  readonly lossy: boolean;
  /** First 8 hex digits of the SHA-256 of the exact location. */
  readonly hash: string;
}

/** Separators between the parts of a location. They become `-` and do not count as lost. */
const SEPARATORS = /[\s/\\:]+/gu;

/**
 * The id of a skill that brings none: `owner/repo/path` becomes `owner-repo-path`. It depends on the location alone, so
 * it stays the same from load to load. If it is `lossy`, or if two locations have the same slug, use
 * {@link idWithHash}.
 *
 * @param exactLocation goes into the hash; see `SkillDraft`
 */
export function deriveId(location: string, exactLocation: string = location): DerivedId {
  const separated = location.trim().toLowerCase().replace(SEPARATORS, '-');
  const plain = separated
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9_.-]+/g, '-');
  const slug = trimDashes(plain.replace(/-{2,}/g, '-'));
  // A slug of dots alone would be a step in a path.
  const usable = /^[.-]*$/.test(slug) ? '' : slug;
  const cut = trimDashes(usable.slice(0, MAX_ID));
  return {
    slug: cut,
    lossy: plain !== separated || cut !== slug,
    hash: createHash('sha256').update(exactLocation).digest('hex').slice(0, 8),
  };
}

/** The slug with the hash, at most 250 characters. The hash alone if the slug is empty. */
export function idWithHash(slug: string, hash: string): string {
  const beginning = trimDashes(slug.slice(0, MAX_ID - hash.length - 1));
  return beginning === '' ? hash : `${beginning}-${hash}`;
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}
