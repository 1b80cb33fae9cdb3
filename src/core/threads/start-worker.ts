import { Worker, type WorkerOptions } from 'node:worker_threads';
import { guardNativeCode } from './native-work.js';

/**
 * Starts a thread of this library. It does not keep the process alive.
 *
 * @param base `import.meta.url` of the caller
 * @param name file of the thread beside the caller, without its extension
 */
export function startWorker(base: string, name: string, options: WorkerOptions = {}): Worker {
  // onnxruntime sends telemetry from version 1.29 on, unless this variable of the process is set before it is loaded. A
  // thread has only a copy of the variables, and may load a model in a thread of its own: the main thread sets it.
  process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
  guardNativeCode();
  // The thread does not inherit the options of the process: with some, such as --input-type, no thread can start.
  const worker = base.endsWith('.ts')
    ? new Worker(importOfSource(new URL(`./${name}.ts`, base)), { ...options, execArgv: [], eval: true })
    : new Worker(new URL(`./${name}.js`, base), { ...options, execArgv: [] });
  worker.unref();
  return worker;
}

/** Tests and benchmarks run the TypeScript sources. A thread cannot read TypeScript before it registers a loader. */
function importOfSource(url: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); });`;
}
