import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Why programs cannot be watched or disturbed at their system calls; undefined if they can. */
export function straceMissing(): string | undefined {
  const { status } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' });
  if (status !== 0) return 'there is no strace that may trace here';
  // Yama lets only the administrator attach to a process that is no child of the tracer.
  const scope = existsSync(PTRACE_SCOPE) ? readFileSync(PTRACE_SCOPE, 'utf8').trim() : '0';
  return scope === '0' || process.getuid?.() === 0 ? undefined : `${PTRACE_SCOPE} is ${scope}`;
}

const PTRACE_SCOPE = '/proc/sys/kernel/yama/ptrace_scope';

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

/** A program of `torture/programs/` that waits until it is told, its arguments, and what is done to it then. */
export interface ProgramCall {
  /** Name of the file, without its ending. */
  readonly program: string;
  readonly args: readonly string[];
  /** Arguments of an `strace` of the program. */
  readonly strace?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  readonly killAfter?: number | undefined;
}

/** Runs a program to its end. */
export async function runProgram({ program, args, strace, env, killAfter }: ProgramCall): Promise<ProgramEnd> {
  const script = fileURLToPath(new URL(`../programs/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let [output, errors] = ['', ''];
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, output: output.replace(READY, ''), errors }));
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      output += data;
      if (output.startsWith(READY)) resolve();
    });
  });
  await Promise.race([ready, ended]);
  // A program that is killed does not read what it is told.
  child.stdin.on('error', () => {});
  const tracer = strace === undefined ? undefined : await attach(child.pid!, strace);
  child.stdin.write('go\n');
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const end = await ended;
  clearTimeout(timer);
  await tracer?.ended;
  return end;
}

const READY = 'ready\n';

/** Starts an `strace` of a running process, and waits until it sees every system call. */
async function attach(process: number, args: readonly string[]): Promise<{ readonly ended: Promise<void> }> {
  const tracer = spawn('strace', ['-f', ...args, '-p', String(process)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => tracer.on('close', () => resolve()));
  const attached = new Promise<void>((resolve) => {
    let said = '';
    tracer.stderr.on('data', (data) => {
      said += data;
      if (said.includes('attached')) resolve();
    });
  });
  await Promise.race([attached, ended]);
  return { ended };
}

/**
 * Says that the program is ready, and waits until it is told to go on. What it imports is loaded by then, so whoever
 * watches it sees only what it is about.
 */
export async function untilTold(): Promise<void> {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
}
