import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Why programs cannot be watched or disturbed at their system calls; undefined if they can. */
export function straceMissing(): string | undefined {
  const { status } = spawnSync('strace', ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', 'true'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'there is no strace that may trace here';
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
  const command = strace === undefined ? node : ['strace', '-f', '--seccomp-bpf', '-qq', ...strace, ...node];
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
