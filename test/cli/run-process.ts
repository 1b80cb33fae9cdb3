import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject, onTestFinished, vi } from 'vitest';
import { request, Wire } from '../http/wire.js';
import { packageIn } from '../package/installations.js';
import { PROJECT } from '../project-copy.js';
import { type Captured, linesOf } from './run-captured.js';

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

export const SEARCH = '/api/v1/skills/search?q=alpha';

/** A command that goes on until it is ended. */
export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: () => { out: string; error: string };
  readonly closed: Promise<unknown>;
  /** Its exit status once it has ended, or the signal that ended it. */
  ended(): Promise<number | string | null>;
}

/** Starts a command; killed when the test ends. */
export function startRunning(words: readonly string[]): RunningCommand {
  const child = startProcess(words);
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const ended = async (): Promise<number | string | null> => {
    await closed;
    return child.exitCode ?? child.signalCode;
  };
  return { child, closed, ended, output: catchOutput(child) };
}

/** `serve` as a process of its own. */
export interface Serving extends RunningCommand {
  readonly url: string;
  readonly port: number;
  /** Lines of its log so far. */
  logged(): Record<string, unknown>[];
  /** Waits for the first line of the log with this message. */
  heard(message: string): Promise<Record<string, unknown>>;
}

/** Starts a server at a free port, and waits until it tells where it is; killed when the test ends. */
export async function startServing(words: readonly string[]): Promise<Serving> {
  const running = startRunning(['serve', '--port', '0', ...words]);
  const { child, closed, output } = running;
  while (!/ at http:\S+,[^\n]*\n/.test(output().out)) {
    await Promise.race([once(child.stdout, 'data'), closed]);
    if (child.exitCode !== null) throw new Error(`the server ended instead of starting: ${output().error}`);
  }
  const [, url = '', port] = / at (http:\/\/[^:]+:(\d+)),/.exec(output().out) ?? [];
  // A line that is not there to its end yet is not looked at.
  const logged = (): Record<string, unknown>[] =>
    linesOf(output().error.replace(/[^\n]*$/, '')).map((line) => JSON.parse(line));
  return {
    ...running,
    url,
    port: Number(port),
    logged,
    heard: (message) =>
      vi.waitFor(
        () => {
          const line = logged().find(({ msg }) => msg === message);
          if (line === undefined) throw new Error(`the log does not say "${message}": ${output().error}`);
          return line;
        },
        { timeout: 10_000, interval: 20 },
      ),
  };
}

/** What became of the requests of a client that asks again and again on one connection. */
export interface Asked {
  /** Whole answers by their status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Bodies of the answers, where they are kept. */
  readonly bodies: readonly string[];
  /** Whether the last request was sent and never wholly answered, although the server had not said it would close. */
  readonly lost: boolean;
  /** Whether the server ended the connection. */
  readonly ended: boolean;
}

/** Asks the same again and again on one connection, until the server ends it or `enough` says so. */
export async function keepAsking(
  port: number,
  enough: (answered: number, body: string) => boolean = () => false,
  sent: string = request(SEARCH),
): Promise<Asked> {
  const wire = await Wire.open(port);
  const answers = new Map<number, number>();
  const bodies: string[] = [];
  const told = (lost: boolean, ended: boolean): Asked => ({ answers, bodies, lost, ended });
  for (let answered = 1; ; answered++) {
    // What the server ended before anything was sent is no loss.
    if (wire.ended) return told(false, true);
    const reply = await wire
      .send(sent)
      .reply()
      .catch((error: Error) => {
        if (wire.ended) return 'closed' as const;
        throw error;
      });
    if (reply === 'closed') return told(true, true);
    answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
    bodies.push(reply.body);
    if (reply.headers.get('connection') === 'close') {
      await wire.closed();
      return told(false, true);
    }
    if (enough(answered, reply.body)) {
      wire.cut();
      return told(false, false);
    }
  }
}
