import { SkillSearchError } from '../../core/index.js';
import type { StoredVector } from '../../store/index.js';
import type { PostgresSession, RunStatement } from '../postgres/postgres-session.js';
import { bytesArray, inParts, joinBytes, missingHashes, sharedDamage, toStoredText } from './helpers.js';

/** A model whose vectors are stored. */
export interface StoredModel {
  readonly number: number;
  readonly dimensions: number;
}

/** Vectors that one statement asks for or stores. */
const TOGETHER = 2000;

/** The number of a model, which is noted if it is not known yet. */
export async function noteModel(
  run: RunStatement,
  shown: string,
  { id, dimensions }: { readonly id: string; readonly dimensions: number },
): Promise<StoredModel> {
  const stored = toStoredText(id);
  await run({
    text: 'INSERT INTO skill_discovery.model (id, dimensions) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    values: [stored, dimensions],
  });
  const model = await findModel(run, id);
  if (model?.dimensions === dimensions) return model;
  const message = `the vectors of the model ${id} have ${dimensions} dimensions here, and ${model?.dimensions} in ${shown}`;
  throw new SkillSearchError('MODEL_MISMATCH', message, { path: shown });
}

/** @returns undefined if there is no vector of this model */
export async function findModel(run: RunStatement, id: string): Promise<StoredModel | undefined> {
  const [model] = await run<StoredModel>({
    text: 'SELECT number, dimensions FROM skill_discovery.model WHERE id = $1',
    values: [toStoredText(id)],
  });
  return model;
}

/** Those of these hashes that no vector of the model has. */
export function missingVectors(
  run: RunStatement,
  { number }: StoredModel,
  textHashes: readonly Buffer[],
): Promise<Buffer[]> {
  const isThere = 'EXISTS (SELECT FROM skill_discovery.vector WHERE model = $2 AND vector.text_hash = wanted.hash)';
  return missingHashes(run, textHashes, TOGETHER, isThere, [number]);
}

/** Stores vectors of a model; in an order, as `storeBlobs` does. */
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
      values: [number, part.map(({ textHash }) => textHash), ...joinBytes(part.map(({ embedding }) => embedding))],
    });
  }
}

/**
 * Reads vectors of a model, published or not. Those that are not there are left out.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if one has another length
 */
export function readVectors(
  session: Pick<PostgresSession, 'copy'>,
  shown: string,
  model: StoredModel,
  textHashes: readonly Buffer[],
): Promise<StoredVector[]> {
  return readFrom('skill_discovery.vector', session, shown, model, textHashes);
}

/**
 * Like {@link readVectors}, but leaves out those that do not belong to the present version, of whose model they are.
 */
export function readPublishedVectors(
  session: Pick<PostgresSession, 'copy'>,
  shown: string,
  model: StoredModel,
  textHashes: readonly Buffer[],
): Promise<StoredVector[]> {
  const published = 'skill_discovery.vector JOIN skill_discovery.published_vector USING (text_hash)';
  return readFrom(published, session, shown, model, textHashes);
}

async function readFrom(
  tables: string,
  { copy }: Pick<PostgresSession, 'copy'>,
  shown: string,
  { number, dimensions }: StoredModel,
  textHashes: readonly Buffer[],
): Promise<StoredVector[]> {
  const vectors: StoredVector[] = [];
  for (const part of inParts(textHashes, TOGETHER)) {
    const rows = await copy(
      `SELECT text_hash, embedding FROM ${tables}
        WHERE model = ${number} AND text_hash = ANY (${bytesArray(part)})`,
    );
    for (const row of rows) {
      const [textHash, embedding] = row as Buffer[];
      if (embedding!.length !== dimensions * 4) {
        const problem = `the vector of the text ${textHash!.toString('hex')} has not ${dimensions} dimensions`;
        throw sharedDamage(shown, problem);
      }
      vectors.push({ textHash: textHash!, embedding: embedding! });
    }
  }
  return vectors;
}
