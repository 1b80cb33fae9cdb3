/**
 * A program that runs one load and tells how far it is, a line `phase rows done` at a time, for tests that kill it.
 *
 *     node --import tsx test/load/killable-load.ts DATABASE SOURCE prune|embed
 *
 * `prune` prunes and makes no vectors, `embed` makes them slowly, by the embedder that stands in for a model.
 */
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
await buildCatalogue({
  database,
  sources: [source],
  ...(what === 'embed' ? { embedder: slowly } : { semantic: false, prune: true }),
  onProgress: ({ phase, rows, done }) => process.stdout.write(`${phase} ${rows} ${done}\n`),
});
process.stdout.write('done 0 0\n');
