import { createHash } from 'node:crypto';
import { SkillSearchError } from '../../core/index.js';
import type { CatalogueChanges, SkillImage } from '../../store/index.js';
import { packBlob } from '../../store/index.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { missingBlobs, storeBlobs } from './blob-table.js';
import { distinct, inParts } from './helpers.js';
import { missingVectors, type StoredModel, storeVectors } from './vector-table.js';
import type { ImageToWrite } from './write-images.js';

/** Texts and blobs that are held packed, before they are sent. */
const HELD = 256;

/** Sends the bytes and vectors of images where they are missing, before the images are written. */
export class UsedBytes {
  readonly #run: RunStatement;
  readonly #changes: CatalogueChanges;
  readonly #model: StoredModel | undefined;

  /**
   * @param run in a transaction of its own for each statement
   * @param model of the vectors of all changes
   */
  constructor(run: RunStatement, changes: CatalogueChanges, model: StoredModel | undefined) {
    this.#run = run;
    this.#changes = changes;
    this.#model = model;
  }

  /**
   * @throws {SkillSearchError} `DATABASE_DAMAGED` if the changes have not the bytes, or the vector, that an image names
   */
  async send(images: readonly SkillImage[]): Promise<ImageToWrite[]> {
    const texts = new Map<string, string>();
    const batch = images.map((image) => ({ image, texts: image.files.map(({ text }) => noteText(text, texts)) }));
    await this.#sendTexts(texts);
    await this.#sendBlobs(images);
    await this.#sendVectors(images);
    return batch;
  }

  async #sendTexts(texts: ReadonlyMap<string, string>): Promise<void> {
    const missing = await missingBlobs(this.#run, [...texts.keys()].map(fromHex));
    for (const part of inParts(missing, HELD)) {
      const blobs = part.map((digest) => {
        const sha256 = digest.toString('hex');
        return packBlob(sha256, Buffer.from(texts.get(sha256)!));
      });
      await storeBlobs(this.#run, await Promise.all(blobs));
    }
  }

  async #sendBlobs(images: readonly SkillImage[]): Promise<void> {
    const used = images.flatMap(({ contents }) => (contents?.files ?? []).filter(({ kept }) => kept === 'blob'));
    const missing = await missingBlobs(this.#run, distinct(used.map(({ sha256 }) => sha256)));
    for (const part of inParts(missing, HELD)) {
      const blobs = await this.#changes.blobs(part);
      if (blobs.length < part.length) {
        const there = new Set(blobs.map(({ sha256 }) => sha256));
        const lost = part.map((digest) => digest.toString('hex')).find((sha256) => !there.has(sha256));
        throw new SkillSearchError('DATABASE_DAMAGED', `the bytes of a file are missing, of the SHA-256 ${lost}`);
      }
      await storeBlobs(this.#run, blobs);
    }
  }

  async #sendVectors(images: readonly SkillImage[]): Promise<void> {
    const used = distinct(images.filter(({ hasVector }) => hasVector).map(({ columns: { textHash } }) => textHash));
    if (used.length === 0) return;
    const model = this.#model;
    if (model === undefined) throw new RangeError('an image has a vector, and there is no model');
    const missing = await missingVectors(this.#run, model, used);
    if (missing.length === 0) return;
    const vectors = await this.#changes.vectors(missing);
    if (vectors.length < missing.length) {
      throw new SkillSearchError('DATABASE_DAMAGED', 'the vectors of some texts are missing');
    }
    await storeVectors(this.#run, model, vectors);
  }
}

function noteText(text: string, texts: Map<string, string>): Buffer {
  const digest = createHash('sha256').update(text).digest();
  texts.set(digest.toString('hex'), text);
  return digest;
}

function fromHex(digest: string): Buffer {
  return Buffer.from(digest, 'hex');
}
