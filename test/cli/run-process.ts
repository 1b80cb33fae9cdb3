import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { packageIn } from '../package/installations.js';
import { PROJECT } from '../project-copy.js';
import type { Captured } from './run-captured.js';

export interface ProcessOptions {
  /** A folder with the sources, which are run in place of the installed package. */
  readonly project?: string;
  /** Its working folder, from which `tsx` must be found. @default the present one */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An open file that takes its standard output. */
  readonly stdout?: number;
}

/** Starts the command line as a process of its own, as npm installs it. */
export function startProcess(
  words: readonly string[],
  { project, cwd, env = {}, stdout }: ProcessOptions = {},
): ChildProcessWithoutNullStreams {
  // Only `npm run test:system` installs it.
  const [installed] = project === undefined ? (inject('installations') ?? []) : [];
  const main =
    installed === undefined
      ? ['--import', 'tsx', join(project ?? PROJECT, 'src/cli/main.ts')]
      : [join(packageIn(installed), 'dist/cli/main.js')];
  return spawn(process.execPath, [...main, ...words], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '0', ...env },
    stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams;
}

/** Runs the command line as a process of its own until it ends. */
export async function runProcess(
  words: readonly string[],
  input = '',
  options: ProcessOptions = {},
): Promise<Captured> {
  const child = startProcess(words, options);
  const output = catchOutput(child);
  child.stdin.on('error', () => {}); // a command that does not read it ends before all is written
  child.stdin.end(input);
  await once(child, 'close');
  return { status: child.exitCode ?? -1, ...output() };
}

/** Collects what a process writes. */
export function catchOutput(child: ChildProcessWithoutNullStreams): () => { out: string; error: string } {
  const [out, error]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => error.push(chunk));
  return () => ({ out: Buffer.concat(out).toString('utf8'), error: Buffer.concat(error).toString('utf8') });
}
