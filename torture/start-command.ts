import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Starts the command line as a process of its own. What it says on standard error is shown. */
export function startCommand(words: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', 'tsx', MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The same with an input that is written to. */
export function startCommandWithInput(words: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, ['--import', 'tsx', MAIN, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
}
