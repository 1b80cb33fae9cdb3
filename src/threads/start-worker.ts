import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread of this library that does not keep the process alive.
 *
 * @param base `import.meta.url` of the caller
 * @param name file of the thread beside the caller, without its extension
 */
export function startWorker(base: string, name: string, options: WorkerOptions = {}): Worker {
  // Options of the process are not handed on: with some, such as --input-type, no thread can be started.
  const worker = base.endsWith('.ts')
    ? new Worker(fromSources(new URL(`./${name}.ts`, base)), { ...options, execArgv: [], eval: true })
    : new Worker(new URL(`./${name}.js`, base), { ...options, execArgv: [] });
  worker.unref();
  return worker;
}

/** From the sources (tests, bench) the thread is TypeScript, which a thread learns to read by itself only. */
function fromSources(url: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); });`;
}
