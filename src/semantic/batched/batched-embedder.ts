import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { anyOf, untilAborted } from '../../abort.js';
import { SkillSearchError } from '../../errors.js';
import type { Embedder, EmbedOptions } from '../embedder.js';
import {
  type BatchedEmbedderOptions,
  type EmbeddingCall,
  type ResolvedBatching,
  resolveBatching,
} from './batched-options.js';
import { CallSlots } from './call-slots.js';
import { isTransientError, retryAfter } from './failed-call.js';

/**
 * Makes an embedder of a function that asks a service: in batches, few calls at a time, and again after a pause if a
 * call fails for a while. Checks what comes back, and gives it unit length.
 *
 * Pauses double from attempt to attempt, each shortened by up to a half at random, so that clients which failed
 * together do not come back together. `Retry-After` of an error counts instead: see {@link
 * BatchedEmbedderOptions.isTransient} for what else errors may say. A call that pauses keeps its place among the
 * `concurrency` calls.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`. `embed` of the embedder throws `EMBEDDER_FAILED` if a call fails for
 *   good or its answer is wrong, and the signal's reason when aborted.
 * @example
 * const embedder = batchedEmbedder({
 *   model: 'text-embedding-3-small@512',
 *   batchSize: 256,
 *   embed: async (texts, { signal }) => {
 *     const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ input: texts }), signal });
 *     if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status });
 *     const { data } = await response.json();
 *     return data.map(({ embedding }) => embedding);
 *   },
 * });
 */
export function batchedEmbedder(options: BatchedEmbedderOptions): Embedder {
  const batching = resolveBatching(options);
  const { model, readableShare, readsLanguage } = options;
  const service = new BatchedService(options, batching);
  return {
    model,
    embed: (texts, given) => service.embed(texts, given),
    expectedWait: () => service.expectedWait,
    ...(readableShare === undefined ? {} : { readableShare: (question) => readableShare.call(options, question) }),
    ...(readsLanguage === undefined ? {} : { readsLanguage: (language) => readsLanguage.call(options, language) }),
  };
}

class BatchedService {
  readonly #options: BatchedEmbedderOptions;
  readonly #batching: ResolvedBatching;
  readonly #slots: CallSlots;
  #dimensions: number | undefined;

  constructor(options: BatchedEmbedderOptions, batching: ResolvedBatching) {
    this.#options = options;
    this.#batching = batching;
    this.#slots = new CallSlots(batching.concurrency);
    this.#dimensions = batching.dimensions;
  }

  get expectedWait(): number {
    return this.#slots.expectedWait;
  }

  async embed(texts: readonly string[], { purpose = 'document', signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const { batchSize } = this.#batching;
    const failed = new AbortController();
    const joined = anyOf([signal, failed.signal]);
    const call = { purpose, signal: joined.signal };
    // Each batch that waits listens to it. Node would warn of more than ten.
    setMaxListeners(0, joined.signal);
    const ask = async (batch: readonly string[]): Promise<Float32Array[]> => {
      try {
        return await this.#ask(batch, call);
      } catch (error) {
        // The other batches are of no use then. Told before the place of this one is given to the next.
        failed.abort(error);
        throw error;
      }
    };
    const batches: Promise<Float32Array[]>[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      const batch = texts.slice(start, start + batchSize);
      batches.push(this.#slots.run(() => ask(batch), joined.signal));
    }
    try {
      return (await Promise.all(batches)).flat();
    } finally {
      joined.end();
    }
  }

  /** Asks until there is an answer, or the call has failed for good. */
  async #ask(texts: readonly string[], call: EmbeddingCall): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt++) {
      call.signal.throwIfAborted();
      let answer: unknown;
      try {
        answer = await this.#askOnce(texts, call);
      } catch (error) {
        call.signal.throwIfAborted();
        await pause(this.#pauseAfter(error, attempt), undefined, { signal: call.signal }).catch(() => {});
        continue;
      }
      return this.#check(answer, texts.length);
    }
  }

  async #askOnce(texts: readonly string[], { purpose, signal }: EmbeddingCall): Promise<unknown> {
    const { timeout } = this.#batching;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeout / 1000} seconds`)), timeout);
    const joined = anyOf([signal, late.signal]);
    try {
      // A function may ignore the signal.
      const asking = Promise.resolve(this.#options.embed(texts, { purpose, signal: joined.signal }));
      return await untilAborted(asking, joined.signal);
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      clearTimeout(timer);
      joined.end();
    }
  }

  /**
   * @param attempt number of the attempt that failed, from 1 on
   * @returns milliseconds
   * @throws {SkillSearchError} `EMBEDDER_FAILED` if there is to be no other attempt
   */
  #pauseAfter(error: unknown, attempt: number): number {
    const { retries, firstPause, longestPause } = this.#batching;
    if (error instanceof SkillSearchError || !this.#isTransient(error)) throw this.#givenUp('failed', error);
    const attempts = attempt === 1 ? 'one attempt' : `${attempt} attempts`;
    if (attempt > retries) throw this.#givenUp(`failed after ${attempts}`, error);
    const asked = retryAfter(error, Date.now());
    if (asked === undefined) return Math.min(longestPause, firstPause * 2 ** (attempt - 1)) * (1 - Math.random() / 2);
    if (asked <= longestPause) return asked + (Math.random() * firstPause) / 2;
    const seconds = Math.ceil(asked / 1000);
    throw this.#givenUp(`failed, and asks for a pause of ${seconds} seconds, longer than longestPause`, error);
  }

  /** Calls the caller's function on the options, which may be an object of a class. */
  #isTransient(error: unknown): boolean {
    return this.#options.isTransient === undefined ? isTransientError(error) : this.#options.isTransient(error);
  }

  #check(answer: unknown, count: number): Float32Array[] {
    if (!Array.isArray(answer) || answer.length !== count) {
      const got = Array.isArray(answer) ? `${answer.length} vectors` : typeof answer;
      throw this.#wrong(`a vector for each of ${count} texts, not ${got}`);
    }
    return answer.map((values: unknown) => this.#unitVector(values));
  }

  #unitVector(values: unknown): Float32Array {
    if (!(Array.isArray(values) || values instanceof Float32Array || values instanceof Float64Array)) {
      throw this.#wrong(`vectors as arrays of numbers, not ${values === null ? 'null' : typeof values}`);
    }
    const expected = this.#dimensions ?? values.length;
    if (values.length === 0 || values.length !== expected) {
      throw this.#wrong(`vectors of ${expected === 0 ? 'some' : expected} values, not of ${values.length}`);
    }
    this.#dimensions = expected;
    let squares = 0;
    for (const value of values) squares += typeof value === 'number' ? value * value : Number.NaN;
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm) || norm === 0) {
      throw this.#wrong('vectors of finite numbers that are not all 0');
    }
    return Float32Array.from(values as readonly number[], (value) => value / norm);
  }

  #wrong(expected: string): SkillSearchError {
    return this.#givenUp(`must return ${expected}`);
  }

  #givenUp(message: string, cause?: unknown): SkillSearchError {
    const reason = cause === undefined ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`;
    return new SkillSearchError('EMBEDDER_FAILED', `the embedder of ${this.#options.model} ${message}${reason}`, {
      cause,
    });
  }
}
