// Which module of src/ may import which, and which file may import which package. Everything that is not listed is
// forbidden. Types count too: who needs a type of a module depends on that module.
//
//     node scripts/check-imports.mjs [FOLDER]      FOLDER holds the sources: src/ if left out
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Module to modules. A module is a folder of src/ with all that is in it; `vocabulary` stands for the files that lie
 * loose in src/ (skills, questions, answers), `index` for the library's entry. The modules stand in the order of their
 * levels: each imports only modules above it in this table, and only through their front door, `index.ts`.
 */
const MODULES = {
  core: [],
  vocabulary: ['core'],
  store: ['core', 'vocabulary'],
  semantic: ['core'],
  keyword: ['core', 'vocabulary'],
  sources: ['core', 'vocabulary'],
  indexing: ['core', 'vocabulary', 'store', 'semantic', 'keyword'],
  share: ['core', 'vocabulary', 'store', 'indexing'],
  access: ['core', 'store', 'share'],
  load: ['core', 'vocabulary', 'store', 'semantic', 'indexing', 'share', 'sources'],
  search: ['core', 'vocabulary', 'store', 'semantic', 'keyword', 'indexing', 'share'],
  watch: ['core', 'store', 'semantic', 'sources', 'load'],
  index: ['core', 'vocabulary', 'semantic', 'keyword', 'load', 'search', 'watch'],
  agents: ['core', 'vocabulary', 'store', 'keyword', 'search'],
  evaluation: ['core', 'index'],
  mcp: ['core', 'vocabulary', 'sources', 'search', 'agents'],
  http: ['core', 'vocabulary', 'access', 'search', 'index', 'agents', 'mcp'],
  cli: ['core', 'vocabulary', 'access', 'sources', 'index', 'agents', 'evaluation', 'mcp', 'http'],
};

/**
 * Files behind a front door that others load with `import()` when they need them: what a start does not need must not
 * be linked to it.
 */
const LATE = {
  store: ['files.ts'],
  semantic: ['classifier.ts', 'nearest/vector-index.ts'],
  keyword: ['build/collect-keywords.ts', 'build/merge-keywords.ts', 'memory-index.ts'],
  indexing: ['index-keywords.ts'],
  share: [
    'follow-copy.ts',
    'postgres/postgres-pool.ts',
    'postgres/shared-tables.ts',
    'shared-catalogue/replica.ts',
    'shared-catalogue/shared-faults.ts',
  ],
  search: ['memory-search.ts'],
  sources: ['folder/front-matter.ts', 'installed/find-folders.ts', 'installed/read-installed.ts', 'open-source.ts'],
  load: ['ingest.ts', 'writing.ts'],
  agents: ['formats/text-size.ts', 'formats/format-skills.ts', 'hook/run-hook.ts'],
  mcp: ['catalogue.ts', 'server.ts', 'stdio.ts'],
};

/** Further front doors, of what most importers of a module must not link. */
const DOORS = { core: ['toml.ts', 'local-server.ts'], store: ['writing.ts'] };

/** Each package is imported in one file, so that it can be swapped there. Types may be taken anywhere. */
const PACKAGES = {
  'better-sqlite3': 'store/sqlite.ts',
  '@modelcontextprotocol/server': 'mcp/sdk.ts',
  '@modelcontextprotocol/server/ext/skills': 'mcp/sdk.ts',
  '@modelcontextprotocol/server/stdio': 'mcp/sdk.ts',
  'cli-progress': 'cli/progress-bar.ts',
  '@huggingface/tokenizers': 'core/tokenizer.ts',
  'hnswlib-node': 'semantic/nearest/graph.ts',
  'jsonc-parser': 'agents/init/config-formats.ts',
  'markdown-it': 'http/pages/markdown.ts',
  'minisearch/SearchableMap': 'keyword/memory-index.ts',
  'onnxruntime-node': 'semantic/onnx-model.ts',
  pg: 'share/postgres/postgres-pool.ts',
  pino: 'cli/server-log.ts',
  'prom-client': 'http/metrics.ts',
  'proxy-addr': 'http/forwarded-address.ts',
  stemmer: 'core/text/keys.ts',
  // What a thread reads TypeScript with, where it is started from the sources.
  'tsx/esm/api': 'core/threads/jobs.ts',
  'smol-toml': 'core/toml.ts',
  'string-width': 'cli/text-columns.ts',
  yaml: 'sources/folder/front-matter.ts',
};

/** A package that all of a module may import. */
const PACKAGES_OF_MODULES = { commander: 'cli' };

const IMPORT = /(?:^(?:import|export)\s+([^'";]*?from\s+)?|\bimport\()'([^']+)'/gm;

const source = resolve(process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url)));
const wrong = [...faultsOfTable()];
for (const file of readdirSync(source, { recursive: true })) {
  if (!file.endsWith('.ts')) continue;
  const path = file.split(sep).join('/');
  for (const [statement, names, target] of readFileSync(resolve(source, file), 'utf8').matchAll(IMPORT)) {
    const isType = names?.startsWith('type ') === true;
    const fault = target.startsWith('.')
      ? faultOfImport(path, target, statement.startsWith('import('))
      : faultOfPackage(path, target, isType);
    if (fault !== undefined) wrong.push(fault);
  }
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** @returns what is wrong with a relative import; undefined where it is allowed */
function faultOfImport(file, target, isLate) {
  const imported = relative(source, resolve(source, dirname(file), target))
    .split(sep)
    .join('/');
  // What lies outside the sources is data.
  if (imported.startsWith('../')) return undefined;
  const [from, to] = [moduleOf(file), moduleOf(imported)];
  if (from === to) return undefined;
  if (MODULES[from]?.includes(to) !== true)
    return `src/${file} imports src/${imported}, but ${from} may not import ${to}`;
  const inside = imported.slice(to.length + 1).replace(/\.js$/, '.ts');
  if (
    ['vocabulary', 'index'].includes(to) ||
    inside === 'index.ts' ||
    DOORS[to]?.includes(inside) ||
    (isLate && LATE[to]?.includes(inside))
  )
    return undefined;
  return `src/${file} imports src/${imported} past the front door of ${to}`;
}

function faultOfPackage(file, name, isType) {
  if (name.startsWith('node:') || isType) return undefined;
  const home = PACKAGES[name] ?? PACKAGES_OF_MODULES[name];
  if (home === file || home === moduleOf(file)) return undefined;
  return `src/${file} imports ${name}, which belongs to ${home ?? 'no file yet'}`;
}

/** The module of a file; of one that lies loose in src/ `index` or `vocabulary`. */
function moduleOf(file) {
  if (posix.dirname(file) !== '.') return file.split('/')[0];
  return /^index\.(ts|js)$/.test(file) ? 'index' : 'vocabulary';
}

/** A table in which each module imports only modules above it has no circle, and no pair in both directions. */
function* faultsOfTable() {
  const modules = Object.keys(MODULES);
  for (const [module, others] of Object.entries(MODULES)) {
    for (const other of others) {
      if (modules.indexOf(other) === -1 || modules.indexOf(other) >= modules.indexOf(module)) {
        yield `the table lets ${module} import ${other}, which does not stand above it`;
      }
    }
  }
}
