import { orUndefined, type SkillNumber, SkillSearchError } from '../../core/index.js';
import { isVectorWhole, type VectorRow } from '../checksums.js';
import { signatureFor } from '../copies/text-signature.js';
import { damagedError } from '../database.js';
import { CLASSIFIER_KEY, readMeta } from '../notes.js';
import { type PackedBlob, textOf } from '../packing.js';
import { BlobRows, isBlobWhole } from '../read/content-reader.js';
import { SkillRows } from '../read/stored-row.js';
import { hasUnitLength } from '../read/stored-vectors.js';
import type { Connection, Statement } from '../sqlite.js';
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

/** What a finished catalogue says of itself. */
export function headOf(connection: Connection): CatalogueHead {
  const model = connection
    .prepare<[], { readonly id: string; readonly dimensions: number }>(`
      SELECT id, dimensions FROM main.model
      WHERE id = (SELECT value FROM main.meta WHERE key = 'model') AND number IN (SELECT model FROM main.vector)`)
    .get();
  return { stamp: readMeta(connection, 'stamp') ?? '', model, classifier: readMeta(connection, CLASSIFIER_KEY) };
}

/** Reads the images of skills from a finished catalogue, and what belongs to them. Nothing damaged is handed on. */
export class ImageReader {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #model: CatalogueHead['model'];
  readonly #rows: SkillRows;
  readonly #blobs: BlobRows;
  readonly #numberOf: Statement<[id: string], SkillNumber>;
  readonly #claims: Statement<[SkillNumber], ClaimRow>;
  readonly #hasVector: Statement<[model: string, textHash: Buffer], unknown>;
  readonly #vector: Statement<[model: string, textHash: Buffer], VectorRow>;

  /** @param model of the catalogue's vectors */
  constructor(connection: Connection, path: string, model: CatalogueHead['model']) {
    this.#connection = connection;
    this.#path = path;
    this.#model = model;
    this.#rows = new SkillRows(connection, path);
    this.#blobs = new BlobRows(connection);
    this.#numberOf = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
    this.#claims = connection.prepare(CLAIMS_OF_SKILL);
    const ofText = 'FROM vector WHERE model = (SELECT number FROM model WHERE id = ?) AND text_hash = ?';
    this.#hasVector = connection.prepare(`SELECT 1 ${ofText}`);
    this.#vector = connection.prepare(`SELECT number, embedding, checksum ${ofText}`);
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  image(id: string): SkillImage {
    const number = this.#numberOf.get(id);
    const row = number === undefined ? undefined : this.#rows.row(number);
    if (number === undefined || row === undefined) throw this.#damaged(id, 'its row is missing');
    const stored = this.#rows.fileRows(number);
    const fault = this.#rows.faultOf(row, stored);
    if (fault !== undefined) throw this.#damaged(id, fault);
    const { number: _, derived, signature: __, checksum: ___, ...columns } = row;
    return {
      columns: { ...columns, id },
      files: stored.map(({ filename, stored }) => ({ filename, text: textOf(stored, row.record)! })),
      derivedCategories: derived ?? undefined,
      hasVector: this.#model !== undefined && this.#hasVector.get(this.#model.id, row.textHash) !== undefined,
      claims: this.#claims.all(number).map(claimOf),
    };
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  blobs(digests: readonly Buffer[]): PackedBlob[] {
    const blobs: PackedBlob[] = [];
    for (const digest of digests) {
      const blob = this.#blobs.blob(digest);
      if (blob === undefined) continue;
      const { size, packing, bytes } = blob;
      if (!isBlobWhole(digest, blob) || (packing !== 'deflate' && packing !== 'raw')) {
        const id = this.#skillWith(OF_BLOB, digest.toString('hex'));
        throw this.#damaged(id, 'the bytes of one of its files do not fit their checksum');
      }
      blobs.push({ sha256: digest.toString('hex'), size, packing, bytes });
    }
    return blobs;
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  vectors(textHashes: readonly Buffer[]): StoredVector[] {
    const model = this.#model;
    if (model === undefined) return [];
    const vectors: StoredVector[] = [];
    for (const textHash of textHashes) {
      const found = this.#vector.get(model.id, textHash);
      if (found === undefined) continue;
      const { number, embedding, checksum } = found;
      if (!isVectorWhole(number, embedding, checksum) || !hasUnitLength(embedding, model.dimensions)) {
        throw this.#damaged(this.#skillWith(OF_TEXT, textHash), 'the vector of its text does not fit its checksum');
      }
      vectors.push({ textHash, embedding });
    }
    return vectors;
  }

  #skillWith(sql: string, hash: Buffer | string): string {
    return this.#connection.prepare<[Buffer | string], string>(sql).pluck().get(hash) ?? '';
  }

  #damaged(id: string, fault: string): Error {
    return damagedError(this.#path, `the skill ${id} is not as it was written: ${fault}`, id);
  }
}

const OF_TEXT = 'SELECT id FROM skill WHERE text_hash = ?';
const OF_BLOB = 'SELECT id FROM skill WHERE instr(contents, ?)';
