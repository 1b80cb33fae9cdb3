import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { KILLS } from '../../bench/cluster/cluster-kills.js';
import { runCluster } from '../../bench/cluster/run-cluster.js';
import { scratchFolder } from '../scratch-folder.js';
import { programs } from '../share/postgres/postgres-cluster.js';

const COMMAND = ['--import', 'tsx', fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))];

if (programs === undefined) console.warn('Skipped: killing parts of a cluster. No server of PostgreSQL is installed.');

test.skipIf(programs === undefined)(
  'servers, a loader and PostgreSQL are killed in turn: no answer is wrong, no quota exceeded, and all end alike',
  { timeout: 300_000 },
  async () => {
    const said: string[] = [];
    const figures = await runCluster({
      command: COMMAND,
      folder: scratchFolder(),
      settings: undefined,
      seconds: 15,
      skills: 300,
      connections: 18,
      questionPause: 20,
      longestUnavailable: Number.POSITIVE_INFINITY,
      meaning: false,
      quota: 100,
      pause: 0.5,
      gone: 1,
      seed: 1,
      tell: (line) => void said.push(line),
    });
    expect(figures.faults, said.join('\n')).toEqual([]);
    expect(figures.client.answered).toBeGreaterThan(100);
    expect(figures.withKey.usedUp + figures.withoutKey.usedUp).toBeGreaterThan(0);
    for (const kill of KILLS) expect(figures.kills[kill].length).toBeGreaterThan(0);
  },
);
