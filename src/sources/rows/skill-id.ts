import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { decodePart, MAX_ID } from '../../core/index.js';

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

/** The location of a skill by its address. */
export interface UrlLocation {
  /** `owner/repo/path` in a repository on a code host, else host and path. */
  readonly location: string;
  /** Whether the address names a whole repository, which may hold many skills. */
  readonly isWholeRepository: boolean;
}

/** The location that an address names; undefined if it names none. */
export function locationOfUrl(address: string): UrlLocation | undefined {
  const [, host = '', path = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)/i.exec(address) ?? [];
  if (host === '') return undefined;
  const segments = path
    .split('/')
    .filter(Boolean)
    .map((segment) => decodePart(segment) ?? segment);
  const repository = splitRepository(segments);
  if (repository === undefined) {
    return { location: [host.toLowerCase(), ...segments].join('/'), isWholeRepository: false };
  }
  const location = [...repository.name, ...repository.path].join('/');
  return { location, isWholeRepository: repository.path.length === 0 };
}

/** Splits `owner/repo/tree/branch/path`. Instead of `tree` it may be `blob`; GitLab has `-` before it. */
function splitRepository(segments: readonly string[]): { name: string[]; path: string[] } | undefined {
  const marker = segments.findIndex(
    (segment, at) => at >= 2 && (segment === 'tree' || segment === 'blob') && at < segments.length - 1,
  );
  const nested = marker > 2 && segments[marker - 1] === '-';
  if (marker !== 2 && !nested && segments.length !== 2) return undefined;

  const repository = marker === -1 ? [...segments] : segments.slice(0, nested ? marker - 1 : marker);
  const path = marker === -1 ? [] : segments.slice(marker + 2);
  if (/^skill\.md$/i.test(path.at(-1) ?? '')) path.pop();
  repository.push((repository.pop() ?? '').replace(/\.git$/i, ''));
  return { name: repository, path };
}

/**
 * Version of the rules by which the bytes of a JSON row become columns: parsing, cleaning, limits, slugs, locations,
 * keys of copies, and the columns themselves. Raise it with every change by which some row comes out differently. Else
 * such rows keep their old form as long as their bytes stay the same.
 */
const READING_RULES = 6;

/** The rules depend on the version of Unicode of the runtime, too. */
const RULES = Buffer.from(`${READING_RULES} ${process.versions['unicode']}\n`);

/**
 * Hash of the bytes of a row and of the rules by which they are read: 16 characters of one byte each, half a SHA-256.
 * Rows with the same fingerprint become the same skill.
 */
export function fingerprintOf(row: Buffer): string {
  return createHash('sha256').update(RULES).update(row).digest().toString('latin1', 0, 16);
}
