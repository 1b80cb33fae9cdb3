import { createHash } from 'node:crypto';
import { orUndefined, sha256Of } from '../core/index.js';
import type { DraftContentFile, DraftContents, Skill, SkillFolder, SkillProperties } from '../skill.js';

/** A skill on its way into the store. */
export interface SkillToStore {
  readonly skill: Skill;
  readonly properties: SkillProperties;
  /** Path inside the skill's folder, and text; at least one. */
  readonly files: readonly { readonly filename: string; readonly text: string }[];
  /** Equal for skills with the same name and description. */
  readonly copyKey: string;
  /** Hash of the texts that are embedded. The vector is stored under it. */
  readonly textHash: Buffer;
  /** Where the skill lies. A derived id belongs to it, unless the folder is its origin. */
  readonly location: string;
  /** The folder that it was read from; absent if it was not. */
  readonly folder?: SkillFolder | undefined;
  /** What the skill is made of; absent if there is nothing but excerpts of texts. */
  readonly contents?: DraftContents | undefined;
}

/** The columns of a skill that come from its source, ready to be written. */
export interface SkillColumns extends Pick<Skill, 'id' | 'stars' | 'updatedAt'> {
  /** A JSON array of texts: author, name, description, codehostUrl and skillUrl. */
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly tags: string;
  readonly properties: string;
  readonly copyKey: string;
  /** Where the skill lies; see `places.ts`. */
  readonly place: string;
  /** What the skill is made of, see {@link readContents}; null if there is nothing but excerpts of texts. */
  readonly contents: string | null;
  /** The `hash` need not cover it, because it follows from the record, the properties and the files. */
  readonly textHash: Buffer;
  /** 16 bytes of SHA-256 over all of the above, and the files. */
  readonly hash: Buffer;
}

/** What is derived of a skill, and no hash covers. */
export interface DerivedColumns {
  /** What a classifier found: a JSON array of slugs; null if none has seen the skill. */
  readonly derived: string | null;
  /** See `text-signature.ts`. */
  readonly signature: Uint8Array;
}

/**
 * The columns that store a skill.
 *
 * @param place the column of that name; the location if the skill comes from no folder
 */
export function toColumns(
  { skill, properties, files, contents, copyKey, textHash, location }: SkillToStore,
  place: string = location,
): SkillColumns {
  const { id, stars, updatedAt, author, name, description, codehostUrl, skillUrl, installations } = skill;
  const columns = {
    id,
    stars,
    updatedAt,
    record: JSON.stringify([author, name, description, codehostUrl, skillUrl]),
    categories: JSON.stringify(skill.categories),
    occupations: JSON.stringify(skill.occupations),
    tags: JSON.stringify(skill.tags),
    properties: JSON.stringify(installations === undefined ? properties : { ...properties, installations }),
    copyKey,
    place,
    contents: contents === undefined ? null : contentsText(contents),
  };
  return { ...columns, textHash, hash: hashOf(columns, files) };
}

/** The eight fields of a skill that the specification has, in its order. */
export type RecordFields = Pick<
  Skill,
  'id' | 'name' | 'author' | 'description' | 'codehostUrl' | 'skillUrl' | 'stars' | 'updatedAt'
>;

/** What a record is as JSON. */
type StoredRecord = [author: string, name: string, description: string, codehostUrl: string, skillUrl: string];

/** The fields that a row has, in their order. */
export function fieldsOf(row: Pick<SkillColumns, 'id' | 'record' | 'stars' | 'updatedAt'>): RecordFields {
  const { id, stars, updatedAt } = row;
  const [author, name, description, codehostUrl, skillUrl] = JSON.parse(row.record) as StoredRecord;
  return { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt };
}

/** The author in a record, read without the rest of it: parsing all records of a large catalogue takes half a second. */
export function recordAuthor(record: string): string {
  const author = record.slice(2, record.indexOf('"', 2));
  return author.includes('\\') ? (JSON.parse(record) as [string])[0] : author;
}

/** A file of a skill's contents, as it is stored. */
export interface ContentRow extends Omit<DraftContentFile, 'bytes'> {
  /** Whether its bytes are a blob, those of the searched file of that name, or not there. */
  readonly kept: 'blob' | 'text' | 'none';
}

/** What a skill is made of, as it is stored. */
export interface StoredContents {
  readonly complete: boolean;
  /** In code-point order of their paths. */
  readonly files: readonly ContentRow[];
}

function contentsText({ complete, files }: DraftContents): string {
  const rows = files.map(({ bytes, ...file }) => [
    ...[file.path, file.size, file.sha256, Number(file.executable), Number(file.complete), Number(file.isText)],
    bytes === undefined ? 'none' : bytes === 'text' ? 'text' : 'blob',
  ]);
  return JSON.stringify([complete, rows]);
}

/** @returns undefined if the text is not that of contents: damage and malice may write anything */
export function readContents(text: string): StoredContents | undefined {
  return orUndefined(() => {
    const [complete, rows] = JSON.parse(text) as [boolean, [string, number, string, number, number, number, string][]];
    const files = rows.map(([path, size, sha256, executable, whole, isText, kept]) => ({
      ...{ path: String(path), size: Number(size), sha256: String(sha256), kept: kept as ContentRow['kept'] },
      ...{ executable: executable === 1, complete: whole === 1, isText: isText === 1 },
    }));
    return { complete, files };
  });
}

/** The files of contents whose bytes are blobs. */
export function blobsIn(contents: string | null): readonly ContentRow[] {
  return (contents === null ? undefined : readContents(contents))?.files.filter(({ kept }) => kept === 'blob') ?? [];
}

/** The `hash` of a skill. */
export function hashOf(columns: Omit<SkillColumns, 'textHash' | 'hash'>, files: SkillToStore['files']): Buffer {
  const { id, stars, updatedAt, record, categories, occupations, tags, properties, copyKey, place, contents } = columns;
  const parts = [id, `${stars} ${updatedAt}`, record, categories, occupations, tags, properties, copyKey, place];
  for (const { filename, text } of files) parts.push(filename, text);
  // No file has an empty name.
  if (contents !== null) parts.push('', contents);
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

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * The key of a skill's name and description: equal for skills that differ in these only by case and white space.
 *
 * The key is stored with each skill, and is stricter than `nameKey`: in a description punctuation may carry the
 * meaning.
 *
 * @returns 16 hex digits
 */
export function copyKey(name: string, description: string): string {
  return sha256Of(`${flatten(name)}\n${flatten(description)}`).slice(0, 16);
}

function flatten(text: string): string {
  // ASCII text is its own normal form. The runtime takes longer to find that out.
  const composed = NOT_ASCII.test(text) ? text.normalize('NFKC') : text;
  return composed.toLowerCase().replace(/\s+/g, ' ').trim();
}
