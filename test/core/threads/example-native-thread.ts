import { appendFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { inNativeCode, startWorker } from '../../../src/core/index.js';

/** Notes in `file` what it does, in a thread that it starts if `depth` is not 0. */
const { file, depth } = workerData as { readonly file: string; readonly depth: number };
const note = (line: string): void => appendFileSync(file, `${line}\n`);

if (depth > 0) {
  const thread = startWorker(import.meta.url, 'example-native-thread', { workerData: { file, depth: depth - 1 } });
  thread.ref();
  thread.once('message', () => parentPort?.postMessage('begun'));
} else {
  await inNativeCode(() => {
    parentPort?.postMessage('begun');
    // As an addon: it returns when it is done. But here the end of the thread would end it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    note('done');
  });
  await inNativeCode(() => note('called again'));
}
