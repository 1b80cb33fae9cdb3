// `npm run bench:start -- DATABASE… [--rounds N]`: how long commands and programs take from their start, beside `node -e 0`,
// taking turns. Needs a build. See README.md here.
import { parseArgs } from 'node:util';
import { measureCommandStarts, startsTable } from './command-starts.js';
import { machineName } from './machine.js';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '11' } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  console.error('usage: npm run bench:start -- DATABASE… [--rounds N]');
  process.exit(2);
}
console.log(`machine: ${machineName()}`);
const rounds = Number(values.rounds);
for (const database of positionals) {
  console.log(`\n${database}\n\n${startsTable(await measureCommandStarts(database, { rounds, semantic: true }))}`);
}
