import { orUndefined, SkillSearchError, sha256Of } from '../../core/index.js';
import { type PackedBlob, type StoredVector, unpackBlob } from '../../store/writing.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { PostgresSession, RunStatement } from '../postgres/statements.js';

/** The limits of a catalogue in PostgreSQL. Times are in milliseconds. They cannot be changed. */
export const SHARED_CATALOGUE_LIMITS = {
  /** What one statement of a load or of a replica may take: each handles some thousand skills at most. */
  statementTime: 60_000,
  /**
   * Between two statements of a load that publishes, after which the database ends it: a machine that went away must
   * not keep others from publishing. Some thousand skills are read and compressed meanwhile.
   */
  publishingPause: 60_000,
  /** Likewise of a replica that reads. Nothing waits for it, but the database cannot clean up what it may still see. */
  readingPause: 600_000,
  /** How long a load waits for its turn. A first load of 94,254 skills takes a minute to publish. */
  publishingWait: 600_000,
  /** Skills that are published together. */
  publishedTogether: 1000,
  /**
   * Bytes of texts and files of skills that are read, sent or stored together: a slow line must bring them within the
   * time of a statement. One skill alone may have twice as many.
   */
  bytesTogether: 16_777_216,
} as const;

/** A model whose vectors are stored. */
export interface StoredModel {
  readonly number: number;
  readonly dimensions: number;
}

/** Blobs or vectors that one statement asks for or stores, and bytes of them together. */
const TOGETHER = 1000;
const BYTES_TOGETHER = 4 * 1024 * 1024;

/** Those of these digests that no blob has. */
export function missingBlobs(run: RunStatement, digests: readonly Buffer[]): Promise<Buffer[]> {
  return missing(run, digests, 'SELECT FROM skill_discovery.blob WHERE blob.sha256 = wanted.hash');
}

/** Those of these hashes that no vector of the model has. */
export function missingVectors(run: RunStatement, model: StoredModel, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const isThere = 'SELECT FROM skill_discovery.vector WHERE model = $2 AND vector.text_hash = wanted.hash';
  return missing(run, hashes, isThere, [model.number]);
}

/**
 * Stores blobs. Each statement is a transaction of its own, and goes through them in the order of their digests: two
 * that store the same would wait for each other otherwise.
 */
export async function storeBlobs(run: RunStatement, blobs: readonly PackedBlob[]): Promise<void> {
  const sorted = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const part of inParts(sorted, TOGETHER, BYTES_TOGETHER, ({ bytes }) => bytes.length)) {
    await run({
      text: `INSERT INTO skill_discovery.blob (sha256, size, packing, bytes)
        SELECT sha256, size, packing, substring($6::bytea FROM start FOR length)
        FROM unnest($1::bytea[], $2::float8[], $3::text[], $4::int[], $5::int[])
          AS given (sha256, size, packing, start, length)
        ON CONFLICT (sha256) DO NOTHING`,
      values: [
        part.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        part.map(({ size }) => size),
        part.map(({ packing }) => packing),
        ...joined(part.map(({ bytes }) => bytes)),
      ],
    });
  }
}

/** Stores vectors of a model, as {@link storeBlobs} does. */
export async function storeVectors(
  run: RunStatement,
  { number, dimensions }: StoredModel,
  vectors: readonly StoredVector[],
): Promise<void> {
  const faulty = vectors.find(({ embedding }) => embedding.length !== dimensions * 4);
  if (faulty !== undefined) throw new RangeError(`a vector of ${faulty.embedding.length} bytes, not ${dimensions * 4}`);
  const sorted = vectors.toSorted((a, b) => a.textHash.compare(b.textHash));
  for (const part of inParts(sorted, TOGETHER)) {
    await run({
      text: `INSERT INTO skill_discovery.vector (model, text_hash, embedding)
        SELECT $1, text_hash, substring($5::bytea FROM start FOR length)
        FROM unnest($2::bytea[], $3::int[], $4::int[]) AS given (text_hash, start, length)
        ON CONFLICT (model, text_hash) DO NOTHING`,
      values: [number, part.map(({ textHash }) => textHash), ...joined(part.map(({ embedding }) => embedding))],
    });
  }
}

/** A blob, and what it is when it is unpacked. */
export interface ReadBlob extends PackedBlob {
  readonly content: Buffer;
}

/** Reads blobs. Those that are not there, or are not what their digest says, are left out. */
export async function readBlobs(
  { copy }: Pick<PostgresSession, 'copy'>,
  digests: readonly Buffer[],
): Promise<ReadBlob[]> {
  const found: ReadBlob[] = [];
  for (const part of inParts(digests, TOGETHER)) {
    const rows = await copy(
      `SELECT sha256, size, packing, bytes FROM skill_discovery.blob WHERE sha256 = ANY (${bytesArray(part)})`,
    );
    for (const row of rows) {
      const [digest, sizeBytes, packing, bytes] = row as [Buffer, Buffer, Buffer, Buffer];
      const [sha256, size] = [digest.toString('hex'), sizeBytes.readDoubleBE()];
      const blob = { sha256, size, packing: packing.toString(), bytes } as PackedBlob;
      const content = contentOf(blob);
      const isWhole = content !== undefined && sha256Of(content) === sha256;
      if (isWhole && content.length === size) found.push({ ...blob, content });
    }
  }
  return found;
}

/** @returns undefined if it is packed in another way than it says */
function contentOf({ bytes, packing, size }: PackedBlob): Buffer | undefined {
  if (packing !== 'deflate' && packing !== 'raw') return undefined;
  return orUndefined(() => unpackBlob(bytes, packing, size));
}

/** Reads vectors of a model. Those that are not there, or have another length, are left out. */
export async function readVectors(
  { copy }: Pick<PostgresSession, 'copy'>,
  { number, dimensions }: StoredModel,
  textHashes: readonly Buffer[],
): Promise<StoredVector[]> {
  const vectors: StoredVector[] = [];
  for (const part of inParts(textHashes, TOGETHER)) {
    const rows = await copy(
      `SELECT text_hash, embedding FROM skill_discovery.vector
        WHERE model = ${number} AND text_hash = ANY (${bytesArray(part)})`,
    );
    for (const row of rows) {
      const [textHash, embedding] = row as [Buffer, Buffer];
      if (embedding.length === dimensions * 4) vectors.push({ textHash, embedding });
    }
  }
  return vectors;
}

/**
 * The number of a model, which is noted if it is not known yet. Ids are stored as JSON: PostgreSQL has no U+0000.
 *
 * @throws {SkillSearchError} `MODEL_MISMATCH` if the model has another number of dimensions there
 */
export async function noteModel(
  run: RunStatement,
  shown: string,
  { id, dimensions }: { readonly id: string; readonly dimensions: number },
): Promise<StoredModel> {
  await run({
    text: 'INSERT INTO skill_discovery.model (id, dimensions) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    values: [JSON.stringify(id), dimensions],
  });
  const [model] = await run<StoredModel>({
    text: 'SELECT number, dimensions FROM skill_discovery.model WHERE id = $1',
    values: [JSON.stringify(id)],
  });
  if (model?.dimensions === dimensions) return model;
  const message = `the vectors of the model ${id} have ${dimensions} dimensions here, and ${model?.dimensions} in ${shown}`;
  throw new SkillSearchError('MODEL_MISMATCH', message, { path: shown });
}

/** Runs statements that may take long, each in a transaction of its own. */
export function runAlone(pool: PostgresPool, signal: AbortSignal | undefined): RunStatement {
  const { statementTime } = SHARED_CATALOGUE_LIMITS;
  return (statement) => pool.session({ statementTime, pauseTime: statementTime, signal }, ({ run }) => run(statement));
}

/** Each of some digests once. */
export function distinct(digests: readonly Buffer[]): Buffer[] {
  return [...new Map(digests.map((digest) => [digest.toString('hex'), digest])).values()];
}

/** Cuts a list into parts: of at most `most` items, and of at most `mostBytes`, unless one item alone has more. */
export function* inParts<T>(
  items: readonly T[],
  most: number,
  mostBytes: number = Number.POSITIVE_INFINITY,
  bytesOf: (item: T) => number = () => 0,
): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (part.length > 0 && (part.length === most || bytes + size > mostBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** Bytes as SQL, for queries that can have no values. */
export function bytesArray(values: readonly Buffer[]): string {
  return `ARRAY[${values.map((value) => `decode('${value.toString('hex')}','hex')`).join()}]::bytea[]`;
}

/**
 * Puts bytes together, for a statement that takes them apart again: the client writes those of a list as hex digits,
 * which takes four times as long.
 *
 * @returns where each begins, from 1; how many each has; and all of them
 */
function joined(values: readonly Buffer[]): [starts: number[], lengths: number[], all: Buffer] {
  const starts: number[] = [];
  let start = 1;
  for (const { length } of values) {
    starts.push(start);
    start += length;
  }
  return [starts, values.map(({ length }) => length), Buffer.concat(values)];
}

/**
 * Those of some hashes that have no row.
 *
 * @param row SQL that finds the row of `wanted.hash`; its values are numbered from $2
 */
async function missing(
  run: RunStatement,
  hashes: readonly Buffer[],
  row: string,
  values: readonly unknown[] = [],
): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const part of inParts(hashes, TOGETHER)) {
    const rows = await run<{ place: number }>({
      text: `SELECT place::int FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted (hash, place) WHERE NOT EXISTS (${row})`,
      values: [part, ...values],
    });
    for (const { place } of rows) found.push(part[place - 1]!);
  }
  return found;
}
