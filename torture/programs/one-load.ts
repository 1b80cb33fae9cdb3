/**
 * Runs one load and prints its counts as JSON, for trials that kill it or watch what it asks of the system.
 *
 *     one-load.ts DATABASE SOURCE [embed]
 *
 * It prunes. With `embed` it makes vectors, by the embedder that stands in for a model, and a graph of them.
 */
import { buildCatalogue } from '../../src/index.js';
import { buildVectorFiles } from '../../src/semantic/nearest/vector-files.js';
import { filesBeside } from '../../src/store/file-names.js';
import { openStoredVectors } from '../../src/store/read/vector-reader.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';

const [database = '', source = '', what] = process.argv.slice(2);
const { added, updated, unchanged, removed } = await buildCatalogue({
  database,
  sources: [source],
  prune: true,
  ...(what === 'embed' ? { embedder: new StandInEmbedder() } : { semantic: false }),
});
if (what === 'embed') {
  const { stamp, vectors, close } = openStoredVectors(database);
  const files = filesBeside(database);
  await buildVectorFiles({ files, stamp, model: vectors.model!, vectors: await vectors.all(), graphFrom: 10 });
  close();
}
process.stdout.write(JSON.stringify({ added, updated, unchanged, removed }));
