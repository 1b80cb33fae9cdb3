import { cleanLine } from '../../core/index.js';
import type { Skill } from '../../index.js';

/** A hit as it is shown. */
export interface FittedHit {
  /** Its line in the text. */
  readonly line: string;
  /** Its description in one line, as far as it fits; empty if only the name does. */
  readonly description: string;
}

interface AddressedHit {
  readonly skill: Skill;
  readonly uri: string;
}

/**
 * Writes hits, a line each, into at most so many tokens. The hits that do not fit are the last ones.
 *
 * @param maxTokens undefined for no limit
 */
export async function fitHits(hits: readonly AddressedHit[], maxTokens: number | undefined): Promise<FittedHit[]> {
  const texts =
    maxTokens === undefined ? hits.map(({ skill }) => skill.description) : await descriptionsWithin(hits, maxTokens);
  return texts.map((text, i) => {
    const { skill, uri } = hits[i]!;
    const head = `- ${cleanLine(skill.name)} (${uri})`;
    const description = cleanLine(text);
    return { line: description === '' ? head : `${head}: ${description}`, description };
  });
}

/** The descriptions of the first hits, cut so that JSON of them fits. A line of the same is never longer. */
async function descriptionsWithin(hits: readonly AddressedHit[], maxTokens: number): Promise<string[]> {
  // Counting tokens reads a vocabulary. Most calls have no limit.
  const { formatSkills } = await import('../../agents/formats/format-skills.js');
  const uris = new Map(hits.map(({ skill, uri }) => [skill.id, uri]));
  const location = ({ id }: { readonly id: string }): string => uris.get(id)!;
  const { value } = formatSkills(hits, { format: 'json', maxTokens, location });
  return (value?.skills ?? []).map(({ description = '' }) => description);
}
