import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type BatchedEmbedderOptions,
  batchedEmbedder,
  buildCatalogue,
  type Embedder,
  openSkillSearch,
} from '../../src/index.js';
import { CallSlots } from '../../src/semantic/batched/call-slots.js';
import { isTransientError, retryAfter } from '../../src/semantic/batched/failed-call.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { describeEmbedder } from './embedder-contract.js';
import { type EmbeddingServer, startEmbeddingServer } from './embedding-server.js';
import { StandInEmbedder } from './stand-in-embedder.js';

/** As docs/library.md shows it. */
function overHttp(url: string, options: Partial<BatchedEmbedderOptions> = {}): Embedder {
  return batchedEmbedder({
    model: 'service@1',
    firstPause: 0.001,
    embed: async (input, { purpose, signal }) => {
      const body = JSON.stringify({ model: 'service', input, input_type: purpose });
      const response = await fetch(url, { method: 'POST', body, signal });
      if (!response.ok) {
        const { status, statusText, headers } = response;
        throw Object.assign(new Error(`${status} ${statusText}`), { status, headers });
      }
      const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] };
      return data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    },
    ...options,
  });
}

async function serverWith(...fault: Parameters<typeof startEmbeddingServer>): Promise<EmbeddingServer> {
  const server = await startEmbeddingServer(...fault);
  onTestFinished(() => server.close());
  return server;
}

/** An embedder whose function gives these answers, one a call, or throws those that are errors; the last for ever. */
function answering(answers: readonly unknown[], options: Partial<BatchedEmbedderOptions> = {}) {
  let calls = 0;
  const embedder = batchedEmbedder({
    model: 'service@1',
    firstPause: 0.001,
    embed: async () => {
      const answer = answers[Math.min(calls++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer as number[][];
    },
    ...options,
  });
  return { embedder, calls: () => calls };
}

function fail(response: ServerResponse, status: number, headers: Record<string, string> = {}): true {
  response.writeHead(status, headers).end();
  return true;
}

const withStatus = (status: number, more: object = {}): Error =>
  Object.assign(new Error(`status ${status}`), { status }, more);

let faulty: EmbeddingServer;
beforeAll(async () => {
  faulty = await startEmbeddingServer((request, response) => {
    if (request % 5 === 0) return fail(response, 503);
    if (request % 7 === 0) return fail(response, 429, { 'retry-after': '0' });
    if (request % 11 === 0) response.destroy();
    return response.destroyed;
  });
});
afterAll(() => faulty.close());

describeEmbedder('over a service that fails now and then', () =>
  overHttp(faulty.url, { batchSize: 7, concurrency: 3, retries: 20 }),
);

describe('an embedder over a service', () => {
  test('sends no more texts in a call and no more calls at a time than it may, and gives unit length', async () => {
    const server = await serverWith();
    const embedder = overHttp(server.url, { batchSize: 10, concurrency: 3 });
    const texts = Array.from({ length: 95 }, (_, i) => `text ${i}`);
    const both = await Promise.all([embedder.embed(texts), embedder.embed(['alone'])]);
    expect(server.mostAtOnce).toBeLessThanOrEqual(3);
    expect(server.requests.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([1, 5, ...Array(9).fill(10)]);
    const expected = await new StandInEmbedder().embed([...texts, 'alone']);
    for (const [i, vector] of both.flat().entries()) {
      expect(vector.length).toBe(expected[i]!.length);
      expect(vector.reduce((sum, value, j) => sum + value * expected[i]![j]!, 0)).toBeCloseTo(1, 5);
    }
  });

  test('tells the service what the texts are for', async () => {
    const purposes: string[] = [];
    const embed: BatchedEmbedderOptions['embed'] = async (texts, { purpose }) => {
      purposes.push(purpose);
      return texts.map(() => [1, 2]);
    };
    const embedder = batchedEmbedder({ model: 'service@1', embed });
    await embedder.embed(['a']);
    await embedder.embed(['a'], { purpose: 'question' });
    expect(purposes).toEqual(['document', 'question']);
  });

  test('tries again what may succeed later, as often as it may', async () => {
    const server = await serverWith((request, response) => request <= 3 && fail(response, 500));
    expect(await overHttp(server.url, { retries: 3 }).embed(['a'])).toHaveLength(1);
    expect(server.requests).toHaveLength(4);
    const broken = await serverWith((_, response) => fail(response, 500));
    await expect(overHttp(broken.url, { retries: 2 }).embed(['a'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: 'the embedder of service@1 failed after 3 attempts: 500 Internal Server Error',
      cause: expect.objectContaining({ status: 500 }),
    });
    expect(broken.requests).toHaveLength(3);
  });

  test('tries again where nobody answers, and says so in the end', async () => {
    const server = await startEmbeddingServer();
    await server.close();
    await expect(overHttp(server.url, { retries: 1 }).embed(['a'])).rejects.toThrow(
      /failed after 2 attempts: fetch failed/,
    );
  });

  test('gives up at once what will not succeed, and asks for nothing more', async () => {
    const server = await serverWith((_, response) => fail(response, 401));
    const embedder = overHttp(server.url, { batchSize: 1, concurrency: 1 });
    await expect(embedder.embed(['a', 'b', 'c'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: 'the embedder of service@1 failed: 401 Unauthorized',
    });
    expect(server.requests).toHaveLength(1);
    const own = answering([withStatus(400), [[1]]], { isTransient: () => true });
    expect(await own.embedder.embed(['a'])).toHaveLength(1);
  });

  test('gives up a service that asks for too long a pause', async () => {
    const { embedder, calls } = answering([withStatus(429, { retryAfter: 90 })]);
    await expect(embedder.embed(['a'])).rejects.toThrow(
      'failed, and asks for a pause of 90 seconds, longer than longestPause: status 429',
    );
    expect(calls()).toBe(1);
  });

  test('counts a call that takes too long as failed, even if it ignores its signal', async () => {
    let calls = 0;
    const embedder = batchedEmbedder({
      model: 'service@1',
      embed: () => (++calls < 2 ? new Promise(() => {}) : Promise.resolve([[1, 1]])),
      timeout: 0.05,
      firstPause: 0,
    });
    expect(await embedder.embed(['a'])).toHaveLength(1);
    const never = batchedEmbedder({ model: 'm', embed: () => new Promise(() => {}), timeout: 0.01, retries: 0 });
    await expect(never.embed(['a'])).rejects.toThrow('failed after one attempt: no answer within 0.01 seconds');
  });

  test('stops a pause, a call and what waits for a place when nobody waits for the answer', async () => {
    const reason = new Error('gone');
    for (const embed of [() => Promise.reject(withStatus(500)), () => new Promise<number[][]>(() => {})]) {
      const embedder = batchedEmbedder({ model: 'm', embed, firstPause: 600, longestPause: 600, concurrency: 1 });
      const stop = new AbortController();
      const running = embedder.embed(['a'], { signal: stop.signal });
      const waiting = embedder.embed(['b'], { signal: stop.signal });
      setTimeout(() => stop.abort(reason), 20);
      await expect(running).rejects.toBe(reason);
      await expect(waiting).rejects.toBe(reason);
      expect(embedder.expectedWait?.()).toBe(0);
    }
  });

  test.each<[what: string, answer: unknown, message: RegExp]>([
    ['too few vectors', [[1, 2]], /must return a vector for each of 2 texts, not 1 vectors/],
    ['no list', { data: [] }, /must return a vector for each of 2 texts, not object/],
    ['texts', ['a', 'b'], /must return vectors as arrays of numbers, not string/],
    ['vectors of two lengths', [[1], [1, 2]], /must return vectors of 1 values, not of 2/],
    ['empty vectors', [[], []], /must return vectors of some values, not of 0/],
    [
      'what is no number',
      [
        [1, Number.NaN],
        [1, 2],
      ],
      /must return vectors of finite numbers/,
    ],
    [
      'numbers as texts',
      [
        ['1', '2'],
        [1, 2],
      ],
      /must return vectors of finite numbers/,
    ],
    [
      'nothing but 0',
      [
        [0, 0],
        [1, 2],
      ],
      /must return vectors of finite numbers that are not all 0/,
    ],
  ])('refuses %s, without another attempt', async (_, answer, message) => {
    const { embedder, calls } = answering([answer]);
    await expect(embedder.embed(['a', 'b'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringMatching(message),
    });
    expect(calls()).toBe(1);
  });

  test('refuses vectors of another length than it was told, or than those before', async () => {
    await expect(answering([[[1, 2]]], { dimensions: 3 }).embedder.embed(['a'])).rejects.toThrow(
      'of 3 values, not of 2',
    );
    const { embedder } = answering([[[1, 2]], [[1, 2, 3]]]);
    await embedder.embed(['a']);
    await expect(embedder.embed(['a'])).rejects.toThrow('vectors of 2 values, not of 3');
  });

  test('says which questions it reads if it is told', () => {
    const { embedder } = answering([[]], { readableShare: () => 0.5, readsLanguage: (language) => language === 'de' });
    expect([embedder.readableShare?.('a'), embedder.readsLanguage?.('de'), embedder.readsLanguage?.('en')]).toEqual([
      0.5,
      true,
      false,
    ]);
  });

  test('waits for an answer for a millisecond at least, or is refused', () => {
    expect(() => answering([], { timeout: 0.001 })).not.toThrow();
    for (const timeout of [0, 0.0009]) {
      expect(() => answering([], { timeout })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    }
  });

  test('calls the functions of its options on them', async () => {
    class Service {
      readonly model = 'm';
      readonly firstPause = 0;
      readonly retries = 1;
      readonly #language = 'de';
      #calls = 0;
      async embed(): Promise<number[][]> {
        this.#calls += 1;
        throw new Error(this.#language);
      }
      isTransient(error: unknown): boolean {
        return (error as Error).message === this.#language;
      }
      readsLanguage(language: string): boolean {
        return language === this.#language;
      }
      readableShare(): number {
        return this.#language.length / 4;
      }
      get calls(): number {
        return this.#calls;
      }
    }
    const service = new Service();
    const embedder = batchedEmbedder(service);
    expect([embedder.readsLanguage?.('de'), embedder.readableShare?.('a')]).toEqual([true, 0.5]);
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ message: expect.stringMatching(/2 attempts: de$/) });
    expect(service.calls).toBe(2);
  });

  test.each([
    { batchSize: 0 },
    { concurrency: 1.5 },
    { retries: -1 },
    { timeout: '1' },
    { batch: 1 },
    { embed: 1 },
    { isTransient: true },
  ])('has no option %j', (options) => {
    expect(() => answering([], options as object)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('makes the vectors of a catalogue and reads its questions', async () => {
    const database = scratchFile('skills.db');
    const embedder = overHttp(faulty.url, { batchSize: 16, retries: 20 });
    const rows = Array.from({ length: 100 }, (_, i) => row(`s${i}`, { description: `about number ${i}` }));
    expect(await buildCatalogue({ database, sources: [rows], embedder })).toMatchObject({ embedded: 100 });
    await using search = await openSkillSearch({ database, embedder });
    const { hits } = await search.semantic({ q: 'name of s42. about number 42', ranking: 'vector' });
    expect(hits[0]?.skill.id).toBe('s42');
  });
});

describe('a failed call', () => {
  test('may succeed later or not, by its status or by what kind of error it is', () => {
    for (const status of [408, 409, 425, 429, 500, 502, 503, 529]) expect(isTransientError({ status })).toBe(true);
    for (const status of [400, 401, 403, 404, 413, 422]) expect(isTransientError({ status })).toBe(false);
    expect(isTransientError({ statusCode: 429 })).toBe(true);
    expect(isTransientError({ response: { status: 400 } })).toBe(false);
    expect(isTransientError(new TypeError('fetch failed', { cause: new Error('ECONNRESET') }))).toBe(true);
    for (const fault of [new TypeError('x is not a function'), new ReferenceError('x'), new SyntaxError('x')]) {
      expect(isTransientError(fault)).toBe(false);
    }
    expect(isTransientError(new Error('socket hang up'))).toBe(true);
  });

  test('may say when to come again: in seconds or by a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfter({ retryAfter: 2 }, now)).toBe(2000);
    expect(retryAfter({ headers: new Headers({ 'Retry-After': '3' }) }, now)).toBe(3000);
    expect(retryAfter({ response: { headers: { 'Retry-After': '0.5' } } }, now)).toBe(500);
    expect(retryAfter({ headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' } }, now)).toBe(7000);
    expect(retryAfter({ headers: { 'retry-after': 'Thu, 01 Jan 2025 00:00:00 GMT' } }, now)).toBe(0);
    for (const error of [{}, null, 'x', { headers: null }, { headers: { 'retry-after': 'soon' } }]) {
      expect(retryAfter(error, now)).toBeUndefined();
    }
  });
});

test('calls begin in the order in which they came, each when one before it has ended', async () => {
  const slots = new CallSlots(2);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const { signal } = new AbortController();
  const calls = [0, 1, 2, 3].map((call) =>
    slots.run(() => {
      began.push(call);
      return new Promise<void>((end) => ends.push(end));
    }, signal),
  );
  await new Promise(setImmediate);
  expect(began).toEqual([0, 1]);
  expect(slots.expectedWait).toBeGreaterThan(0);
  for (const count of [3, 4]) {
    ends.shift()?.();
    await new Promise(setImmediate);
    expect(began).toHaveLength(count);
  }
  for (const end of ends) end();
  await Promise.all(calls);
  expect([began, slots.expectedWait]).toEqual([[0, 1, 2, 3], 0]);
});
