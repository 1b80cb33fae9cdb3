import { writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '../src/evaluation/compare.js';
import type { Trial, TrialOutcome } from './trial.js';

export interface RunOptions {
  /** Of the random numbers. */
  readonly seed: number;
  readonly milliseconds: number;
  readonly material?: string | undefined;
  readonly catalogue?: string | undefined;
  readonly program?: string | undefined;
  /** @default false */
  readonly isLong?: boolean;
  readonly say?: (line: string) => void;
}

/**
 * Runs a trial in a folder of its own.
 *
 * @throws Error of the attempt that broke the promise, with the seed added
 */
export async function runTrial(trial: Trial, options: RunOptions): Promise<TrialOutcome> {
  const { seed, milliseconds, material, catalogue, program, isLong = false, say = () => {} } = options;
  const folder = await mkdtemp(join(tmpdir(), `skill-discovery-${trial.name}-`));
  const until = performance.now() + milliseconds;
  try {
    const random = randomNumbers(seed);
    return await trial.run({ random, until, folder, material, catalogue, program, isLong, say });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${trial.name}, seed ${seed}: ${message}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
