/**
 * A program that runs one load and tells how far it is, a line `phase rows done` at a time, for tests that kill it.
 *
 *     node --import tsx test/load/killable-load.ts DATABASE SOURCE prune|embed|committed|renamed
 *
 * `prune` prunes and makes no vectors, `embed` makes them slowly, by the embedder that stands in for a model.
 * `committed` and `renamed` are like `prune`, but the program kills itself just before or just after the catalogue is
 * replaced.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { buildCatalogue } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const [database = '', source = '', what] = process.argv.slice(2);
const standIn = new StandInEmbedder();
const slowly = {
  model: standIn.model,
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    await new Promise((done) => setTimeout(done, 200));
    return standIn.embed(texts);
  },
};
if (what === 'committed' || what === 'renamed') {
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    if (to !== database) return renameSync(from, to);
    if (what === 'renamed') renameSync(from, to);
    process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
}
await buildCatalogue({
  database,
  sources: [source],
  ...(what === 'embed' ? { embedder: slowly } : { semantic: false, prune: true }),
  onProgress: ({ phase, rows, done }) => process.stdout.write(`${phase} ${rows} ${done}\n`),
});
process.stdout.write('done 0 0\n');
