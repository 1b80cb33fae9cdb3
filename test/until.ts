import { setTimeout as wait } from 'node:timers/promises';

/** Waits until something is true, half a minute at most. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error('it did not become true within 30 seconds');
    await wait(10);
  }
}
