import { orUndefined, SkillSearchError } from '../../core/index.js';
import { signatureFor } from '../copies/text-signature.js';
import type { PackedBlob } from '../packing.js';
import { blobsIn, fieldsOf, hashOf, readContents, type SkillColumns, type SkillToStore } from '../stored-skill.js';

/**
 * All that a catalogue stores of a skill, but for what follows from it (checksums, signatures) and for what belongs to
 * one file (numbers). Two catalogues with the same images give the same answers.
 */
export interface SkillImage {
  readonly columns: SkillColumns;
  readonly files: SkillToStore['files'];
  /** What a classifier found of this version of the skill: a JSON array of slugs. Absent if none has seen it. */
  readonly derivedCategories?: string | undefined;
  /** Whether its text has a vector of the catalogue's model. It lies under the hash of the text. */
  readonly hasVector: boolean;
  /** In the order of the sources' names. */
  readonly claims: readonly ImageClaim[];
}

/** Says that a source has a skill. */
export interface ImageClaim {
  /** Key of the source. */
  readonly source: string;
  /** What the source's row became, if that is known; see the table `claim`. */
  readonly row?: { readonly fingerprint: Buffer; readonly hash: Buffer } | undefined;
}

/** The claims of a skill, as {@link ClaimRow}. */
export const CLAIMS_OF_SKILL = `
  SELECT name AS source, fingerprint, hash FROM claim JOIN source ON source.number = claim.source
  WHERE claim.skill = ? ORDER BY name`;

/** A claim as a row of a database has it. */
export interface ClaimRow {
  readonly source: string;
  readonly fingerprint: Buffer | null;
  readonly hash: Buffer | null;
}

export function claimOf({ source, fingerprint, hash }: ClaimRow): ImageClaim {
  return fingerprint === null || hash === null ? { source } : { source, row: { fingerprint, hash } };
}

/** How many bytes belong to an image, about: those of its texts, and of its files that are kept as blobs. */
export function bytesOfImage({ files, columns }: SkillImage): number {
  let bytes = 0;
  for (const { text } of files) bytes += text.length;
  for (const { size } of blobsIn(columns.contents)) bytes += size;
  return bytes;
}

/** An image that is what its hash says, in the form in which skills are written. */
export interface CheckedImage {
  readonly image: SkillImage;
  readonly signature: Buffer;
}

/**
 * Checks an image that comes from elsewhere.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`, with the id of the skill
 */
export function checkImage(image: SkillImage): CheckedImage {
  const { columns, files } = image;
  const { id, hash, contents } = columns;
  if (!hash.equals(hashOf(columns, files))) throw damagedImage(id, 'it does not fit its hash');
  if (files.length === 0) throw damagedImage(id, 'it has no files');
  if (contents !== null && readContents(contents) === undefined) throw damagedImage(id, 'its contents cannot be read');
  const { derivedCategories } = image;
  if (textsIn(columns.record)?.length !== 5) throw damagedImage(id, 'its record is not one of a skill');
  if (derivedCategories !== undefined && textsIn(derivedCategories) === undefined) {
    throw damagedImage(id, 'its derived categories are no list of slugs');
  }
  return { image, signature: signatureFor(fieldsOf(columns), files) };
}

/** The error of a skill that came from elsewhere and is not as it was written there. What helps is known there. */
export function damagedImage(id: string, fault: string): SkillSearchError {
  const message = `the skill ${id} did not come as it was written: ${fault}`;
  return new SkillSearchError('DATABASE_DAMAGED', message, { skill: id });
}

/** @returns undefined if it is no JSON array of texts */
function textsIn(json: string): readonly string[] | undefined {
  const texts: unknown = orUndefined(() => JSON.parse(json));
  return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : undefined;
}

/** A vector as it is stored: 32-bit floats, little-endian, of unit length. */
export interface StoredVector {
  /** Of the text that it was made of. */
  readonly textHash: Buffer;
  readonly embedding: Buffer;
}

/** What a catalogue says of itself as a whole. */
export interface CatalogueHead {
  /** Names the state. */
  readonly stamp: string;
  /** The model of all vectors; undefined if there are none. */
  readonly model: { readonly id: string; readonly dimensions: number } | undefined;
  /** Rules of the classifier that made all derived categories; undefined if the catalogue is not classified. */
  readonly classifier: string | undefined;
}

/** What leads from one state of a catalogue to a later one, which `stamp` names. */
export interface CatalogueChanges extends CatalogueHead {
  /** Ids of the skills that are gone. */
  readonly removed: readonly string[];
  /** Ids of the skills that are new, or of which anything is another: their images, their claims, or their vectors. */
  readonly changed: readonly string[];
  /** The images of changed skills, in the order of `changed`, some at a time. */
  images(): AsyncIterable<readonly SkillImage[]>;
  /** Blobs with these digests. Those that are not there are left out. */
  blobs(digests: readonly Buffer[]): Promise<readonly PackedBlob[]>;
  /** Vectors of `model` for texts with these hashes. Those that the state does not have are left out. */
  vectors(textHashes: readonly Buffer[]): Promise<readonly StoredVector[]>;
}
