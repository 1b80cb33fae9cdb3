import { describeValue, SkillSearchError, untilAborted } from '../core/index.js';
import type { Embedder } from './embedder.js';
import type { LocalEmbedOptions } from './local-embedder.js';

/** How far the norm of a vector may be from 1. Embedders that compute with 16-bit floats are off by less. */
const NORM_TOLERANCE = 0.01;

/**
 * Embeds texts and checks the vectors, so that a fault of an embedder is reported where it happens.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED`
 * @throws the signal's reason when aborted
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: LocalEmbedOptions = {},
): Promise<readonly Float32Array[]> {
  let vectors: readonly Float32Array[];
  try {
    // An embedder may ignore the signal.
    vectors = await untilAborted(Promise.resolve(embedder.embed(texts, options)), options.signal);
  } catch (error) {
    if (error instanceof SkillSearchError || options.signal?.aborted === true) throw error;
    throw failedBy(embedder, error);
  }
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    const got = Array.isArray(vectors) ? `${vectors.length} vectors` : typeof vectors;
    throw failed(embedder, `must return a vector for each of ${texts.length} texts, got ${got}`);
  }
  const expected = vectors[0]?.length ?? 0;
  for (const vector of vectors) {
    if (!(vector instanceof Float32Array) || vector.length !== expected || expected === 0) {
      const got = vector instanceof Float32Array ? `${vector.length} numbers` : typeof vector;
      throw failed(embedder, `must return a Float32Array of ${expected || 'some'} numbers for each text, got ${got}`);
    }
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (!(Math.abs(norm - 1) <= NORM_TOLERANCE)) {
      throw failed(embedder, `must return vectors of unit length, got one of length ${norm}`);
    }
  }
  return vectors;
}

/**
 * Checks that vectors can be compared with the stored ones.
 *
 * @param expected number of values in a stored vector
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if a vector has another number of values
 */
export function checkDimensions(embedder: Embedder, vectors: readonly Float32Array[], expected: number): void {
  const other = vectors.find((vector) => vector.length !== expected);
  if (other === undefined) return;
  throw failed(embedder, `returned vectors of ${expected} numbers before, and one of ${other.length} now`);
}

/**
 * The share of a question that an embedder can read, 0 to 1.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if the embedder returns anything else, or throws
 */
export function readableShareChecked(embedder: Embedder, question: string): number {
  let share: unknown;
  try {
    share = embedder.readableShare?.(question) ?? 1;
  } catch (error) {
    if (error instanceof SkillSearchError) throw error;
    throw failedBy(embedder, error);
  }
  if (typeof share === 'number' && share >= 0 && share <= 1) return share;
  throw failed(embedder, `must return from readableShare() a number from 0 to 1, got ${describeValue(share)}`);
}

/**
 * Whether the model of an embedder reads a language.
 *
 * @param language ISO 639-1
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if the embedder returns anything but a boolean, or throws
 */
export function readsLanguageChecked(embedder: Embedder, language: string): boolean {
  let reads: unknown;
  try {
    reads = embedder.readsLanguage?.(language) ?? true;
  } catch (error) {
    if (error instanceof SkillSearchError) throw error;
    throw failedBy(embedder, error);
  }
  if (typeof reads === 'boolean') return reads;
  throw failed(embedder, `must return from readsLanguage() a boolean, got ${describeValue(reads)}`);
}

function failedBy(embedder: Embedder, error: unknown): SkillSearchError {
  return failed(embedder, `failed: ${error instanceof Error ? error.message : String(error)}`, error);
}

function failed({ model }: Embedder, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('EMBEDDER_FAILED', `the embedder of ${model} ${message}`, { cause });
}
