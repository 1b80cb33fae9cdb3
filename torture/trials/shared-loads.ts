import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresCluster, programs } from '../../test/share/postgres/postgres-cluster.js';
import { raceSharedLoads } from '../shared-race.js';
import type { Trial } from '../trial.js';

export const SHARED_LOADS: Trial = {
  name: 'shared-loads',
  promise:
    'However many machines load one catalogue in PostgreSQL and are killed, every server shows whole loads only, none is lost, and no vector is made again.',
  missing: () => (programs === undefined ? 'no PostgreSQL' : undefined),
  run: async ({ random, until, folder, say }) => {
    const cluster = await PostgresCluster.make();
    let [attempts, loads, kills, states] = [0, 0, 0, 0];
    try {
      await cluster.start();
      do {
        const caches = join(folder, String(attempts));
        mkdirSync(caches);
        const race = { database: await cluster.database(), folder: caches, random, loads: 10 };
        const raced = await raceSharedLoads(race);
        rmSync(caches, { recursive: true });
        attempts += 1;
        loads += race.loads;
        kills += raced.kills;
        states += raced.seen;
        say(`${attempts} races, ${loads} loads, ${kills} kills, ${states} states seen`);
      } while (performance.now() < until);
    } finally {
      await cluster.remove();
    }
    return { attempts, facts: { loads, kills, 'states seen': states } };
  },
};
