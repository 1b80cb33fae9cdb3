import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, vi } from 'vitest';

/** The threads that are started from now on until the test ends. */
export function startedThreads(): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker): unknown => threads.push(thread);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return threads;
}

/** Runs a program that kills itself. */
export async function runKilled(program: URL, words: readonly string[]): Promise<void> {
  const parameters = ['--import', 'tsx', fileURLToPath(program), ...words];
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
}

/** Waits until something is true that happens elsewhere, half a minute at most. */
export async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { timeout: 30_000, interval: 10 });
}
