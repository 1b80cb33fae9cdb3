// Which folder of src/ may import which, and which file may import which package. Everything that is not listed is
// forbidden. Types count too: who needs a type of a room depends on that room.
//
//     node scripts/check-imports.mjs [FOLDER]      FOLDER holds the sources: src/ if left out
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Room to rooms. A room is a folder of src/ with all that is in it; `vocabulary` stands for the files that lie loose in
 * src/ (skills, questions, answers, errors), `index` for the library's entry. The rooms stand in the order of their
 * levels: each imports only rooms above it in this table.
 */
const ROOMS = {
  vocabulary: [],
  arrays: [],
  threads: [],
  text: [],
  agents: ['vocabulary'],
  sqlite: ['vocabulary'],
  postgres: ['vocabulary'],
  copies: ['vocabulary', 'arrays', 'text'],
  sources: ['vocabulary'],
  installed: ['vocabulary', 'sources'],
  ranking: ['vocabulary', 'arrays'],
  keyword: ['vocabulary', 'arrays', 'text'],
  classify: ['vocabulary', 'text'],
  semantic: ['vocabulary', 'arrays', 'text', 'threads'],
  store: ['vocabulary', 'arrays', 'copies', 'sqlite'],
  access: ['vocabulary', 'sqlite', 'postgres'],
  snapshot: ['vocabulary', 'store'],
  indexing: ['vocabulary', 'arrays', 'text', 'keyword', 'classify', 'semantic', 'store', 'threads'],
  'shared-catalogue': ['vocabulary', 'threads', 'postgres', 'store', 'snapshot', 'indexing'],
  load: [
    'vocabulary',
    'copies',
    'classify',
    'indexing',
    'installed',
    'semantic',
    'shared-catalogue',
    'snapshot',
    'sources',
    'store',
  ],
  watch: ['vocabulary', 'threads', 'installed', 'semantic', 'sources', 'store', 'load'],
  search: [
    'vocabulary',
    'arrays',
    'copies',
    'indexing',
    'keyword',
    'load',
    'ranking',
    'semantic',
    'shared-catalogue',
    'snapshot',
    'store',
    'threads',
  ],
  index: ['vocabulary', 'keyword', 'load', 'watch', 'search', 'semantic'],
  local: ['vocabulary'],
  hook: ['vocabulary', 'text', 'keyword', 'store', 'search', 'local'],
  evaluation: ['vocabulary', 'index'],
  install: ['vocabulary', 'index'],
  mcp: ['vocabulary', 'threads', 'sources', 'search', 'index', 'agents', 'hook'],
  init: ['vocabulary', 'store'],
  http: ['vocabulary', 'threads', 'text', 'access', 'index', 'install', 'mcp'],
  cli: ['vocabulary', 'access', 'agents', 'hook', 'installed', 'evaluation', 'install', 'mcp', 'http', 'index', 'init'],
};

/** Inside a room of several folders: folder to folders. Outside, each may import what its room may. */
const INSIDE = {
  http: ['http/pages', 'http/pages/frame', 'http/published'],
  'http/pages': ['http/pages/frame', 'http/pages/text', 'http/pages/search', 'http/pages/skill'],
  'http/pages/text': ['http/pages/frame'],
  'http/pages/search': ['http/pages/frame'],
  'http/pages/skill': ['http/pages/frame', 'http/pages/text', 'http/pages/search'],
  'keyword/explain': ['keyword'],
  'keyword/steps': ['keyword'],
  'keyword/minisearch': ['keyword', 'keyword/steps'],
  'keyword/packed': ['keyword', 'keyword/steps'],
  'keyword/packed/build': ['keyword', 'keyword/packed'],
  'sources/json': ['sources/rows'],
  'sources/folder': ['sources/rows'],
  sources: ['sources/json', 'sources/folder', 'sources/rows'],
  search: ['search/reload'],
  mcp: ['mcp/skills', 'mcp/tools'],
  'mcp/tools': ['mcp/skills'],
  semantic: ['semantic/settings'],
  'store/read': ['store'],
  'store/write': ['store', 'store/read'],
  'store/transfer': ['store', 'store/read', 'store/write'],
  'text/language': ['text'],
  watch: ['watch/trees'],
};

/** Most pairs of each table. A pair that one file needs alone is often a sign that the file lies in a wrong room. */
const MOST = { rooms: 116, inside: 40 };

/** Each package is imported in one file, so that it can be swapped there. Types may be taken anywhere. */
const PACKAGES = {
  'better-sqlite3': 'sqlite/connection.ts',
  '@modelcontextprotocol/server': 'mcp/skills/load-sdk.ts',
  '@modelcontextprotocol/server/ext/skills': 'mcp/skills/load-sdk.ts',
  '@modelcontextprotocol/server/stdio': 'mcp/skills/load-sdk.ts',
  'cli-progress': 'cli/progress-bar.ts',
  '@huggingface/tokenizers': 'read-tokenizer.ts',
  'hnswlib-node': 'semantic/nearest/graph.ts',
  'jsonc-parser': 'init/json-config.ts',
  'markdown-it': 'http/pages/text/markdown.ts',
  minisearch: 'keyword/minisearch/minisearch-postings.ts',
  'minisearch/SearchableMap': 'keyword/minisearch/vocabulary.ts',
  'onnxruntime-node': 'semantic/onnx-model.ts',
  pg: 'postgres/load-pg.ts',
  pino: 'cli/server-log.ts',
  'prom-client': 'http/load-prom-client.ts',
  'proxy-addr': 'http/forwarded-address.ts',
  stemmer: 'text/stem.ts',
  // What a thread reads TypeScript with, where it is started from the sources.
  'tsx/esm/api': 'threads/start-worker.ts',
  'smol-toml': 'toml.ts',
  'string-width': 'cli/text-width.ts',
  yaml: 'sources/folder/front-matter.ts',
};

/** A package that all of a room may import. */
const PACKAGES_OF_ROOMS = { commander: 'cli' };

const IMPORT = /(?:^(?:import|export)\s+([^'";]*?from\s+)?|\bimport\()'([^']+)'/gm;

const source = resolve(process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url)));
const wrong = [...faultsOfTable()];
for (const file of readdirSync(source, { recursive: true })) {
  if (!file.endsWith('.ts')) continue;
  const path = file.split(sep).join('/');
  for (const [, names, target] of readFileSync(resolve(source, file), 'utf8').matchAll(IMPORT)) {
    const isType = names?.startsWith('type ') === true;
    const fault = target.startsWith('.') ? faultOfImport(path, target) : faultOfPackage(path, target, isType);
    if (fault !== undefined) wrong.push(fault);
  }
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** @returns what is wrong with a relative import; undefined where it is allowed */
function faultOfImport(file, target) {
  const imported = relative(source, resolve(source, dirname(file), target))
    .split(sep)
    .join('/');
  // What lies outside the sources is data.
  if (imported.startsWith('../')) return undefined;
  const [from, to] = [folderOf(file), folderOf(imported)];
  if (from === to) return undefined;
  const [room, otherRoom] = [roomOf(from), roomOf(to)];
  const allowed = room === otherRoom ? INSIDE[from]?.includes(to) : ROOMS[room]?.includes(otherRoom);
  if (allowed === true) return undefined;
  const names = room === otherRoom ? [from, to] : [room, otherRoom];
  return `src/${file} imports src/${imported}, but ${names[0]} may not import ${names[1]}`;
}

function faultOfPackage(file, name, isType) {
  if (name.startsWith('node:') || isType) return undefined;
  const home = PACKAGES[name] ?? PACKAGES_OF_ROOMS[name];
  if (home === file || home === roomOf(folderOf(file))) return undefined;
  return `src/${file} imports ${name}, which belongs to ${home ?? 'no file yet'}`;
}

/** The folder of a file; of one that lies loose in src/ `index` or `vocabulary`. */
function folderOf(file) {
  const folder = posix.dirname(file);
  if (folder !== '.') return folder;
  return /^index\.(ts|js)$/.test(file) ? 'index' : 'vocabulary';
}

function roomOf(folder) {
  return folder.split('/')[0];
}

/** A table in which each room imports only rooms above it has no circle, and no pair in both directions. */
function* faultsOfTable() {
  const rooms = Object.keys(ROOMS);
  for (const [room, others] of Object.entries(ROOMS)) {
    for (const other of others) {
      if (rooms.indexOf(other) === -1 || rooms.indexOf(other) >= rooms.indexOf(room)) {
        yield `the table lets ${room} import ${other}, which does not stand above it`;
      }
    }
  }
  for (const [folder, others] of Object.entries(INSIDE)) {
    for (const other of others) {
      if (INSIDE[other]?.includes(folder)) yield `the table lets ${folder} and ${other} import each other`;
    }
  }
  for (const [table, most, what] of [
    [ROOMS, MOST.rooms, 'rooms'],
    [INSIDE, MOST.inside, 'folders inside rooms'],
  ]) {
    const pairs = Object.values(table).flat().length;
    if (pairs > most) yield `the table has ${pairs} pairs of ${what}; ${most} are what a person can keep in mind`;
  }
}
