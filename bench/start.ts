// `npm run bench:start -- [DATABASE…] [--rounds N]`: how long commands and programs take from their start, and `npm
// start`, beside `node -e 0`, taking turns. Needs a build. See README.md here.
import { parseArgs } from 'node:util';
import { measureCommandStarts } from './command-starts.js';
import { machineName } from './machine.js';
import { SampleProject } from './npm-start.js';
import { measureStarts, startsTable } from './starts.js';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '11' } },
  allowPositionals: true,
});
console.log(`machine: ${machineName()}`);
const rounds = Number(values.rounds);
for (const database of positionals) {
  console.log(`\n${database}\n\n${startsTable(await measureCommandStarts(database, { rounds, semantic: true }))}`);
}
const sample = new SampleProject();
try {
  console.log(`\nnpm start\n\n${startsTable(await measureStarts(sample.timed, rounds))}`);
} finally {
  sample.remove();
}
