import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Trial, TrialContext } from '../trial.js';
import { HEAVY, hostileCatalogue } from './hostile-catalogues.js';
import { SOURCES } from './run-attack.js';

/** Reads of the largest files that are sent at once. */
const [READS_SHORT, READS_LONG] = [30, 200];
/** Megabytes beside those of rest. */
const MORE = 400;
/** Milliseconds until all are answered. */
const PATIENCE = 300_000;
/** Milliseconds between two looks at the memory. */
const LOOK = 100;

/** A client on standard input that asks for much at once, and reads what it gets. */
export const STANDARD_INPUT: Trial = {
  name: 'attack-standard-input',
  promise:
    'However many of the largest files are asked for on standard input at once, each is answered in bounded memory.',
  missing: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  begin: async (context) => {
    const facts = { 'MB at rest': 0, 'MB at most': 0 };
    return { facts, attempt: () => attack(context, facts) };
  },
};

async function attack(
  { program, isLong, say }: TrialContext,
  facts: { 'MB at rest': number; 'MB at most': number },
): Promise<number> {
  const database = await hostileCatalogue('heavy', isLong ? 'long' : 'short');
  const reads = isLong ? READS_LONG : READS_SHORT;
  const start = program === undefined ? ['--import', 'tsx', SOURCES] : [program];
  const words = ['mcp', '--database', database, '--log-level', 'silent'];
  const child = spawn(process.execPath, [...start, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  let isOver = false;
  try {
    // One that ends is told by what is not answered.
    child.stdin.on('error', () => {});
    const ended = once(child, 'exit').then(() => -1);
    let answers = 0;
    let told = (): void => {};
    createInterface({ input: child.stdout }).on('line', () => {
      answers += 1;
      told();
    });
    const answered = (count: number): Promise<number> =>
      new Promise((resolve) => {
        told = () => answers >= count && resolve(answers);
        told();
      });
    const until = async (count: number): Promise<void> => {
      const reached = await Promise.race([answered(count), ended, wait(PATIENCE, -2, { ref: false })]);
      if (reached < 0) throw new Error(`${answers} of ${count} requests were answered, ${most} MB were taken`);
    };
    let most = 0;
    const send = (messages: readonly object[]): void => {
      child.stdin.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'torture', version: '0' } };
    send([
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'search_skills', arguments: { query: 'release', by: 'words' } } },
    ]);
    await until(2);
    const rest = megabytes(child.pid!);
    const watched = (async () => {
      for (; !isOver; await wait(LOOK)) most = Math.max(most, megabytes(child.pid!));
    })();
    send(
      Array.from({ length: reads }, (_, i) => {
        const name = HEAVY[i % HEAVY.length];
        return { id: 3 + i, method: 'resources/read', params: { uri: `skill://${name}/${name}/data.txt` } };
      }),
    );
    await until(2 + reads);
    isOver = true;
    await watched;
    say(`${reads} reads, ${rest} MB at rest, ${most} MB at most`);
    if (most > rest + MORE) throw new Error(`${most} MB were taken for ${reads} reads, ${rest} MB at rest`);
    Object.assign(facts, { 'MB at rest': rest, 'MB at most': Math.max(most, facts['MB at most']) });
    return reads;
  } finally {
    isOver = true;
    child.kill('SIGKILL');
  }
}

/** Physical memory of a process at most so far; 0 if it has ended. */
function megabytes(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
