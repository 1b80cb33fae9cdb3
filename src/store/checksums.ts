import { crc32 } from 'node:zlib';
import type { SkillNumber, VectorNumber } from '../core/index.js';
import type { StoredText } from './packing.js';
import type { DerivedColumns, SkillColumns } from './stored-skill.js';

/** The columns of a revision as they are checked. */
export interface CheckedColumns extends SkillColumns, DerivedColumns {
  readonly number: SkillNumber;
}

/**
 * The checksum of a row of the table `revision`: CRC-32, against damage of the file. It is no help against a change on
 * purpose. It covers all that an answer shows of the skill, its files aside, and the number: so a row that turns up in
 * the place of another does not fit.
 */
export function rowChecksum(columns: CheckedColumns): number {
  const { number, id, stars, updatedAt, record, categories, occupations, tags, properties, copyKey, place } = columns;
  const texts = `${id}\0${stars}\0${updatedAt}\0${record}\0${categories}\0${occupations}\0${tags}\0${properties}`;
  const sum = crc32(`${texts}\0${copyKey}\0${place}\0${columns.derived}\0${columns.contents}`, number % 2 ** 32);
  return crc32(columns.signature, crc32(columns.hash, crc32(columns.textHash, sum)));
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

/** @param bytes as they are stored, packed or not */
export function blobChecksum(sha256: Buffer, size: number, packing: string, bytes: Buffer): number {
  // SQLite's empty values have no memory, and of no memory zlib returns 0.
  return crc32(bytes.length === 0 ? '' : bytes, crc32(`${sha256.toString('hex')} ${size} ${packing}`));
}

/** A vector as it is stored. */
export interface VectorRow {
  readonly number: VectorNumber;
  readonly embedding: Buffer;
  readonly checksum: number | null;
}
