/**
 * Runs one load and prints its counts and warnings as JSON, or the code of its failure: for trials that kill it, fill
 * the disk, or watch what it asks of the system.
 *
 *     one-load.ts DATABASE SOURCE [embed]
 *
 * It prunes. With `embed` it makes vectors, by the embedder that stands in for a model, and a graph of them.
 */
import { buildCatalogue, SkillSearchError } from '../../src/index.js';
import { buildVectorFiles } from '../../src/semantic/index.js';
import { filesBeside } from '../../src/store/files.js';
import { openStoredVectors } from '../../src/store/read/stored-vectors.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { untilTold } from '../disk/strace.js';

const [database = '', source = '', what] = process.argv.slice(2);
await untilTold();
try {
  process.stdout.write(JSON.stringify(await load()));
} catch (error) {
  if (!(error instanceof SkillSearchError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code }));
}

async function load(): Promise<object> {
  const { added, updated, unchanged, removed, warnings } = await buildCatalogue({
    database,
    sources: [source],
    prune: true,
    ...(what === 'embed' ? { embedder: new StandInEmbedder() } : { semantic: false }),
  });
  if (what === 'embed' && warnings.length === 0) await buildGraph();
  return { added, updated, unchanged, removed, warnings };
}

/** A catalogue so small gets none by itself. */
async function buildGraph(): Promise<void> {
  const { stamp, vectors, close } = openStoredVectors(database);
  try {
    const files = filesBeside(database);
    await buildVectorFiles({ files, stamp, model: vectors.model!, vectors: await vectors.all(), graphFrom: 10 });
  } catch (error) {
    // Only `buildCatalogue` turns this into a warning.
    process.stderr.write(String(error));
  } finally {
    close();
  }
}
