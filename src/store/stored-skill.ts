import { createHash } from 'node:crypto';
import type { Skill, SkillProperties } from '../skill.js';
import type { SkillFolder } from './place.js';

/** A skill on its way into the store. */
export interface SkillToStore {
  readonly skill: Skill;
  readonly properties: SkillProperties;
  /** Path inside the skill's folder, and text; at least one. */
  readonly files: readonly { readonly filename: string; readonly text: string }[];
  /** Equal for skills with the same name and description. */
  readonly copyKey: string;
  /** Hash of the text that is embedded. The vector is stored under it. */
  readonly textHash: Buffer;
  /** Where the skill lies. A derived id belongs to it, unless the folder is its origin. */
  readonly location: string;
  /** The folder that it was read from; absent if it was not. */
  readonly folder?: SkillFolder | undefined;
}

/** The columns of a skill, ready to be written. */
export interface SkillColumns {
  readonly id: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly tags: string;
  readonly properties: string;
  readonly copyKey: string;
  /** Where the skill lies; see `place.ts`. */
  readonly place: string;
  /** The `hash` need not cover it, because it follows from the record. */
  readonly textHash: Buffer;
  /** 16 bytes of SHA-256 over all of the above and the files. */
  readonly hash: Buffer;
}

/**
 * The columns that store a skill.
 *
 * @param place the column of that name; the location if the skill comes from no folder
 */
export function toColumns(
  { skill, properties, files, copyKey, textHash, location }: SkillToStore,
  place: string = location,
): SkillColumns {
  const { id, stars, updatedAt } = skill;
  const record = JSON.stringify({
    id,
    name: skill.name,
    author: skill.author,
    description: skill.description,
    codehostUrl: skill.codehostUrl,
    skillUrl: skill.skillUrl,
    stars,
    updatedAt,
  });
  const categories = JSON.stringify(skill.categories);
  const occupations = JSON.stringify(skill.occupations);
  const tags = JSON.stringify(skill.tags);
  const propertiesText = JSON.stringify(properties);
  return {
    id,
    stars,
    updatedAt,
    record,
    categories,
    occupations,
    tags,
    properties: propertiesText,
    copyKey,
    place,
    textHash,
    hash: hashOf({ record, categories, occupations, tags, properties: propertiesText, copyKey, place }, files),
  };
}

/** The `hash` of a skill: 16 bytes. */
export function hashOf(
  columns: Pick<SkillColumns, 'record' | 'categories' | 'occupations' | 'tags' | 'properties' | 'copyKey' | 'place'>,
  files: SkillToStore['files'],
): Buffer {
  const { record, categories, occupations, tags, properties, copyKey, place } = columns;
  // A skill without tags has the hash that it had before there were tags. Tags are an array and properties an object, so
  // one cannot be taken for the other.
  const labels = tags === '[]' ? [categories, occupations] : [categories, occupations, tags];
  const parts = [record, ...labels, properties, copyKey, place];
  for (const { filename, text } of files) parts.push(filename, text);
  return hashParts(parts).subarray(0, 16);
}

/** Texts of fewer characters in all are joined and hashed in one call, which is faster for short ones. */
const SHORT = 64 * 1024;

/** SHA-256 of texts, each followed by a NUL. */
function hashParts(parts: readonly string[]): Buffer {
  if (parts.reduce((sum, part) => sum + part.length, 0) < SHORT)
    return createHash('sha256')
      .update(`${parts.join('\0')}\0`)
      .digest();
  const whole = createHash('sha256');
  for (const part of parts) whole.update(part).update('\0');
  return whole.digest();
}
