import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openAccess, type Quota } from '../../src/access/index.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { openedFile, rowsOf } from './keys-and-quotas.js';

const NOON = Date.UTC(2026, 2, 14, 12);

test.each([
  ['the day', { daily: 500, perMinute: 0 }, 'DAILY_QUOTA_EXCEEDED'],
  ['the minute', { daily: 0, perMinute: 500 }, 'RATE_LIMIT_EXCEEDED'],
])(
  'several processes on one file that count one client at the same moment admit exactly as many as %s has',
  async (_, quota, refusal) => {
    const processes = await Promise.all(
      [1, 2, 3, 4].map(() => startStateFileProcess({ ...quota, now: NOON, times: 200 })),
    );
    for (let round = 0; round < 5; round++) {
      const { state } = asking(quota);
      for (const one of processes) one.tell(`count ${state}`);
      const answers = await Promise.all(processes.map((one) => one.answer()));

      expect(answers.map(({ length }) => length)).toEqual([200, 200, 200, 200]);
      const said = answers.flat();
      expect(said.filter((one) => one === 'admitted')).toHaveLength(500);
      expect(said.filter((one) => one === refusal)).toHaveLength(300);
    }
  },
);

test('a process that is killed forgets nothing that it was told was admitted, and hinders nobody', async () => {
  const { state } = asking(undefined);
  const countedNow = (): number => rowsOf(state)[0]?.day_count ?? 0;
  let told = 0;
  for (const wanted of [1, 150, 400]) {
    const doomed = await startStateFileProcess({ now: NOON, client: CLIENT, daily: 1_000_000 });
    const ended = once(doomed.child, 'exit');
    doomed.tell(`count ${state}`);
    for (let seen = 0; seen < wanted; seen++) expect((await doomed.lines.next()).value).toBe('admitted');
    // Nobody reads what it says, as on a busy machine: it waits, and counts no further than it could say.
    for (let before = -1; before !== countedNow(); await setTimeout(100)) before = countedNow();
    doomed.child.kill('SIGKILL');
    // What it still said, too.
    told += wanted + (await doomed.answer()).filter((line) => line === 'admitted').length;
    expect(await ended).toEqual([null, 'SIGKILL']);

    const counted = countedNow();
    expect(counted).toBeGreaterThanOrEqual(told);
    // It may have counted one more in the moment before it could say so.
    expect(counted).toBeLessThanOrEqual(told + 1);
    told = counted;

    const { ask } = asking({ daily: 1_000_000, perMinute: 0 }, state);
    expect(ask().dailyRemaining).toBe(1_000_000 - told - 1);
    told += 1;
  }
});

test('a file that does not exist yet may be opened by three processes at the same moment, and all can use it', async () => {
  const processes = await Promise.all([1, 2, 3].map(() => startStateFileProcess({ times: 1 })));
  const folder = scratchFolder();
  for (let round = 0; round < 60; round++) {
    const state = join(folder, `${round}.db`);
    for (const one of processes) one.tell(`count ${state}`);
    const answers = await Promise.all(processes.map((one) => one.answer()));
    expect(answers, `round ${round}`).toEqual([['admitted'], ['admitted'], ['admitted']]);
    const access = openAccess({ state });
    expect(access.createKey().id).toBe(1);
    access.close();
  }
});

const CLIENT = '192.0.2.1';

/** A client that asks, at a time that can be set. */
function asking(anonymous: Quota | undefined, state = scratchFile('access.db')) {
  const access = openedFile({ state, anonymous, now: () => NOON });
  return { state, ask: () => access.admit(access.identify(undefined, CLIENT)) };
}

/** What the process asks for, again and again; see state-file-process.ts. */
interface Asked {
  /** Milliseconds since 1970, at which the time stands still. */
  readonly now?: number;
  readonly client?: string;
  /** 0 for without end. */
  readonly times?: number;
  readonly daily?: number;
  readonly perMinute?: number;
}

/** Another process that works on a state file as it is told. */
interface StateFileProcess {
  readonly child: ChildProcess;
  /** Its lines as they come; ends when the process does. */
  readonly lines: AsyncIterator<string>;
  /** Gives an order. */
  tell(order: string): void;
  /** What it says up to `done`, or to its end. */
  answer(): Promise<string[]>;
}

/** Starts a process and waits until it takes orders. It is ended with the test. */
async function startStateFileProcess({
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
