// Builds a search engine over a catalogue and asks it questions. A process of its own, so that its memory goes with it.
import { readFileSync } from 'node:fs';
import { MAX_SEMANTIC_QUERY_LENGTH } from '../src/core/index.js';
import { fitQuestion } from '../src/evaluation/benchmark.js';
import { inspectModel } from '../src/index.js';
import { startModel } from '../src/semantic/routed-embedder.js';
import { documentsOf } from './engines/documents.js';
import type { DocumentedEngine } from './engines/engine.js';
import { fts5Over } from './engines/fts5.js';
import { BASIC, miniSearchOver, WITH_OPTIONS } from './engines/minisearch.js';
import { oramaOver } from './engines/orama.js';
import { modelOver } from './engines/published-model.js';
import type { EngineJob, EngineRun, IndexedEngine } from './engines/run-engine.js';

const BUILDERS: Record<IndexedEngine, (job: EngineJob) => DocumentedEngine | Promise<DocumentedEngine>> = {
  minisearch: ({ database }) => miniSearchOver(documentsOf(database), BASIC),
  'minisearch-options': ({ database }) => miniSearchOver(documentsOf(database), WITH_OPTIONS),
  orama: ({ database }) => oramaOver(documentsOf(database)),
  fts5: ({ database }) => fts5Over(documentsOf(database), 'unicode61'),
  'fts5-porter': ({ database }) => fts5Over(documentsOf(database), 'porter'),
  minilm: async ({ database, model }) => modelOver(database, await startModel(await inspectModel(model), 1)),
};

const job = JSON.parse(readFileSync(0, 'utf8')) as EngineJob;
const engine = await BUILDERS[job.engine](job);
const rankings: EngineRun = [];
for (const text of job.texts) {
  const q = fitQuestion(text, MAX_SEMANTIC_QUERY_LENGTH);
  const found = q === undefined ? [] : await engine.search(q, job.depth);
  rankings.push(found.map(({ id, score }) => [id, score]));
  if (rankings.length % 100 === 0) process.stderr.write(`${rankings.length} of ${job.texts.length}\n`);
}
await engine.close?.();
process.stdout.write(JSON.stringify(rankings));
