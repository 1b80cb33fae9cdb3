import type { PackedBlob } from '../blob-packing.js';
import type { SkillFolder } from '../place.js';
import type { SkillToStore } from '../stored-skill.js';
import type { FolderIdWish } from './folder-ids.js';

/** Where a load puts its skills. */
export interface SkillSink {
  /**
   * Chooses the id of a skill that brings none: the slug of its location, or the slug with a hash if a skill at another
   * location already has the slug.
   */
  chooseId(location: string, slug: string, slugWithHash: string): string;
  /**
   * Chooses the id of a skill whose origin is a folder; see `FolderIds`. Absent if the sink takes no folders.
   *
   * @param source name of the source it was found in
   */
  chooseFolderId?(wish: FolderIdWish, folder: SkillFolder): string;
  /**
   * Stores a skill, unless it is stored already.
   *
   * @param source name of the source it was found in
   * @param fingerprint of the row, if the skill depends on the row alone
   * @param blobs bytes of the skill's contents that the sink lacks; see {@link lacksBlob}
   * @returns `again` if this load has brought the same id before
   */
  put(item: SkillToStore, source: string, fingerprint?: string, blobs?: readonly PackedBlob[]): 'stored' | 'again';
  /** Whether bytes with this SHA-256 (in hexadecimal digits) must come with a skill that has them. */
  lacksBlob(sha256: string): boolean;
  /**
   * Notes that the load brought a row that is known to be stored.
   *
   * @returns its id if this load has brought it before
   */
  putKnown?(fingerprint: string, source: string): string | undefined;
}

/**
 * The id of a skill that brings none; see {@link SkillSink.chooseId}.
 *
 * @param locationOf the location of the skill that has an id; undefined if no skill has it
 */
export function chooseId(
  locationOf: (id: string) => string | undefined,
  location: string,
  slug: string,
  slugWithHash: string,
): string {
  const owner = locationOf(slug);
  if (owner === location) return slug;
  if (owner !== undefined) return slugWithHash;
  return locationOf(slugWithHash) === location ? slugWithHash : slug;
}
