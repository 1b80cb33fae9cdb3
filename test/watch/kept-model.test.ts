import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ChosenModel, Embedder } from '../../src/semantic/index.js';
import { KeptModel } from '../../src/watch/kept-model.js';

afterEach(() => {
  vi.useRealTimers();
});

/** A model that notes with how many threads it was started, and how often it was stopped. */
function model(start: () => Promise<void> = async () => {}) {
  const started: number[] = [];
  let stopped = 0;
  const embedder: Embedder = {
    model: 'stand-in@1',
    embed: async (texts) => texts.map((text) => Float32Array.of(text.length)),
  };
  const chosen: ChosenModel = {
    id: embedder.model,
    compatible: [],
    named: false,
    start: async (threads) => {
      started.push(threads);
      await start();
      return embedder;
    },
    stop: async () => {
      stopped += 1;
    },
  };
  return { kept: new KeptModel(chosen), started, stopped: () => stopped, embedder };
}

describe('the model of a watch', () => {
  test('is started by the first text, and stays for the next ones', async () => {
    const { kept, started, stopped, embedder } = model();
    expect([kept.model, started]).toEqual([embedder.model, []]);
    expect(await kept.embed(['a'])).toEqual(await embedder.embed(['a']));
    await Promise.all([kept.embed(['b']), kept.embed(['c'])]);
    expect([started, stopped()]).toEqual([[1], 0]);
    await kept.close();
    await kept.close();
    expect(stopped()).toBe(1);
  });

  test('is started once by texts that come together', async () => {
    const { kept, started } = model();
    await Promise.all([kept.embed(['a']), kept.embed(['b'])]);
    expect(started).toEqual([1]);
    await kept.close();
  });

  test('is started anew with more threads for many texts', async () => {
    const { kept, started, stopped } = model();
    await kept.embed(['a']);
    await kept.embed(Array.from({ length: 101 }, String));
    expect(started.length).toBeLessThanOrEqual(2);
    expect(stopped()).toBe(started.length - 1);
    await kept.close();
  });

  test('leaves a caller that is aborted at once, also while it is started', async () => {
    const { kept } = model(() => new Promise((resolve) => setTimeout(resolve, 200)));
    const stop = new AbortController();
    const reason = new Error('enough');
    const embedding = kept.embed(['a'], { signal: stop.signal });
    stop.abort(reason);
    await expect(embedding).rejects.toBe(reason);
    expect(await kept.embed(['a'])).toHaveLength(1);
    await kept.close();
  });

  test('is started again by the next text if it could not be', async () => {
    let fails = true;
    const { kept, started } = model(async () => {
      if (fails) throw new Error('no memory');
    });
    await expect(kept.embed(['a'])).rejects.toThrow('no memory');
    fails = false;
    await kept.embed(['a']);
    expect(started).toEqual([1, 1]);
    await kept.close();
  });

  test('is closed when it was not used for a minute', async () => {
    vi.useFakeTimers();
    const { kept, stopped } = model();
    await kept.embed(['a']);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(stopped()).toBe(0);
    await vi.advanceTimersByTimeAsync(1001);
    expect(stopped()).toBe(1);
  });
});
