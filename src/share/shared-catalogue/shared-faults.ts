import { isDamage } from '../../core/index.js';
import type { SkillImage, StoredVector } from '../../store/index.js';
import { checkImage, hasUnitLength, headOf, ImageReader, openForReading, storeError } from '../../store/index.js';
import { distinct, inParts } from './helpers.js';
import { isSameImage } from './same-image.js';
import type { SharedChanges } from './shared-changes.js';

/** Skills that are compared at a time. */
const TOGETHER = 250;

/** Something that is wrong with a skill of a shared catalogue or of its copy. */
export interface SharedFault {
  readonly skill: string;
  /**
   * `database`: what the database has of it is not as it was written. `copy`: the copy has something else, and both are
   * whole. `vector`: both have a vector, of unit length, and not the same.
   */
  readonly kind: 'database' | 'copy' | 'vector';
  /** In a sentence without a full stop. */
  readonly problem: string;
}

/**
 * Reads all that a shared catalogue has of its skills, with the bytes and vectors that they use, and compares it with
 * its digests and, where there is one, with a copy. What is damaged in the copy is left out: a check of the copy tells.
 *
 * @param shared all of the catalogue
 * @param copy path of a copy of the same state; undefined if there is none
 * @throws {SkillSearchError} those of the store, and of opening the copy
 * @throws the signal's reason when aborted
 */
export async function findSharedFaults(
  shared: SharedChanges,
  copy: string | undefined,
  signal: AbortSignal | undefined,
): Promise<SharedFault[]> {
  const connection = copy === undefined ? undefined : openForReading(copy);
  try {
    const reader = connection === undefined ? undefined : new ImageReader(connection, copy!, headOf(connection).model);
    const comparison = new Comparison(shared, reader, signal);
    const faults: SharedFault[] = [];
    for (const ids of inParts(shared.changed, TOGETHER)) faults.push(...(await comparison.faultsOf(ids)));
    const known = new Set(shared.changed);
    for (const id of connection?.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck().all() ?? []) {
      if (!known.has(id)) faults.push({ skill: id, kind: 'copy', problem: 'the database does not have it' });
    }
    return faults;
  } catch (error) {
    throw copy === undefined ? error : storeError(error, copy, 'read');
  } finally {
    connection?.close();
  }
}

/** Bytes or vectors are missing, or not as they were written. */
class NotWhole extends Error {
  override readonly name = 'NotWhole' as const;
}

class Comparison {
  readonly #shared: SharedChanges;
  readonly #copy: ImageReader | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(shared: SharedChanges, copy: ImageReader | undefined, signal: AbortSignal | undefined) {
    this.#shared = shared;
    this.#copy = copy;
    this.#signal = signal;
  }

  /** Reads some skills together; where one of them is damaged, halves, until it is alone. */
  async faultsOf(ids: readonly string[]): Promise<SharedFault[]> {
    this.#signal?.throwIfAborted();
    if (ids.length === 1) return this.#faultsOfOne(ids[0]!);
    try {
      const faults: SharedFault[] = [];
      for await (const images of this.#shared.imagesOf(ids)) {
        for (const image of images) checkImage(image);
        faults.push(...this.#differences(images, await this.#vectorsOf(images)));
      }
      return faults;
    } catch (error) {
      if (!isDamage(error) && !(error instanceof NotWhole)) throw error;
      const half = Math.ceil(ids.length / 2);
      return [...(await this.faultsOf(ids.slice(0, half))), ...(await this.faultsOf(ids.slice(half)))];
    }
  }

  async #faultsOfOne(id: string): Promise<SharedFault[]> {
    let problem = 'its row is missing, or a text of it is missing or not what its digest says';
    try {
      for await (const images of this.#shared.imagesOf([id])) {
        problem = 'it does not fit its hash';
        for (const image of images) checkImage(image);
        problem = 'the bytes of a file, or its vector, are missing or not as they were written';
        return [...this.#differences(images, await this.#vectorsOf(images))];
      }
      return [];
    } catch (error) {
      if (!isDamage(error) && !(error instanceof NotWhole)) throw error;
      return [{ skill: id, kind: 'database', problem }];
    }
  }

  /**
   * Reads the bytes and vectors that images use.
   *
   * @returns the vectors by the hex digits of their texts' hashes
   * @throws {NotWhole}
   */
  async #vectorsOf(images: readonly SkillImage[]): Promise<ReadonlyMap<string, Buffer>> {
    const { model } = this.#shared;
    const kept = images.flatMap(({ contents }) => (contents?.files ?? []).filter((file) => file.kept === 'blob'));
    const blobs = await this.#shared.blobs(distinct(kept.map(({ sha256 }) => sha256)));
    const sizes = new Map(blobs.map(({ sha256, size }) => [sha256, size]));
    if (!kept.every(({ sha256, size }) => sizes.get(sha256.toString('hex')) === size)) throw new NotWhole();
    const hashes = distinct(images.filter(({ hasVector }) => hasVector).map(({ columns }) => columns.textHash));
    const vectors = hashes.length === 0 ? [] : await this.#shared.vectors(hashes);
    const isUnit = ({ embedding }: StoredVector): boolean => hasUnitLength(embedding, model?.dimensions ?? 0);
    if (vectors.length < hashes.length || !vectors.every(isUnit)) throw new NotWhole();
    return new Map(vectors.map(({ textHash, embedding }) => [textHash.toString('hex'), embedding]));
  }

  *#differences(images: readonly SkillImage[], vectors: ReadonlyMap<string, Buffer>): Generator<SharedFault> {
    const copy = this.#copy;
    if (copy === undefined) return;
    for (const image of images) {
      const { id: skill, textHash } = image.columns;
      try {
        if (!isSameImage(copy.image(skill), image)) {
          yield { skill, kind: 'copy', problem: 'it is not what the database has' };
        } else if (image.hasVector) {
          const [vector] = copy.vectors([textHash]);
          const isSame = vector?.embedding.equals(vectors.get(textHash.toString('hex'))!) === true;
          if (!isSame) yield { skill, kind: 'vector', problem: 'its vector is another one in the database' };
        }
      } catch (error) {
        // A check of the copy names it.
        if (!isDamage(error)) throw error;
      }
    }
  }
}
