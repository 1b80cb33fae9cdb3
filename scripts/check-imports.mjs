// Each package is imported in one file of src/ only, so that it can be swapped there. Types may be taken anywhere.
import { readdirSync, readFileSync } from 'node:fs';

const HOME = {
  'better-sqlite3': 'sqlite/connection.ts',
  'cli-progress': 'cli/progress-bar.ts',
  '@huggingface/transformers': 'semantic/model-thread.ts',
  'hnswlib-node': 'semantic/nearest/graph.ts',
  minisearch: 'keyword/minisearch/minisearch-postings.ts',
  'minisearch/SearchableMap': 'keyword/minisearch/vocabulary.ts',
  pino: 'cli/server-log.ts',
  stemmer: 'text/stem.ts',
  'string-width': 'cli/terminal-text.ts',
  yaml: 'sources/folder/front-matter.ts',
};
const ANYWHERE_IN = { commander: 'cli/' };

const source = new URL('../src/', import.meta.url);
const wrong = [];
for (const file of readdirSync(source, { recursive: true })) {
  if (!file.endsWith('.ts')) continue;
  for (const [, names, name] of readFileSync(new URL(file, source), 'utf8').matchAll(
    /(?:^(?:import|export)\s+([^'";]*?from\s+)?|\bawait import\()'([^.'][^']*)'/gm,
  )) {
    if (name.startsWith('node:') || names?.startsWith('type ')) continue;
    if (HOME[name] === file || (ANYWHERE_IN[name] !== undefined && file.startsWith(ANYWHERE_IN[name]))) continue;
    wrong.push(`src/${file} imports ${name}, which belongs to ${HOME[name] ?? ANYWHERE_IN[name] ?? 'no file yet'}`);
  }
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
