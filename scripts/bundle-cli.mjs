// Replaces dist/cli, as tsc has made it, by a bundle: a command would spend most of its time on finding, reading and
// linking some 280 small modules, the hook at every prompt of an agent. The library stays as it is: programs import it
// module by module, with its types, and may bundle it themselves.
//
//     node scripts/bundle-cli.mjs [DIST]      DIST holds what tsc has made: dist/ if left out
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { fileBehind, isDoor, namesFrom } from './front-doors.mjs';

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
const cli = join(dist, 'cli');

/**
 * A package and what it imports. Few texts need it, and Node takes longer to read one of its patterns than to read all
 * our code. So it is a file of its own, which is loaded by name.
 */
const WIDTH = ['string-width', 'strip-ansi', 'ansi-regex', 'get-east-asian-width'];
const WIDTH_FILE = `./${WIDTH[0]}.js`;

/** What serves MCP: of its 1.5 MB of code a server needs a third, and a process of each session has what is read. */
const MCP = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod'];

/** Packages that nearly every start needs, or that the bundle loads as CommonJS and have none, or of which little is used. */
const PACKAGES_WITHIN = ['commander', 'stemmer', ...WIDTH, ...MCP];

/** Modules that starts begin with. */
const STARTS = {
  main: ['cli/kept-code.js'],
  run: ['cli/run.js'],
  hook: ['agents/hook/run-hook.js'],
  findAlone: ['agents/hook/fitting-skills.js'],
  reading: ['cli/search-command.js', 'cli/list-command.js', 'cli/show-command.js'],
};

/**
 * Which modules are in one file, by the starts that import them at once. The first file that takes a module has it.
 * What none of these starts needs, such as the code of other commands, gets files of its own.
 */
const FILES = {
  // What comes before compiled code is kept.
  first: ({ main }) => main,
  program: ({ run }) => run,
  // Where a server answers the hook, that does not read what opens a catalogue, and a search nothing of the hook.
  common: ({ hook, findAlone, reading }) => hook && (findAlone || reading),
  hook: ({ hook }) => hook,
  // The hook does not read what prints results.
  opening: ({ findAlone }) => findAlone,
  reading: ({ reading }) => reading,
};

/**
 * Parts of Node that take milliseconds to load, and that few starts need. Each is loaded where it is first used; then
 * asking for it again costs nothing.
 */
const LATE_PARTS = ['child_process', 'crypto', 'net', 'timers/promises', 'util', 'v8', 'vm', 'zlib'];

const { dependencies, optionalDependencies, name, version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** A module finds data and threads by its own place. In a bundle it is told where that was. */
const placesOfModules = {
  name: 'places-of-modules',
  resolveId: (name) => (name === WIDTH_FILE ? { id: name, external: true } : null),
  transform(code, path) {
    if (!path.startsWith(dist + sep) || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(withSlashes(relative(cli, path)));
    return code
      .replace(
        /(?:nodeModule\.)?createRequire\(import\.meta\.url\)\('\.\.\/\.\.\/package\.json'\)/,
        // In brackets: an arrow function would take it for its block.
        `(${JSON.stringify({ name, version })})`,
      )
      .replace("createRequire(import.meta.url)('string-width')", `require('${WIDTH_FILE}')`)
      .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
  },
};

/** What each module imports at once: through a front door, the files that have what it asks for. */
const importsOf = new Map();
const listOfImports = {
  name: 'list-of-imports',
  moduleParsed({ id, importedIds, code }) {
    if (!id.startsWith(dist + sep)) return void importsOf.set(id, importedIds);
    const all = [...namesFrom(code, dirname(id))].flatMap(([path, names]) =>
      isDoor(path) ? names.map((name) => fileBehind(path, name)) : [path],
    );
    // Packages are found by the bundler.
    importsOf.set(id, [...all, ...importedIds.filter((path) => !path.startsWith(dist + sep))]);
  },
};

/** By start: all modules that it imports at once. Known when all are parsed. */
let modulesOf;

const bundle = await rolldown({
  // `run` is for programs that run several commands in one process, such as `npm start`.
  input: { main: join(cli, 'main.js'), run: join(cli, 'run.js'), [WIDTH[0]]: WIDTH[0] },
  // Comments name modules by their place from here.
  cwd: dirname(dist),
  platform: 'node',
  // The bundler's own helpers are within.
  external: (name) => !/^(?:[./]|@oxc-project)|^[A-Za-z]:/.test(name) && !isWithin(name),
  plugins: [placesOfModules, listOfImports],
  // A module that one command imports at once and another later is in the file of the first, as it should be.
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.generate({
  // Node starts it sooner than modules: it finds and reads them one by one, without turns of the event loop.
  format: 'cjs',
  exports: 'named',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  comments: false,
  codeSplitting: {
    groups: Object.entries(FILES).map(([name, takes], i, { length }) => ({
      name,
      test: (path) => takes(startsOf(path)),
      priority: length - i,
    })),
  },
});
await bundle.close();

rmSync(cli, { recursive: true });
mkdirSync(cli);
for (const { fileName, code } of output) {
  const first = fileName === 'main.js' ? withKeptCode(code) : code;
  writeFileSync(join(cli, fileName), inAscii(withImports(withLateParts(first))));
}
// npm makes it executable where it installs the package, but not in the project's own folder.
chmodSync(join(cli, 'main.js'), 0o755);
writeFileSync(join(cli, 'package.json'), '{ "type": "commonjs" }\n');
// They ask for that where they are copied.
writeFileSync(join(cli, 'licenses.txt'), PACKAGES_WITHIN.map(licenseOf).join('\n'));
refuseUnknownPackages();

function withSlashes(path) {
  return path.split(sep).join('/');
}

/** Whether a package, or a part of it, goes into the bundle. */
function isWithin(name) {
  return PACKAGES_WITHIN.some((one) => name === one || name.startsWith(`${one}/`));
}

/** Which starts import a module at once. */
function startsOf(path) {
  modulesOf ??= Object.entries(STARTS).map(([start, files]) => {
    const modules = new Set(files.map((file) => join(dist, file)));
    // What is added is visited as well.
    for (const one of modules) for (const other of importsOf.get(one) ?? []) modules.add(other);
    return [start, modules];
  });
  return Object.fromEntries(modulesOf.map(([start, modules]) => [start, modules.has(path)]));
}

/** Puts the loading of {@link LATE_PARTS} to the places where they are used. */
function withLateParts(code) {
  let late = code;
  for (const [line, name, part] of code.matchAll(/^\s*(?:let|const) (\w+) = require\("node:([\w/]+)"\);\n/gm)) {
    // Where more than its members are used, it stays: nothing but its declaration may name the whole.
    const whole = new RegExp(`(?<![.\\w$])${name}\\b(?!\\.)`, 'g');
    if (!LATE_PARTS.includes(part) || [...code.matchAll(whole)].length > 1) continue;
    // In brackets: `new require(…)` would make an object of what is called here.
    late = late.replace(line, '').replace(new RegExp(`(?<![.\\w$])${name}\\.`, 'g'), `(require("node:${part}")).`);
  }
  return late;
}

/** Lets the first file load the others from compiled code that a former start kept. */
function withKeptCode(code) {
  const call = 'keepCompiled();';
  if (code.split(call).length !== 2) throw new Error(`main.js does not call ${call} once`);
  // The function that Node wraps around the file has this as a parameter.
  return code.replace(
    /^.*keepCompiled\(\);$/m,
    (line) => `require = ${line.replace('()', '({ load: require, folder: __dirname })')}`,
  );
}

/** Compiled code that was kept cannot import by itself; see kept-code.ts. */
function withImports(code) {
  return code.replace(/(?<![\w.'"`])import\(("[^"]+")\)/g, '(require.import?.($1) ?? import($1))');
}

/** Texts of other characters take Node twice the memory, and four times as long to read. */
function inAscii(code) {
  // There an escape would stand for something else.
  const strange = /\\[^\x00-\x7f]|\bString\.raw`[^`]*[^\x00-\x7f`]/.exec(code);
  if (strange !== null) throw new Error(`this cannot be written in ASCII: ${strange[0]}`);
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function licenseOf(name) {
  const folder = fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

/** The bundler may have put helpers of its own in, from a package that nobody who installs this one has. */
function refuseUnknownPackages() {
  const known = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const { fileName, imports } of output) {
    for (const name of imports) {
      const isOurs = output.some((other) => other.fileName === name) || isBuiltin(name);
      if (isOurs || known.some((one) => name === one || name.startsWith(`${one}/`))) continue;
      throw new Error(`${fileName} imports ${name}, which is no dependency of this package`);
    }
  }
}
