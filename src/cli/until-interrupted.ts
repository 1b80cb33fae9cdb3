/** Signals that stop work. Both are handled, so that it ends in order: a load can be resumed from what it leaves. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does work that the first SIGINT or SIGTERM aborts.
 *
 * @param work gets the signal that is aborted then
 */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    await work(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
