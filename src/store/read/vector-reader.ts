import { SkillSearchError } from '../../errors.js';
import type { SkillNumber, VectorNumber } from '../../numbers.js';
import type { Connection, Statement } from '../../sqlite/connection.js';
import { guarded, openForReading, storeError } from '../database.js';
import { readMeta } from '../meta.js';
import { decodeVector } from '../vector-bytes.js';

/** All vectors of a catalogue. */
export interface StoredVectors {
  readonly dimensions: number;
  /** Numbers of the vectors, ascending. */
  readonly keys: Float64Array;
  /** The vectors, one after the other, in memory that threads can share. */
  readonly values: Float32Array<SharedArrayBuffer>;
}

interface VectorRow {
  readonly number: VectorNumber;
  readonly embedding: Buffer;
}

/** Vectors read in one turn of the event loop: some milliseconds. */
const VECTORS_A_TURN = 1000;

/** The vectors of a finished catalogue, read-only. Reading all of them yields to the event loop now and then. */
export class VectorReader {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #count: Statement<[], number>;
  readonly #model: Statement<[], { readonly id: string; readonly dimensions: number }>;
  readonly #byNumber: Statement<[vector: VectorNumber], Buffer>;
  readonly #vectors: Statement<[after: VectorNumber, limit: number], VectorRow>;
  readonly #ofSkills: Statement<[after: SkillNumber, limit: number], [SkillNumber, VectorNumber | null]>;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM vector').pluck();
    this.#model = connection.prepare(`
      SELECT id, dimensions FROM model
      WHERE id = (SELECT value FROM meta WHERE key = 'model') AND EXISTS (SELECT 1 FROM vector)`);
    this.#byNumber = connection
      .prepare<[VectorNumber], Buffer>('SELECT embedding FROM vector WHERE number = ?')
      .pluck();
    this.#vectors = connection.prepare('SELECT number, embedding FROM vector WHERE number > ? ORDER BY number LIMIT ?');
    this.#ofSkills = connection
      .prepare<[SkillNumber, number], [SkillNumber, VectorNumber | null]>(`
        SELECT skill.number, vector.number FROM skill
          LEFT JOIN vector ON vector.model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash
        WHERE skill.number > ? ORDER BY skill.number LIMIT ?`)
      .raw();
  }

  /** Number of vectors: one for each distinct text. */
  get count(): number {
    return this.#guard(() => this.#count.get()!);
  }

  /** Id of the model that made the vectors; undefined if there are none. */
  get model(): string | undefined {
    return this.#guard(() => this.#model.get()?.id);
  }

  /** Length of each vector; 0 if there are none. */
  get dimensions(): number {
    return this.#guard(() => this.#model.get()?.dimensions ?? 0);
  }

  /**
   * Reads some vectors, one after the other, in the given order. All under one lock of the file: a lock for each would
   * take longer than reading.
   *
   * @param dimensions length of each vector
   */
  vectors(keys: readonly VectorNumber[], dimensions: number): Float32Array {
    const values = new Float32Array(keys.length * dimensions);
    const read = (): void => {
      for (const [i, key] of keys.entries()) this.#decode(this.#byNumber.get(key), values, i, dimensions);
    };
    this.#guard(() => this.#connection.transaction(read)());
    return values;
  }

  /** Reads all vectors. */
  async all(signal?: AbortSignal): Promise<StoredVectors> {
    const { count, dimensions } = this;
    const keys = new Float64Array(count);
    const values = new Float32Array(new SharedArrayBuffer(count * dimensions * 4));
    for (let done = 0; done < count; ) {
      for (const { number, embedding } of this.#guard(() => this.#vectors.all(keys[done - 1] ?? 0, VECTORS_A_TURN))) {
        keys[done] = number;
        this.#decode(embedding, values, done, dimensions);
        done += 1;
      }
      await nextTurn(signal);
    }
    return { dimensions, keys, values };
  }

  /** Every skill that has a vector, with the number of the vector. */
  async *ofSkills(signal?: AbortSignal): AsyncGenerator<readonly [skill: SkillNumber, vector: VectorNumber]> {
    for (let last = 0; ; ) {
      const rows = this.#guard(() => this.#ofSkills.all(last, VECTORS_A_TURN));
      for (const [skill, vector] of rows) if (vector !== null) yield [skill, vector];
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end[0];
      await nextTurn(signal);
    }
  }

  /** @param index of the vector in the larger array */
  #decode(bytes: Buffer | undefined, into: Float32Array, index: number, dimensions: number): void {
    if (bytes?.length !== dimensions * 4) {
      const message = `cannot read ${this.#path}: a vector must have ${dimensions * 4} bytes, got ${bytes?.length ?? 'none'}`;
      throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path: this.#path });
    }
    decodeVector(bytes, into, index * dimensions);
  }

  #guard<T>(work: () => T): T {
    return guarded(this.#path, 'read', work);
  }
}

/**
 * Opens the vectors of a catalogue, and nothing else of it.
 *
 * @throws {SkillSearchError} if there is no catalogue that can be read
 */
export function openStoredVectors(path: string): { stamp: string; vectors: VectorReader; close: () => void } {
  const connection = openForReading(path);
  const close = (): void => {
    connection.close();
  };
  try {
    return { stamp: readMeta(connection, 'stamp') ?? '', vectors: new VectorReader(connection, path), close };
  } catch (error) {
    close();
    throw storeError(error, path, 'read');
  }
}

async function nextTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}
