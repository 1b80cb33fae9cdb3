// Holds how much there is to read: lines of code and files a module, the files that lie loose in src/, and what the
// package promises to its users (api.txt). A figure may fall. One may rise only where the sum does not: what is added
// pays for itself by a deletion of the same size.
//
//     node scripts/check-weight.mjs [--write] [PROJECT]      --write records what is there now
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const words = process.argv.slice(2).filter((word) => word !== '--write');
const project = resolve(words[0] ?? fileURLToPath(new URL('..', import.meta.url)));
const [WEIGHT, API] = [join(project, 'scripts/weight.json'), join(project, 'api.txt')];

/** Files that may lie loose in src/: the library's entry, and the vocabulary of all modules. */
const LOOSE = ['filters.ts', 'index.ts', 'query.ts', 'result.ts', 'skill.ts'];

const now = { src: weightOf('src'), test: weightOf('test', 'torture'), api: apiLines() };
const recorded = existsSync(WEIGHT) ? JSON.parse(readFileSync(WEIGHT, 'utf8')) : undefined;
const faults = [...looseFaults(), ...(recorded === undefined ? [] : sumFaults(recorded))];
if (process.argv.includes('--write')) {
  if (faults.length === 0) {
    writeFileSync(WEIGHT, `${JSON.stringify({ ...now, api: now.api.length }, undefined, 2)}\n`);
    writeFileSync(API, `${now.api.join('\n')}\n`);
  }
} else {
  faults.push(...moduleFaults(recorded), ...apiFaults());
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Lines of code (without blanks and comments) and files: of each folder in these folders, and of all together. */
function weightOf(...folders) {
  const modules = {};
  const sum = { files: 0, lines: 0 };
  for (const folder of folders) {
    for (const file of readdirSync(join(project, folder), { recursive: true }).sort()) {
      if (!/\.(ts|mts|mjs)$/.test(file) || file.endsWith('.d.ts')) continue;
      const parts = file.split(sep);
      const name = parts.length === 1 ? `${folder}/*` : `${folder}/${parts[0]}`;
      const lines = linesOfCode(readFileSync(join(project, folder, file), 'utf8'));
      modules[name] ??= { files: 0, lines: 0 };
      for (const one of [modules[name], sum]) {
        one.files += 1;
        one.lines += lines;
      }
    }
  }
  return { ...sum, modules };
}

function linesOfCode(text) {
  const code = text.replace(/^\s*\/\*.*?\*\/\s*$/gms, '').split('\n');
  return code.filter((line) => !/^\s*(\/\/|$)/.test(line)).length;
}

/** What users rely on, a line each: names that entries of the package export, error codes, options of commands. */
function apiLines() {
  const { exports } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const names = Object.entries(exports).flatMap(([entry, { types } = {}]) =>
    types === undefined ? [] : exportsOf(join(project, types.replace('dist', 'src').replace('.d.ts', '.ts')), entry),
  );
  const errors = readFileSync(join(project, 'src/core/errors.ts'), 'utf8');
  const [, codes = ''] = /ERROR_CODES = \[([^\]]*)\]/.exec(errors) ?? [];
  const commands = readdirSync(join(project, 'src/cli')).map((file) =>
    file.endsWith('.ts') ? readFileSync(join(project, 'src/cli', file), 'utf8') : '',
  );
  const options = commands.flatMap((text) => [...text.matchAll(/'(?:-\w, )?(--[a-z][a-z-]*)(?: [<[][^']*)?'/g)]);
  return [
    ...names,
    ...[...codes.matchAll(/'(\w+)'/g)].map(([, code]) => `code ${code}`),
    ...options.map(([, option]) => `option ${option}`),
  ]
    .filter((line, i, all) => all.indexOf(line) === i)
    .sort();
}

function exportsOf(file, entry) {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const handedOn = [...text.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, type = '', list]) =>
    list.split(',').map((one) => `${type}${one.trim()}`.replace(/^type type /, 'type ')),
  );
  const own = [...text.matchAll(/^export (?:async )?(?:(interface|type)|function\*?|const|class) (\w+)/gm)];
  const ofFiles = [...text.matchAll(/^export \* from '([^']+)\.js'/gm)];
  return [
    ...handedOn.filter((one) => one !== '' && one !== 'type '),
    ...own.map(([, type, name]) => (type === undefined ? name : `type ${name}`)),
  ]
    .map((name) => `${entry} ${name.replace(/\w+ as /, '')}`)
    .concat(ofFiles.flatMap(([, path]) => exportsOf(join(dirname(file), `${path}.ts`), entry)));
}

function* looseFaults() {
  for (const file of readdirSync(join(project, 'src'))) {
    if (file.endsWith('.ts') && !LOOSE.includes(file)) yield `src/${file} lies loose: it belongs into a module`;
  }
}

function* sumFaults({ src, test, api }) {
  for (const [name, before, after] of [
    ['src', src, now.src],
    ['test and torture', test, now.test],
  ]) {
    for (const what of ['files', 'lines']) {
      if (after[what] > before[what])
        yield `${name} has ${after[what]} ${what}, ${before[what]} are recorded: delete as much as you add`;
    }
  }
  if (now.api.length > api)
    yield `api.txt would have ${now.api.length} lines, ${api} are recorded: a promise replaces another`;
}

function* moduleFaults(weight) {
  if (weight === undefined)
    return void (yield 'there is no scripts/weight.json: run node scripts/check-weight.mjs --write');
  for (const part of ['src', 'test']) {
    for (const [name, { files, lines }] of Object.entries(now[part].modules)) {
      const most = weight[part].modules[name] ?? { files: 0, lines: 0 };
      if (files <= most.files && lines <= most.lines) continue;
      yield `${name} has ${files} files and ${lines} lines of code, ${most.files} and ${most.lines} are recorded. Where the sum has not risen: node scripts/check-weight.mjs --write`;
    }
  }
}

function* apiFaults() {
  const written = existsSync(API) ? readFileSync(API, 'utf8') : '';
  if (written === `${now.api.join('\n')}\n`) return;
  const lines = new Set(written.split('\n'));
  const added = now.api.filter((line) => !lines.has(line));
  yield `api.txt does not say what is there${added.length === 0 ? '' : ` (new: ${added.join(', ')})`}: node scripts/check-weight.mjs --write`;
}
