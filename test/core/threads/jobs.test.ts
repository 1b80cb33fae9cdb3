import type { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { RequestQueue, runJob, startWorker } from '../../../src/core/index.js';
import type { JobOptions } from '../../../src/core/threads/jobs.js';
import type { ExampleJob } from './example-job-thread.js';

describe('a job in a thread', () => {
  function run(data: ExampleJob, options: Omit<JobOptions<ExampleJob>, 'data'> = {}): Promise<Uint32Array> {
    return runJob(import.meta.url, 'example-job-thread', { data, ...options });
  }

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

describe('request queue', () => {
  interface Started {
    readonly queue: RequestQueue<string>;
    readonly worker: Worker;
  }

  function started(): Started {
    const worker = startWorker(import.meta.url, 'example-answers-thread');
    const queue = new RequestQueue<string>(worker, (error) => new Error(`ended by ${error?.message ?? 'itself'}`));
    worker.on('message', (answer: string) => {
      if (answer === 'no!') queue.refuse(new Error('refused'));
      else queue.answer(answer);
    });
    return { queue, worker };
  }

  test('answers requests in their order, and refuses one of them', async () => {
    const { queue, worker } = started();
    const answers = await Promise.allSettled(['a', 'no', 'b'].map((request) => queue.ask(request)));
    expect(answers).toEqual([
      { status: 'fulfilled', value: 'a!' },
      { status: 'rejected', reason: new Error('refused') },
      { status: 'fulfilled', value: 'b!' },
    ]);
    expect(queue.ended).toBeUndefined();
    await worker.terminate();
  });

  test.each([
    ['end', 'ended by itself'],
    ['fail', 'ended by failed'],
  ])('rejects all that wait when the thread ends, and later ones (%s)', async (request, message) => {
    const { queue } = started();
    const waiting = await Promise.allSettled([queue.ask(request), queue.ask('late')]);
    expect(waiting).toEqual([
      { status: 'rejected', reason: new Error(message) },
      { status: 'rejected', reason: new Error(message) },
    ]);
    expect(queue.ended?.message).toBe(message);
    await expect(queue.ask('a')).rejects.toThrow(message);
  });

  test('keeps the first error', async () => {
    const { queue, worker } = started();
    queue.end(new Error('closed'));
    await worker.terminate();
    await expect(queue.ask('a')).rejects.toThrow('closed');
  });

  test('leaves a thread alone that somebody waits for after its end', async () => {
    const { queue, worker } = started();
    queue.end(new Error('closed'));
    const calls: string[] = [];
    const { unref } = worker;
    worker.unref = () => void calls.push('unref');
    queue.end(new Error('failed'));
    expect(calls).toEqual([]);
    expect(queue.ended?.message).toBe('closed');
    unref.call(worker);
    await worker.terminate();
  });

  test('keeps the process alive only while a request waits', async () => {
    const { queue, worker } = started();
    const calls: string[] = [];
    const { ref, unref } = worker;
    worker.ref = () => void calls.push('ref');
    worker.unref = () => void calls.push('unref');
    const both = [queue.ask('a'), queue.ask('b')];
    ref.call(worker);
    await Promise.all(both);
    unref.call(worker);
    expect(calls).toEqual(['ref', 'ref', 'ref', 'unref']);
    await worker.terminate();
  });
});
