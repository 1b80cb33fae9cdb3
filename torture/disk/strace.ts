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

/** How a program ended. */
export interface ProgramEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** What `torture/programs/one.ts` is to do when it is told, and what is done to it then. */
export interface ProgramCall {
  readonly args: readonly string[];
  /** Arguments of an `strace` of the program. */
  readonly strace?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  readonly killAfter?: number | undefined;
}

const PROGRAM = fileURLToPath(new URL('../programs/one.ts', import.meta.url));

/** Runs the program to its end. */
export async function runProgram({ args, strace, env, killAfter }: ProgramCall): Promise<ProgramEnd> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args], {
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

/**
 * How often a call that nobody disturbs makes each of some system calls, without those that it never makes. `strace`
 * counts the calls of each thread by themselves, so this is the count of the thread that makes most.
 */
export async function countCalls(
  { args }: ProgramCall,
  names: readonly string[],
  output: string,
): Promise<readonly { readonly call: string; readonly count: number }[]> {
  const { status, errors } = await runProgram({
    args,
    strace: ['-o', output, '-s', '0', '-e', `trace=${names.join(',')}`],
  });
  if (status !== 0) throw new Error(`what nobody disturbed failed: ${errors}`);
  const byThread = new Map<string, number>();
  for (const [made] of readFileSync(output, 'latin1').matchAll(/^\d+ +\w+(?=\()/gm)) {
    byThread.set(made, (byThread.get(made) ?? 0) + 1);
  }
  return names.flatMap((call) => {
    const counts = [...byThread].filter(([made]) => made.endsWith(` ${call}`)).map(([, count]) => count);
    return counts.length === 0 ? [] : [{ call, count: Math.max(...counts) }];
  });
}

/** Arguments of an `strace` that kills at a call. A program that is killed at one has not made it. */
export function killingAt(call: string, when: number): string[] {
  return ['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${when}`];
}
