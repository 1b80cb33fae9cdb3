// `npm run bench:cluster -- [--seconds N] [--skills N] [--connections N]`: PostgreSQL, three servers, a loader and a
// client, of which each is killed in turn. Needs a build. See README.md here.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { programs } from '../test/share/postgres/postgres-cluster.js';
import { round } from './bars.js';
import { KILLS } from './cluster/cluster-kills.js';
import type { QuotaFigures } from './cluster/quota-ledger.js';
import { type ClusterFigures, runCluster } from './cluster/run-cluster.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median, quantile } from './statistics.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    skills: { type: 'string', default: '5000' },
    connections: { type: 'string', default: '200' },
    quota: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    // Each connection waits so long between an answer and its next question: 800 questions a second at most.
    pause: { type: 'string', default: '250' },
    'words-only': { type: 'boolean', default: false },
  },
});

if (programs === undefined) {
  console.error('Skipped: no server of PostgreSQL is installed.');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-cluster-'));
  console.log(`machine: ${machineName()}; load average ${round(loadavg()[0]!)}\n`);
  const figures = await runCluster({
    command: [fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))],
    folder,
    // As it is installed: what is committed is on the disk.
    settings: [],
    seconds: Number(values.seconds),
    skills: Number(values.skills),
    connections: Number(values.connections),
    questionPause: Number(values.pause),
    // The two seconds of the rule, and what the machine adds.
    longestUnavailable: 2500,
    meaning: !values['words-only'],
    quota: Number(values.quota),
    pause: 4,
    gone: 3,
    seed: Number(values.seed),
    tell: (line) => console.error(line),
  });
  print(figures);
  if (figures.faults.length === 0) rmSync(folder, { recursive: true, force: true });
  else process.exitCode = 1;
}

function print(figures: ClusterFigures): void {
  const { client, kills, loads, lags, seconds } = figures;
  const quiet = lags.filter(({ isDisturbed }) => !isDisturbed).map((lag) => lag.seconds);
  const count = (number: number): string => number.toLocaleString('en');
  const rows = [
    ['requests, of which answered with 200', `${count(client.requests)}, ${count(client.answered)}`],
    ['of these by meaning', count(client.byMeaning)],
    ['answers a second', count(Math.round(client.answered / seconds))],
    ['milliseconds, p50 and p99', `${round(quantile(client.times, 0.5))} and ${round(quantile(client.times, 0.99))}`],
    ['429: the quota was used up', count(client.refused)],
    [
      '503: PostgreSQL was away; the slowest, by the logs',
      `${count(client.unavailable)}; ${round(figures.slowestUnavailable)} ms`,
    ],
    [
      '503: PostgreSQL was there, and too slow',
      count([...client.tooSlow.values()].reduce((sum, some) => sum + some, 0)),
    ],
    ['lost on a killed server; connections that it refused', `${count(client.lost)}; ${count(client.notConnected)}`],
    ['quotas of keys', quotaLine(figures.withKey)],
    ['quotas of clients without a key', quotaLine(figures.withoutKey)],
    ['loads; that failed while PostgreSQL was away', `${count(loads.done)}; ${count(loads.failed)}`],
    ['seconds of a load, p50 and longest', `${round(median(loads.seconds))} and ${round(Math.max(...loads.seconds))}`],
    ['seconds from a load to a server, p50 and longest', `${round(median(quiet))} and ${round(Math.max(0, ...quiet))}`],
    ['the longest, whatever was down', round(Math.max(0, ...lags.map((lag) => lag.seconds)))],
    ['seconds until all had the last version', round(figures.convergence)],
    ['faults', count(figures.faults.length)],
  ];
  console.log(markdownTable([`${round(seconds)} s`, ''], rows));
  const killed = KILLS.map((kill) => {
    const times = kills[kill];
    const cells = times.length === 0 ? ['-', '-'] : [round(median(times)), round(Math.max(...times))];
    return [kill, String(times.length), ...cells];
  });
  console.log(`\n${markdownTable(['killed', 'times', 'seconds until all was well, p50', 'longest'], killed)}`);
  for (const fault of figures.faults) console.log(`\nFAULT: ${fault}`);
}

function quotaLine({ usedUp, exact, missing, unknown }: QuotaFigures): string {
  const counts = [usedUp, exact, missing, unknown].map((number) => number.toLocaleString('en'));
  return `${counts[0]} used up, ${counts[1]} of them exactly; ${counts[2]} answers fewer, ${counts[3]} were lost or 503`;
}
