/**
 * A program that runs one load into PostgreSQL and kills itself at a moment, for tests.
 *
 *     node --import tsx test/load/killable-shared-load.ts DATABASE SOURCE MOMENT CACHE
 *
 * MOMENT is a phase (while reading, after the first vectors, while the difference is published), or
 * `staging-committed`, `staging-renamed`, `copy-committed`, `copy-renamed`: just before or just after the staging
 * file, or the local copy, is replaced. The former is before the load is published, the latter after.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { buildCatalogue } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const [database = '', source = '', moment = '', cache = ''] = process.argv.slice(2);
const kill = (): unknown => process.kill(process.pid, 'SIGKILL');

const [file, when] = moment.split('-');
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const isMeant = file === 'copy' ? to === join(cache, 'skills.db') : String(from).endsWith('.loading');
  if (isMeant && when === 'committed') kill();
  renameSync(from, to);
  if (isMeant && when === 'renamed') kill();
};
syncBuiltinESMExports();

const standIn = new StandInEmbedder();
const slowly = {
  model: standIn.model,
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    await new Promise((done) => setTimeout(done, moment === 'embedding' && texts.length < 512 ? 60_000 : 0));
    return standIn.embed(texts);
  },
};
await buildCatalogue({
  database,
  cache,
  sources: [source],
  embedder: slowly,
  prune: true,
  onProgress: ({ phase, done, rows }) => {
    if (moment === 'reading' && phase === 'reading' && rows > 0) kill();
    // The last batch is being embedded meanwhile, and those before are stored.
    if (moment === 'embedding' && phase === 'embedding' && done >= 1024) setTimeout(kill, 2000);
    if (moment === 'publishing' && phase === 'publishing') setTimeout(kill, 30);
  },
});
