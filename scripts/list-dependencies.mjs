// Lists every package that an installation of this one may bring: version, licence, size, install script, and whether
// it is optional. Versions and licences are from package-lock.json, sizes and install scripts from node_modules.
//
//     node scripts/list-dependencies.mjs             prints the table, with sizes on this machine
//     node scripts/list-dependencies.mjs --write     writes it into docs/dependencies.md, without sizes
//     node scripts/list-dependencies.mjs --check     exit status 1 if that page has another table
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs', 'dependencies.md');
const [BEGIN, END] = ['<!-- begin of the list -->', '<!-- end of the list -->'];

/** Packages whose install script does something that this library needs, and what happens without it. */
const NEEDED_SCRIPTS = {
  'better-sqlite3': 'fetches or compiles its native part; nothing works without',
  'hnswlib-node': 'compiles its native part; without it, vectors are scanned',
  'onnxruntime-node': 'on Linux downloads CUDA libraries, which are not needed',
};

/** What the optional packages are for. */
const PURPOSES = {
  '@modelcontextprotocol/server': 'MCP',
  'hnswlib-node': 'meaning',
  'onnxruntime-node': 'meaning',
  pg: 'PostgreSQL',
};

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const neededFor = purposesOf();
const listed = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  // `devOptional`: an optional package needs it, and a package for development as well.
  .map(([path, entry]) => describe(path, { ...entry, optional: entry.optional || entry.devOptional }))
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

if (process.argv.includes('--write')) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
else if (process.argv.includes('--check')) {
  const page = readFileSync(PAGE, 'utf8');
  if (page !== withTable(page)) {
    console.error('docs/dependencies.md is not up to date: run `npm run list-dependencies -- --write`');
    process.exitCode = 1;
  }
} else console.log(`${[...table(true), '', summary(), ''].join('\n')}`);

function describe(path, { version, license = 'unknown', optional = false, hasInstallScript = false, os, cpu, libc }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const folder = join(ROOT, path);
  const isThere = existsSync(join(folder, 'package.json'));
  return {
    name,
    version,
    license,
    optional,
    // A package with a binding.gyp and no install script is compiled all the same.
    script: hasInstallScript || NEEDED_SCRIPTS[name] !== undefined,
    system: [os, cpu, libc].flatMap((one) => (one === undefined ? [] : [[one].flat().join(' or ')])).join(', '),
    megabytes: isThere ? bytesIn(folder) / 1e6 : undefined,
  };
}

/** For each package that an optional one leads to, by its name: what for. */
function purposesOf() {
  const purposes = new Map();
  const reach = (name, purpose) => {
    const known = purposes.get(name) ?? new Set();
    if (known.has(purpose)) return;
    purposes.set(name, known.add(purpose));
    const { dependencies, optionalDependencies } = packages[`node_modules/${name}`] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) reach(next, purpose);
  };
  for (const name of Object.keys(packages[''].optionalDependencies))
    reach(name, PURPOSES[name] ?? 'unknown: look at it');
  return purposes;
}

/** Without the packages inside, which have lines of their own. */
function bytesIn(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += entry.name === 'node_modules' ? 0 : bytesIn(path);
    else if (entry.isFile()) bytes += lstatSync(path).size;
  }
  return bytes;
}

function table(withSizes) {
  const head = ['package', 'version', 'licence', 'needed for', 'install script', ...(withSizes ? ['MB'] : [])];
  const rows = listed.map(({ name, version, license, optional, script, system, megabytes }) => [
    name,
    version,
    license,
    optional ? `${[...(neededFor.get(name) ?? [])].join(', ')}${system === '' ? '' : ` (${system})`}` : 'everything',
    script ? (NEEDED_SCRIPTS[name] ?? 'unknown: look at it') : '',
    ...(withSizes ? [megabytes === undefined ? 'not installed' : megabytes.toFixed(1)] : []),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function summary() {
  const counts = new Map();
  for (const { license } of listed) counts.set(license, (counts.get(license) ?? 0) + 1);
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([license, count]) => `${count} ${license}`);
  return `${listed.length} packages: ${parts.join(', ')}.`;
}

function withTable(page) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`docs/dependencies.md lacks ${BEGIN} and ${END}`);
  const licences = wrapped(summary());
  return `${page.slice(0, from + BEGIN.length)}\n\n${licences}\n\n${table(false).join('\n')}\n\n${page.slice(to)}`;
}

/** A text in lines of at most 120 characters. */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    if (line.length > 120) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.join('\n');
}
