/**
 * A program that runs one load, and tells how far it is, a line `phase rows done` at a time, for tests that kill it, or
 * that kills itself at a moment.
 *
 *     node --import tsx test/load/killable-load.ts DATABASE SOURCE prune|embed
 *     node --import tsx test/load/killable-load.ts DATABASE SOURCE MOMENT CACHE
 *
 * `prune` prunes and makes no vectors, `embed` makes them slowly. The other form loads into PostgreSQL. MOMENT is a
 * phase (while reading, after the first vectors, while the difference is published), or `staging-committed`,
 * `staging-renamed`, `copy-committed`, `copy-renamed`: just before or just after the staging file, or the local copy, is
 * replaced. The former is before the load is published, the latter after.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { buildCatalogue } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const [database = '', source = '', moment = '', cache] = process.argv.slice(2);
const kill = (): unknown => process.kill(process.pid, 'SIGKILL');

const [file, when] = moment.split('-');
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const isMeant = file === 'copy' ? to === join(cache ?? '', 'skills.db') : String(from).endsWith('.loading');
  if (isMeant && when === 'committed') kill();
  renameSync(from, to);
  if (isMeant && when === 'renamed') kill();
};
syncBuiltinESMExports();

const standIn = new StandInEmbedder();
const embedder = {
  model: standIn.model,
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const isLast = moment === 'embedding' && texts.length < 512;
    await new Promise((done) => setTimeout(done, isLast ? 60_000 : moment === 'embed' ? 200 : 0));
    return standIn.embed(texts);
  },
};
await buildCatalogue({
  database,
  cache,
  sources: [source],
  ...(moment === 'prune' ? { semantic: false } : { embedder }),
  prune: moment !== 'embed',
  onProgress: ({ phase, rows, done }) => {
    process.stdout.write(`${phase} ${rows} ${done}\n`);
    if (moment !== phase) return;
    if (phase === 'reading' && rows > 0) kill();
    // The last batch is being embedded meanwhile, and those before are stored.
    if (phase === 'embedding' && done >= 1024) setTimeout(kill, 2000);
    if (phase === 'publishing') setTimeout(kill, 30);
  },
});
process.stdout.write('done 0 0\n');
