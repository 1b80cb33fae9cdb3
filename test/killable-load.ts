/**
 * A program that runs one load and tells how far it is, a line `phase rows` at a time, for tests that kill it.
 *
 *     node --import tsx test/killable-load.ts DATABASE SOURCE [prune]
 */
import { buildCatalogue } from '../src/index.js';

const [database = '', source = '', prune] = process.argv.slice(2);
await buildCatalogue({
  database,
  sources: [source],
  prune: prune === 'prune',
  onProgress: ({ phase, rows }) => process.stdout.write(`${phase} ${rows}\n`),
});
process.stdout.write('done 0\n');
