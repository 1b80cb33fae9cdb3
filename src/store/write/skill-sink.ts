import type { SkillToStore } from '../stored-skill.js';

/** Where a load puts its skills. */
export interface SkillSink {
  /**
   * The id of a skill that brings none: the slug of its place, or the slug and a hash where the slug belongs to a skill
   * at another place already.
   */
  chooseId(place: string, slug: string, slugWithHash: string): string;
  /**
   * Stores a skill, or finds that it is stored already.
   *
   * @param source name of the source it was found in
   * @param fingerprint of the row that it was read from, if that alone tells all of the skill
   * @returns `again` where this load has brought the same id before
   */
  put(item: SkillToStore, source: string, fingerprint?: string): 'stored' | 'again';
  /**
   * Takes note of a row that is known to be stored as it stands.
   *
   * @returns its id where this load has brought it before
   */
  putKnown?(fingerprint: string, source: string): string | undefined;
}

/**
 * The id of a skill that brings none; see {@link SkillSink.chooseId}.
 *
 * @param placeOf the place of the skill that has an id, undefined where it is free
 */
export function chooseId(
  placeOf: (id: string) => string | undefined,
  place: string,
  slug: string,
  slugWithHash: string,
): string {
  const owner = placeOf(slug);
  if (owner === place) return slug;
  if (owner !== undefined) return slugWithHash;
  return placeOf(slugWithHash) === place ? slugWithHash : slug;
}
