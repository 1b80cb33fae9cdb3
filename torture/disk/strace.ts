import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Why programs cannot be watched or disturbed at their system calls; undefined if they can. */
export function straceMissing(): string | undefined {
  const { status } = spawnSync('strace', ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', 'true'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'there is no strace that may trace here';
}

/**
 * How often a program makes each of some system calls, from the output of an `strace` of these calls. `strace` counts
 * the calls of each thread by themselves, so this is the count of the thread that makes most.
 */
export function callCounts(output: string, calls: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map(calls.map((call) => [call, new Map<string, number>()]));
  for (const [, thread = '', call = ''] of output.matchAll(/^(\d+) +(\w+)\(/gm)) {
    const byThread = counts.get(call);
    byThread?.set(thread, (byThread.get(thread) ?? 0) + 1);
  }
  return new Map([...counts].map(([call, byThread]) => [call, Math.max(0, ...byThread.values())]));
}

/** How a program ended. */
export interface ProgramEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** A program of `torture/programs/`, its arguments, and the arguments of an `strace` around it, if there is one. */
export interface ProgramCall {
  /** Name of the file, without its ending. */
  readonly program: string;
  readonly args: readonly string[];
  readonly strace?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  readonly killAfter?: number | undefined;
}

/** Runs a program to its end. */
export function runProgram({ program, args, strace, env, killAfter }: ProgramCall): Promise<ProgramEnd> {
  const script = fileURLToPath(new URL(`../programs/${program}.ts`, import.meta.url));
  const node = [process.execPath, '--import', 'tsx', script, ...args];
  // With seccomp other calls are not slowed down; but then strace 6.1 sends no signals.
  const quick = strace?.some((argument) => argument.includes('signal=')) === true ? [] : ['--seccomp-bpf'];
  const command = strace === undefined ? node : ['strace', '-f', ...quick, '-qq', ...strace, ...node];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({ status, signal, output, errors });
    });
  });
}
