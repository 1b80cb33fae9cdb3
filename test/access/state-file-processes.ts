import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** What the process asks for, again and again; see state-file-process.ts. */
export interface Asked {
  /** Milliseconds since 1970, at which the time stands still. */
  readonly now?: number;
  readonly client?: string;
  /** 0 for without end. */
  readonly times?: number;
  readonly daily?: number;
  readonly perMinute?: number;
}

/** Another process that works on a state file as it is told. */
export interface StateFileProcess {
  readonly child: ChildProcess;
  /** Its lines as they come; ends when the process does. */
  readonly lines: AsyncIterator<string>;
  /** Gives an order. */
  tell(order: string): void;
  /** What it says up to `done`, or to its end. */
  answer(): Promise<string[]>;
}

/** Starts a process and waits until it takes orders. It is ended with the test. */
export async function startStateFileProcess({
  now = 0,
  client = '192.0.2.1',
  times = 0,
  daily = 0,
  perMinute = 0,
}: Asked = {}): Promise<StateFileProcess> {
  const script = fileURLToPath(new URL('state-file-process.ts', import.meta.url));
  const words = [now, client, times, daily, perMinute].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const input = child.stdin as Writable;
  input.on('error', () => {}); // who is killed reads no more
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();

  async function answer(): Promise<string[]> {
    const said: string[] = [];
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true || value === 'done') return said;
      said.push(value);
    }
  }

  const { value } = await lines.next();
  if (value !== 'ready') throw new Error(`the process says ${value} instead of ready`);
  return { child, lines, answer, tell: (order) => input.write(`${order}\n`) };
}
