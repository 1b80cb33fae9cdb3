import type { SkillNumber } from '../../core/index.js';
import { isVectorWhole, type VectorRow } from '../checksums.js';
import { damagedError } from '../database.js';
import { CLASSIFIER_KEY, readMeta } from '../notes.js';
import { type PackedBlob, textOf } from '../packing.js';
import { BlobRows, isBlobWhole } from '../read/content-reader.js';
import { SkillRows } from '../read/stored-row.js';
import { hasUnitLength } from '../read/stored-vectors.js';
import type { Connection, Statement } from '../sqlite.js';
import {
  type CatalogueHead,
  CLAIMS_OF_SKILL,
  type ClaimRow,
  claimOf,
  type SkillImage,
  type StoredVector,
} from './skill-image.js';

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
