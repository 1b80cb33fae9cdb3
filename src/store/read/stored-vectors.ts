import { LITTLE_ENDIAN, loopTurn, type SkillNumber, type VectorNumber, type VectorSet } from '../../core/index.js';
import { vectorChecksum } from '../checksums.js';
import { damagedError, guarded } from '../database.js';
import { addToSum, type CatalogueFacts, linkSum, readFacts, readMeta, SKILLS_AND_VECTORS } from '../notes.js';
import { OpenedState } from '../revisions.js';
import type { Connection, Statement } from '../sqlite.js';
import { openState } from './stored-row.js';

type SkillAndVector = [skill: SkillNumber, vector: VectorNumber | null];

type VectorRow = [number: VectorNumber, embedding: unknown, checksum: number | null];

/** Some vectors, one after the other. */
export interface ReadVectors {
  readonly values: Float32Array;
  /** Where among those asked for damaged ones are, ascending. Their values are 0. */
  readonly damaged: readonly number[];
}

/** Vectors read in one turn of the event loop: some milliseconds. */
const VECTORS_A_TURN = 1000;

/** The vectors of a finished catalogue, read-only. Reading all of them yields to the event loop now and then. */
export class VectorReader {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #facts: CatalogueFacts | undefined;
  readonly #count: Statement<[], number>;
  readonly #model: Statement<[], { readonly id: string; readonly dimensions: number }>;
  readonly #byNumber: Statement<[vector: VectorNumber], [embedding: unknown, checksum: number | null]>;
  readonly #vectors: Statement<[after: VectorNumber, last: VectorNumber, limit: number], VectorRow>;
  readonly #ofSkills: Statement<[last: VectorNumber, after: SkillNumber, limit: number], SkillAndVector>;
  readonly #opened: OpenedState;
  /** Highest number of a vector of the opened state. A catalogue in memory gets its vectors later. */
  readonly #last: VectorNumber;

  /** @param facts what the last load noted of the whole, if anything */
  constructor(connection: Connection, path: string, facts: CatalogueFacts | undefined, opened: OpenedState) {
    this.#opened = opened;
    this.#connection = connection;
    this.#path = path;
    this.#facts = facts;
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM vector').pluck();
    this.#model = connection.prepare(`
      SELECT id, dimensions FROM model
      WHERE id = (SELECT value FROM meta WHERE key = 'model') AND EXISTS (SELECT 1 FROM vector)`);
    this.#byNumber = connection
      .prepare<[VectorNumber], [unknown, number | null]>('SELECT embedding, checksum FROM vector WHERE number = ?')
      .raw();
    this.#vectors = connection
      .prepare<[VectorNumber, VectorNumber, number], VectorRow>(
        'SELECT number, embedding, checksum FROM vector WHERE number > ? AND number <= ? ORDER BY number LIMIT ?',
      )
      .raw();
    this.#ofSkills = connection.prepare<[VectorNumber, SkillNumber, number], SkillAndVector>(SKILLS_AND_VECTORS).raw();
    const last = connection.prepare<[], VectorNumber | null>('SELECT max(number) FROM vector').pluck();
    this.#last = facts === undefined ? Number.MAX_SAFE_INTEGER : (last.get() ?? 0);
  }

  /** Number of vectors: one for each distinct text. */
  get count(): number {
    return this.#facts?.vectors ?? this.#guard(() => this.#count.get()!);
  }

  /** Id of the model that made the vectors; undefined if there are none. */
  get model(): string | undefined {
    return this.#ofModel()?.id;
  }

  /** Length of each vector; 0 if there are none. */
  get dimensions(): number {
    return this.#ofModel()?.dimensions ?? 0;
  }

  /**
   * Reads some vectors, one after the other, in the given order. All under one lock of the file: a lock for each would
   * take longer than reading.
   *
   * @param dimensions length of each vector
   */
  vectors(keys: readonly VectorNumber[], dimensions: number): ReadVectors {
    const values = new Float32Array(keys.length * dimensions);
    const damaged: number[] = [];
    const read = (): void => {
      for (const [i, key] of keys.entries()) {
        if (!this.#decode(key, this.#byNumber.get(key), values, i, dimensions)) damaged.push(i);
      }
    };
    this.#guard(() => this.#connection.transaction(read)());
    return { values, damaged };
  }

  /**
   * Reads all vectors.
   *
   * @param until number of the last one that is wanted; left out for all
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  async all(signal?: AbortSignal, until?: VectorNumber): Promise<VectorSet> {
    const { dimensions } = this;
    const count = until === undefined ? this.count : this.count - this.#numbersAfter(until).length;
    const keys = new Float64Array(count);
    const values = new Float32Array(new SharedArrayBuffer(count * dimensions * 4));
    for (let done = 0; done < count; ) {
      const last = keys[done - 1] ?? 0;
      const rows = this.#guard(() => this.#vectors.all(last, this.#last, VECTORS_A_TURN));
      if (rows.length === 0) throw damagedError(this.#path, `it has ${done} vectors, not ${count}`);
      for (const [number, embedding, checksum] of rows) {
        const isNext = done < count && number > (keys[done - 1] ?? 0);
        if (!isNext || !this.#decode(number, [embedding, checksum], values, done, dimensions)) {
          throw damagedError(this.#path, `the vector ${number} is not as it was written`);
        }
        keys[done] = number;
        done += 1;
      }
      await loopTurn(signal);
    }
    return { dimensions, keys, values };
  }

  /** The vectors with a higher number, but for damaged ones, whose values are 0. */
  cameAfter(vector: VectorNumber): VectorSet {
    const { dimensions } = this;
    const keys = this.#guard(() => this.#numbersAfter(vector));
    const values = new Float32Array(new SharedArrayBuffer(keys.length * dimensions * 4));
    values.set(this.vectors(keys, dimensions).values);
    return { dimensions, keys: Float64Array.from(keys), values };
  }

  #numbersAfter(vector: VectorNumber): VectorNumber[] {
    const numbers = 'SELECT number FROM vector WHERE number > ? AND number <= ? ORDER BY number';
    return this.#connection.prepare<[number, number], VectorNumber>(numbers).pluck().all(vector, this.#last);
  }

  /**
   * Every skill with the number of its vector, if it has one; some at once, because waiting for each would take longer
   * than reading it.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`; at the end, too
   */
  async *ofSkills(signal?: AbortSignal): AsyncGenerator<readonly SkillAndVector[]> {
    let links = 0;
    for (let last = 0; ; ) {
      const read = (): SkillAndVector[] => this.#ofSkills.all(this.#last, last, VECTORS_A_TURN);
      const rows = this.#guard(() => this.#opened.reading(read));
      for (const [skill, vector] of rows) links = addToSum(links, linkSum(skill, vector));
      yield rows;
      const [end] = rows.at(-1) ?? [];
      if (end === undefined) break;
      if (end <= last) throw damagedError(this.#path, 'its skills are not in order');
      last = end;
      await loopTurn(signal);
    }
    if (this.#facts !== undefined && links !== this.#facts.links) {
      throw damagedError(this.#path, 'its index of vectors is not as it was written');
    }
  }

  #ofModel(): { readonly id: string; readonly dimensions: number } | undefined {
    const model = this.#guard(() => this.#model.get());
    if (model === undefined && (this.#facts?.vectors ?? 0) > 0) {
      throw damagedError(this.#path, 'the model of its vectors is missing');
    }
    return model;
  }

  /**
   * @param index of the vector in the larger array
   * @returns whether the vector is as it was written
   */
  #decode(
    vector: VectorNumber,
    row: readonly [embedding: unknown, checksum: number | null] | undefined,
    into: Float32Array,
    index: number,
    dimensions: number,
  ): boolean {
    if (row === undefined) return false;
    const [embedding, checksum] = row;
    if (!Buffer.isBuffer(embedding) || embedding.length !== dimensions * 4) return false;
    if (vectorChecksum(vector, embedding) !== checksum) return false;
    decodeVector(embedding, into, index * dimensions);
    return true;
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
  return openState(path, (connection) => {
    const stamp = readMeta(connection, 'stamp') ?? '';
    const opened = new OpenedState(connection, path, stamp);
    const vectors = new VectorReader(connection, path, readFacts(connection), opened);
    return { stamp, vectors, close: () => void connection.close() };
  });
}

/** Encodes a vector as 32-bit floats, little-endian. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32();
}

/**
 * Decodes what {@link encodeVector} wrote into a part of a larger array.
 *
 * @param at index of the first value
 */
export function decodeVector(bytes: Buffer, into: Float32Array, at: number): void {
  const target = Buffer.from(into.buffer, into.byteOffset + at * 4, bytes.length);
  bytes.copy(target);
  if (!LITTLE_ENDIAN) target.swap32();
}

/** How far the square of the length of a vector of 32-bit floats may be from 1. */
const TOLERANCE = 1e-3;

/** Whether a value is the bytes of a vector of unit length. */
export function hasUnitLength(embedding: unknown, dimensions: number): boolean {
  if (!Buffer.isBuffer(embedding) || embedding.length !== dimensions * 4) return false;
  const vector = new Float32Array(dimensions);
  decodeVector(embedding, vector, 0);
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.abs(square - 1) < TOLERANCE;
}
