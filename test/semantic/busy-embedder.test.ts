import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BUNDLED_MODEL, inspectModel } from '../../src/semantic/choose-model.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { scratchFolder } from '../scratch-folder.js';

const LONG = 'make a chart from a spreadsheet and tell our users what has changed. '.repeat(5);

describe('the time until a text is begun', () => {
  test('grows with the texts before it, and is nothing again once they are embedded', async () => {
    const { embedder } = await started();
    expect(embedder.expectedWait()).toBe(0);
    const waits: number[] = [];
    const embedded: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      embedded.push(embedder.embed([LONG]));
      waits.push(embedder.expectedWait());
    }
    expect(waits[0]).toBeGreaterThan(0);
    for (const [i, wait] of waits.slice(1).entries()) expect(wait).toBeGreaterThan(waits[i]! * 0.99);
    expect(waits.at(-1)).toBeGreaterThan(waits[0]! * 10);
    await Promise.all(embedded);
    expect(embedder.expectedWait()).toBe(0);
  });

  test('does not count questions whose asker has gone, which are never embedded', async () => {
    const { embedder, workers } = await started();
    const sent = vi.spyOn(workers[0]!, 'postMessage');
    const first = embedder.embed([LONG]);
    const before = embedder.expectedWait();
    const gone = new AbortController();
    const abandoned = Array.from({ length: 9 }, () => embedder.embed([LONG], { signal: gone.signal }));
    const last = embedder.embed([LONG]);
    expect(embedder.expectedWait()).toBeGreaterThan(before * 8);
    gone.abort(new Error('gone'));
    expect(embedder.expectedWait()).toBeLessThan(before * 5);
    for (const one of abandoned) await expect(one).rejects.toThrow('gone');
    await Promise.all([first, last]);
    expect(sent).toHaveBeenCalledTimes(2);
  });
});

describe('a model thread that ends', () => {
  test.each([
    ['is terminated', (worker: Worker) => worker.terminate()],
    ['fails', (worker: Worker) => worker.postMessage(null)],
  ])('because it %s is replaced for the next question', async (_, end) => {
    const { embedder, workers } = await started();
    const [before] = await embedder.embed(['release notes']);
    const ended = new Promise((resolve) => workers[0]?.once('exit', resolve));
    end(workers[0]!);
    await ended;
    expect(await embedder.embed(['release notes'])).toEqual([before]);
    expect(workers).toHaveLength(2);
  });

  test('fails the question that it was at, and answers those behind it by its successor', async () => {
    const { embedder, workers } = await started();
    const questions = Array.from({ length: 5 }, (_, i) => embedder.embed([`${i} ${LONG}`]));
    // It ends after the text that it is at, without an answer.
    workers[0]?.postMessage({ kind: 'close' });
    const endings = await Promise.allSettled(questions);
    expect(endings.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(endings.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'EMBEDDER_FAILED' } });
    expect(workers).toHaveLength(2);
  });

  test('while its model cannot be read fails each question with that, starts few threads, and recovers', async () => {
    const folder = join(scratchFolder(), 'model');
    cpSync(BUNDLED_MODEL, folder, { recursive: true });
    const { embedder, workers } = await started(folder);
    renameSync(folder, `${folder}-away`);
    await workers[0]?.terminate();
    for (let i = 0; i < 20; i++) {
      await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
    }
    expect(workers.length).toBeLessThan(10);
    renameSync(`${folder}-away`, folder);
    for (;;) {
      const answer = await embedder.embed(['a']).catch(() => undefined);
      if (answer !== undefined) break;
      await setTimeout(100);
    }
  });
});

/** An embedder with one thread, and all threads that it starts. */
async function started(folder: string = BUNDLED_MODEL) {
  const workers: Worker[] = [];
  const note = (worker: Worker): unknown => workers.push(worker);
  process.on('worker', note);
  const embedder = await LocalEmbedder.start(await inspectModel(folder), 1);
  onTestFinished(async () => {
    process.off('worker', note);
    await embedder.close();
  });
  return { embedder, workers };
}
