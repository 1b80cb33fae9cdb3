// `npm run bench:state`: how many requests a second keys and quotas admit, in a file and in PostgreSQL, by one server
// and by four, for one busy client and for a thousand, in rounds that take turns. See README.md here.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PostgresCluster, programs } from '../test/share/postgres/postgres-cluster.js';
import type { StateFigures, StateJob } from './state-child.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    'in-flight': { type: 'string', default: '200' },
  },
});

/** What is compared: who keeps the state, how many servers ask, and how many clients they have. */
const CASES = ['file', 'postgres'].flatMap((store) =>
  [1, 4].flatMap((servers) => [1, 1000].map((clients) => ({ store, servers, clients }))),
);

if (programs === undefined) {
  console.error('Skipped: no server of PostgreSQL is installed.');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-bench-'));
  // As it is installed: what is committed is on the disk.
  const cluster = await PostgresCluster.make({ settings: [] });
  const children: ChildProcess[] = [];
  try {
    await cluster.start();
    children.push(...(await Promise.all([1, 2, 3, 4].map(startChild))));
    const figures = CASES.map((): { rate: number; failed: number; cpu: number; p50: number; p99: number }[] => []);
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [i, { store, servers, clients }] of CASES.entries()) {
        const state = store === 'file' ? join(folder, `${round}-${i}.db`) : await cluster.database();
        const job = { state, clients, inFlight: Number(values['in-flight']), seconds: Number(values.seconds) };
        const all = await Promise.all(children.slice(0, servers).map((child) => ask(child, job)));
        const requests = sum(all.map((one) => one.requests));
        figures[i]!.push({
          rate: sum(all.map((one) => one.requests / one.seconds)),
          failed: sum(all.map((one) => one.failed)),
          cpu: (sum(all.map((one) => one.cpu)) / requests) * 1e6,
          p50: median(all.map((one) => one.p50)),
          p99: Math.max(...all.map((one) => one.p99)),
        });
      }
    }
    print(`machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`);
    print(
      `${values['in-flight']} requests in flight for each server; medians of ${values.rounds} rounds of ${values.seconds} s`,
    );
    print(
      '',
      '| state | servers | clients | requests a second | failed | µs of processor a request, in the servers | p50 ms | p99 ms |',
    );
    print('| --- | --- | --- | --- | --- | --- | --- | --- |');
    for (const [i, { store, servers, clients }] of CASES.entries()) {
      const of = (name: 'rate' | 'failed' | 'cpu' | 'p50' | 'p99'): number =>
        median(figures[i]!.map((one) => one[name]));
      const [rate, cpu] = [Math.round(of('rate')).toLocaleString('en'), of('cpu').toFixed(0)];
      print(
        `| ${store} | ${servers} | ${clients} | ${rate} | ${of('failed')} | ${cpu} | ${of('p50').toFixed(1)} | ${of('p99').toFixed(1)} |`,
      );
    }
  } finally {
    for (const child of children) child.kill();
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('state-child.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, job: StateJob): Promise<StateFigures> {
  child.send(job);
  const [figures] = await once(child, 'message');
  return figures as StateFigures;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
