import { describe, expect, test } from 'vitest';
import { runJob } from '../../../src/core/index.js';
import type { JobOptions } from '../../../src/core/threads/jobs.js';
import type { ExampleJob } from './example-job-thread.js';

function run(data: ExampleJob, options: Omit<JobOptions<ExampleJob>, 'data'> = {}): Promise<Uint32Array> {
  return runJob(import.meta.url, 'example-job-thread', { data, ...options });
}

describe('a job in a thread', () => {
  test('gives its result and its progress', async () => {
    const progress: [number, number][] = [];
    const numbers = Uint32Array.of(3, 4);
    const result = await run({ task: 'double', numbers }, { onProgress: (...step) => progress.push(step) });
    expect(result).toEqual(Uint32Array.of(6, 8));
    expect(progress).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('that fails, crashes or ends without a result is an error', async () => {
    await expect(run({ task: 'fail' })).rejects.toThrow('no such number');
    await expect(run({ task: 'crash' })).rejects.toThrow('crashed');
    await expect(run({ task: 'exit' })).rejects.toThrow('the thread example-job-thread ended without a result');
  });

  test.each(['ask', 'terminate'] as const)('stops when the signal is aborted, by %s', async (stop) => {
    const reason = new Error('enough');
    const stopping = new AbortController();
    const running = run({ task: 'wait' }, { stop, signal: stopping.signal, onProgress: () => stopping.abort(reason) });
    await expect(running).rejects.toBe(reason);
    await expect(run({ task: 'wait' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test.each(['ask', 'terminate'] as const)('stops when the listener throws, by %s', async (stop) => {
    const broken = new Error('broken listener');
    const onProgress = (): never => {
      throw broken;
    };
    await expect(run({ task: 'wait' }, { stop, onProgress })).rejects.toBe(broken);
  });
});
