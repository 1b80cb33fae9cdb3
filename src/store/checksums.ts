import { crc32 } from 'node:zlib';
import type { SkillNumber, VectorNumber } from '../core/index.js';
import { readMeta } from './notes.js';
import type { StoredText } from './packing.js';
import { DERIVED_LABELS } from './schema.js';
import type { Connection, Statement } from './sqlite.js';
import type { SkillColumns } from './stored-skill.js';

/** The columns of a skill as they are checked. */
export interface CheckedColumns extends SkillColumns {
  readonly number: SkillNumber;
}

/**
 * The checksum of a row of the table `skill`: CRC-32, against damage of the file. It is no help against a change on
 * purpose. It covers all that an answer shows of the skill, its files aside, and the number: so a row that turns up in
 * the place of another does not fit.
 */
export function rowChecksum(columns: CheckedColumns): number {
  const { number, id, stars, updatedAt, record, categories, occupations, tags, properties, copyKey, place } = columns;
  const texts = `${id}\0${stars}\0${updatedAt}\0${record}\0${categories}\0${occupations}\0${tags}\0${properties}`;
  const sum = crc32(`${texts}\0${copyKey}\0${place}`, number % 2 ** 32);
  return crc32(columns.hash, crc32(columns.textHash, sum));
}

/**
 * The checksum of a file. It covers how many files the skill has, so that none can be missing, and whether its text is
 * packed. What a packed text was packed with is covered by the checksum of the row.
 *
 * @param position of the file among those of the skill, from 0
 * @param count number of files of the skill
 * @param stored the text, as it is or packed
 */
export function fileChecksum(
  skill: SkillNumber,
  position: number,
  count: number,
  filename: string,
  stored: StoredText,
): number {
  // A filename has no NUL. SQLite's empty values have no memory, and of no memory zlib returns 0.
  const before = `${skill}/${position}/${count}/${filename}${typeof stored === 'string' ? '' : '\0'}`;
  return crc32(stored.length === 0 ? '' : stored, crc32(before));
}

export function vectorChecksum(vector: VectorNumber, embedding: Buffer): number {
  return crc32(embedding, vector % 2 ** 32);
}

/** Whether a vector is as it was written. */
export function isVectorWhole(vector: VectorNumber, embedding: unknown, checksum: number | null): boolean {
  return Buffer.isBuffer(embedding) && vectorChecksum(vector, embedding) === checksum;
}

export function signatureChecksum(
  skill: SkillNumber,
  name: number,
  text: number,
  words: number,
  sketch: Uint8Array,
): number {
  return crc32(sketch, crc32(`${skill} ${name} ${text} ${words}`));
}

/** Whether a signature is as it was written. */
export function isSignatureWhole(
  skill: SkillNumber,
  name: number,
  text: number,
  words: number,
  sketch: unknown,
  checksum: number | null,
): boolean {
  return sketch instanceof Uint8Array && signatureChecksum(skill, name, text, words, sketch) === checksum;
}

/** A file of a skill's contents, as it is stored. */
export interface ContentRow {
  readonly path: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly executable: number;
  readonly complete: number;
  readonly isText: number;
  readonly kept: string;
}

/**
 * The checksum of a skill's contents. It covers all of its files, so that none can be missing.
 *
 * @param hash of the skill that they belong to
 * @param completeId id of the skill if they are complete
 * @param files in order
 */
export function contentsChecksum(
  skill: SkillNumber,
  hash: Buffer,
  completeId: string | null,
  files: readonly ContentRow[],
): number {
  let text = `${skill}\0${hash.toString('hex')}\0${completeId ?? ''}`;
  for (const { path, size, sha256, executable, complete, isText, kept } of files) {
    text += `\0${path}\0${size}\0${sha256.toString('hex')}\0${executable}${complete}${isText}${kept}`;
  }
  return crc32(text);
}

/**
 * The checksum of what a classifier found of a skill.
 *
 * @param hash of the skill that it belongs to
 * @param categories as they are stored
 */
export function derivedLabelChecksum(skill: SkillNumber, hash: Buffer, categories: string): number {
  return crc32(`${skill}\0${hash.toString('hex')}\0${categories}`);
}

/** @param bytes as they are stored, packed or not */
export function blobChecksum(sha256: Buffer, size: number, packing: string, bytes: Buffer): number {
  // SQLite's empty values have no memory, and of no memory zlib returns 0.
  return crc32(bytes.length === 0 ? '' : bytes, crc32(`${sha256.toString('hex')} ${size} ${packing}`));
}

/** The key of `meta` that has the rules of the classifier. */
export const CLASSIFIER_KEY = 'classifier';

/** What is stored of the derived labels of a skill. */
export interface DerivedLabelRow {
  /** Hash of the skill that they belong to. */
  readonly hash: Buffer;
  /** A JSON array of slugs. */
  readonly categories: string;
  readonly checksum: number | null;
}

/** Whether derived labels are as they were written. */
export function isDerivedLabelWhole(skill: SkillNumber, { hash, categories, checksum }: DerivedLabelRow): boolean {
  const isTyped = Buffer.isBuffer(hash) && typeof categories === 'string';
  return isTyped && derivedLabelChecksum(skill, hash, categories) === checksum;
}

/** Reads the derived labels of skills. */
export class DerivedLabels {
  readonly #row: Statement<[SkillNumber], DerivedLabelRow>;
  readonly #present: Statement<[], DerivedLabelRow & { readonly skill: SkillNumber }>;

  /** @returns undefined if the catalogue is not classified */
  static in(connection: Connection): DerivedLabels | undefined {
    return readMeta(connection, CLASSIFIER_KEY) === undefined ? undefined : new DerivedLabels(connection);
  }

  private constructor(connection: Connection) {
    this.#row = connection.prepare(`SELECT hash, categories, checksum FROM ${DERIVED_LABELS} WHERE skill = ?`);
    this.#present = connection.prepare(`
      SELECT label.skill, label.hash, label.categories, label.checksum FROM ${DERIVED_LABELS} AS label
        JOIN skill ON skill.number = label.skill AND skill.hash = label.hash
      WHERE label.categories <> '[]'`);
  }

  /** How many skills have each derived label. Those that are void or damaged do not count. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { skill, ...row } of this.#present.iterate()) {
      if (!isDerivedLabelWhole(skill, row)) continue;
      for (const slug of JSON.parse(row.categories) as string[]) counts.set(slug, (counts.get(slug) ?? 0) + 1);
    }
    return counts;
  }

  /**
   * The derived labels of a skill in its present state, as a JSON array.
   *
   * @param hash of the skill
   * @returns `[]` if there are none; undefined if they are not as they were written
   */
  of(skill: SkillNumber, hash: Buffer): string | undefined {
    const row = this.#row.get(skill);
    if (row === undefined) return '[]';
    if (!isDerivedLabelWhole(skill, row)) return undefined;
    return row.hash.equals(hash) ? row.categories : '[]';
  }
}
