import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/**
 * Node ends its threads when the process exits. A native addon that is then called, or returns, throws where nobody
 * can catch it, and the process aborts. So a process that exits waits until no thread is in such code, and none goes
 * into it any more. Shared by all threads of a process, also by those that threads start.
 */
const SHARED = 'skill-discovery: threads in native code';

/** Places in the shared memory: how many threads are in native code, and whether the process exits. */
const [RUNNING, EXITING] = [0, 1];

/**
 * The most milliseconds that an exit waits: only a thread that died in native code takes as long. Node itself waits
 * without end until threads have left native code.
 */
const LONGEST_WAIT = 10_000;

/** Must be called before a thread starts that calls {@link inNativeCode}. */
export function guardNativeCode(): void {
  if (getEnvironmentData(SHARED) !== undefined) return;
  const state = new Int32Array(new SharedArrayBuffer(8));
  setEnvironmentData(SHARED, state);
  process.on('exit', () => {
    Atomics.store(state, EXITING, 1);
    const end = performance.now() + LONGEST_WAIT;
    for (let left = LONGEST_WAIT; left > 0; left = end - performance.now()) {
      const running = Atomics.load(state, RUNNING);
      if (running === 0) return;
      Atomics.wait(state, RUNNING, running, left);
    }
  });
}

/** Calls a native addon in a thread. Does not return if the process exits before. */
export async function inNativeCode<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const state = getEnvironmentData(SHARED) as Int32Array | undefined;
  if (state === undefined) return work();
  // First this, then the look, as the process first says that it exits and then looks: one of both sees the other.
  Atomics.add(state, RUNNING, 1);
  try {
    if (Atomics.load(state, EXITING) === 0) return await work();
  } finally {
    Atomics.sub(state, RUNNING, 1);
    Atomics.notify(state, RUNNING);
  }
  // Node is about to end this thread.
  return new Promise(() => {});
}
