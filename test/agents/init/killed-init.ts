import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Sets up a home, or undoes it, and kills itself before the n-th file takes its place. Called as
// `killed-init.ts HOME N ENTRY`, with N 0 for never.
const [home, moment, entry] = [process.argv[2]!, Number(process.argv[3]), process.argv[4]!];
const { renameSync } = fs;
let renames = 0;
fs.renameSync = (from, to) => {
  if (++renames === moment) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
};
syncBuiltinESMExports();

const { InitRecord, runInit } = await import('../../../src/agents/index.js');
const { surroundings, userFolders } = await import('../../../src/core/index.js');
const of = surroundings({ platform: 'linux', home, env: {}, cwd: home });
const { data } = userFolders(of);
await runInit(
  {
    ...{ of, agents: undefined, parts: ['server', 'hook', 'use'], isRemoval: false, now: () => new Date(0) },
    program: {
      node: '/usr/bin/node',
      entry,
      database: `${data}/skills.db`,
      namesDatabase: false,
      semantic: true,
    },
    record: new InitRecord(`${data}/init.json`),
    buildCatalogue: async () => {},
  },
  { show: () => {}, choose: async ({ agents }) => agents.map(({ agent }) => agent) },
);
process.stdout.write(String(renames));
