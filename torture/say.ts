import { writeSync } from 'node:fs';

/**
 * Writes a line to standard output before it returns, and waits while nobody reads. `process.stdout` would keep the
 * lines of a loop that never ends in memory, so a killed process would have done what it did not say.
 */
export function say(line: string): void {
  // The pipe does not block by itself.
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
