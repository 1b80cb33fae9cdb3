import { SkillSearchError } from '../errors.js';
import { untilAborted } from '../threads/abort.js';
import type { Embedder, EmbedOptions } from './embedder.js';

/** How far the norm of a vector may be from 1: what 16-bit arithmetic makes of it. */
const NORM_TOLERANCE = 0.01;

/**
 * Embeds texts and checks what comes back, so that a fault of an embedder is told where it happens.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED`
 * @throws the signal's reason when aborted
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions = {},
): Promise<readonly Float32Array[]> {
  let vectors: readonly Float32Array[];
  try {
    // Not every embedder listens to the signal.
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
 * @param expected length of the vectors that these are to be compared with
 * @throws {SkillSearchError} `EMBEDDER_FAILED` where they have another
 */
export function checkDimensions(embedder: Embedder, vectors: readonly Float32Array[], expected: number): void {
  const other = vectors.find((vector) => vector.length !== expected);
  if (other === undefined) return;
  throw failed(embedder, `returned vectors of ${expected} numbers before, and one of ${other.length} now`);
}

/**
 * How much of a question an embedder can read, 0 to 1.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED` where it says something else, or fails
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
  throw failed(
    embedder,
    `must tell the share of a question that it reads as a number from 0 to 1, got ${String(share)}`,
  );
}

function failedBy(embedder: Embedder, error: unknown): SkillSearchError {
  return failed(embedder, `failed: ${error instanceof Error ? error.message : String(error)}`, error);
}

function failed({ model }: Embedder, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('EMBEDDER_FAILED', `the embedder of ${model} ${message}`, { cause });
}
