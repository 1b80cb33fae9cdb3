/**
 * A program that follows a catalogue in PostgreSQL, and says `ready` once it answers: until it is killed, or as long as
 * that alone keeps it alive.
 *
 *     node --import tsx test/shared-catalogue/following-program.ts ADDRESS CACHE stay|end
 */
import { followCatalogue } from '../../../src/index.js';

const [database = '', cache = '', what] = process.argv.slice(2);
await followCatalogue({ database, cache, snapshotInterval: 100, onReload: ({ kind }) => tell(kind) });
tell('ready');
if (what === 'stay') setInterval(() => {}, 1000);

function tell(word: string): void {
  process.stdout.write(`${word}\n`);
}
