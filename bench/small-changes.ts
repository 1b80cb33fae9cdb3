/**
 * Measures small changes of a catalogue, in a copy of it:
 *
 *     npm run bench:update -- skills.db [--rounds 5] [--semantic]
 *
 * For each kind of change: seconds of the call, the longest time that it keeps the event loop, and seconds until a new
 * process has opened the catalogue and answered a question that finds the change.
 */
import { parseArgs } from 'node:util';
import { machineName } from './machine.js';
import { measureRowChanges, rowChangesTable } from './row-changes.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    semantic: { type: 'boolean', default: false },
  },
});
const [database] = positionals;
if (database === undefined) {
  console.error('usage: npm run bench:update -- DATABASE [--rounds N] [--semantic]');
  process.exit(2);
}
const changes = await measureRowChanges(database, { rounds: Number(values.rounds), semantic: values.semantic });
console.log(`machine: ${machineName()}\n\n${rowChangesTable(changes)}`);
