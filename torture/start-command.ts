import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Starts the command line as a process of its own. What it says on standard error is shown. */
export function startCommand(words: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', 'tsx', MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
}
