import {
  checkInteger,
  checkListener,
  checkNumber,
  checkOptions,
  invalidArgument,
  type Names,
  namesOf,
  optionOf,
} from '../../check-arguments.js';
import {
  MAX_EMBEDDING_BATCH,
  MAX_EMBEDDING_CALLS,
  MAX_EMBEDDING_DIMENSIONS,
  MAX_EMBEDDING_RETRIES,
  MAX_EMBEDDING_SECONDS,
  MIN_EMBEDDING_SECONDS,
} from '../../limits.js';
import type { Embedder, EmbeddingPurpose } from '../embedder.js';

/** What a call to the service is for. */
export interface EmbeddingCall {
  readonly purpose: EmbeddingPurpose;
  /** Aborted when nobody waits for the answer any more, or the call takes longer than `timeout`. */
  readonly signal: AbortSignal;
}

/** Options of `batchedEmbedder`. */
export interface BatchedEmbedderOptions extends Pick<Embedder, 'readableShare' | 'readsLanguage'> {
  /** Name of the model, in one line. Every change of the vectors needs a new name; see `Embedder.model`. */
  readonly model: string;
  /**
   * Asks the service once. What it throws is tried again if `isTransient` says so.
   *
   * @param texts from one to `batchSize`
   * @returns a vector for each text, in their order; it need not have unit length
   */
  readonly embed: (
    texts: readonly string[],
    call: EmbeddingCall,
  ) => Promise<readonly (Float32Array | readonly number[])[]>;
  /** The most texts of a call, 1 to 2,048. @default 64 */
  readonly batchSize?: number | undefined;
  /** The most calls at a time, 1 to 64, of all searches and loads that use this embedder. @default 4 */
  readonly concurrency?: number | undefined;
  /** How often a call that failed is tried again, 0 to 20. @default 5 */
  readonly retries?: number | undefined;
  /** Seconds before the first of these attempts. Each further pause is twice as long. Up to 600. @default 0.5 */
  readonly firstPause?: number | undefined;
  /**
   * The longest pause, in seconds, up to 600. A service that asks for a longer one (`Retry-After`) is given up.
   *
   * @default 30
   */
  readonly longestPause?: number | undefined;
  /** Seconds that a call may take, 0.001 to 600. Then it has failed, and may be tried again. @default 60 */
  readonly timeout?: number | undefined;
  /** Values of a vector, 1 to 65,536. @default as many as the first vector has */
  readonly dimensions?: number | undefined;
  /**
   * Whether a failed call may succeed later.
   *
   * @default by `status`, `statusCode` or `response.status` of the error: 408, 409, 425, 429, and from 500 on. An error
   *   without any is one of the network, and is tried again, unless it is a fault of the program.
   */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
}

/** Options with their defaults. Times are in milliseconds. */
export interface ResolvedBatching {
  readonly batchSize: number;
  readonly concurrency: number;
  readonly retries: number;
  readonly firstPause: number;
  readonly longestPause: number;
  readonly timeout: number;
  readonly dimensions: number | undefined;
}

const OPTIONS: Names = namesOf<BatchedEmbedderOptions>({
  model: true,
  embed: true,
  batchSize: true,
  concurrency: true,
  retries: true,
  firstPause: true,
  longestPause: true,
  timeout: true,
  dimensions: true,
  isTransient: true,
  readableShare: true,
  readsLanguage: true,
});

/**
 * Checks options and fills in the defaults.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveBatching(options: BatchedEmbedderOptions): ResolvedBatching {
  checkOptions(options, OPTIONS);
  if (typeof options.embed !== 'function') {
    throw invalidArgument(optionOf('embed'), 'a function', options.embed);
  }
  for (const name of ['isTransient', 'readableShare', 'readsLanguage'] as const) checkListener(name, options[name]);
  type Count = 'batchSize' | 'concurrency' | 'retries' | 'dimensions';
  const count = (name: Count, min: number, max: number): number | undefined =>
    checkInteger(optionOf(name), options[name], min, max);
  type Time = 'firstPause' | 'longestPause' | 'timeout';
  const milliseconds = (name: Time, usual: number, least = 0): number =>
    1000 * (checkNumber(optionOf(name), options[name], least, MAX_EMBEDDING_SECONDS) ?? usual);
  return {
    batchSize: count('batchSize', 1, MAX_EMBEDDING_BATCH) ?? 64,
    concurrency: count('concurrency', 1, MAX_EMBEDDING_CALLS) ?? 4,
    retries: count('retries', 0, MAX_EMBEDDING_RETRIES) ?? 5,
    firstPause: milliseconds('firstPause', 0.5),
    longestPause: milliseconds('longestPause', 30),
    timeout: milliseconds('timeout', 60, MIN_EMBEDDING_SECONDS),
    dimensions: count('dimensions', 1, MAX_EMBEDDING_DIMENSIONS),
  };
}
