// Front doors of modules as the build sees them: an index.js, or index.d.ts, that only hands on what other files have.
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

const STATEMENT =
  /^(import|export)(\s+type)?\s(?:[^'";]*?(\{[^}]*\})\s*from\s*|[^'";{]*?from\s*)?['"](\.[^'"]+)['"];?/gm;

/** Whether a module only hands on what others of its folder have. */
export function isDoor(path) {
  return /[\\/]index\.(js|d\.ts)$/.test(path) && !/^(?!export .* from |\s*$|\/\/|import )/m.test(oneLineEach(path));
}

function oneLineEach(path) {
  return readFileSync(path, 'utf8').replace(/\{[^}]*\}/g, (names) => names.replace(/\s+/g, ' '));
}

function listOf(names = '') {
  return names
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/** @returns by file that a module imports or hands on at once: the names */
export function* namesFrom(code, folder) {
  for (const [, , , names, path] of code.matchAll(STATEMENT)) {
    yield [resolve(folder, path), listOf(names).map((name) => name.split(/\s+as\s+/)[0])];
  }
}

/** Which file has what a front door hands on. */
export function fileBehind(door, name) {
  for (const [, kind, , names, path] of oneLineEach(door).matchAll(STATEMENT)) {
    if (kind === 'export' && names === undefined && declares(fileOf(door, path), name)) return fileOf(door, path);
    const handed = listOf(names).map((one) =>
      one
        .replace(/^type /, '')
        .split(/\s+as\s+/)
        .at(-1),
    );
    if (!handed.includes(name)) continue;
    const file = fileOf(door, path);
    return isDoor(file) ? fileBehind(file, name) : file;
  }
  throw new Error(`${door} does not hand on ${name}`);
}

/** Whether a file, all of whose exports a front door hands on, has one of this name. */
function declares(file, name) {
  const kinds = 'function\\*?|const|let|class|interface|type';
  const pattern = new RegExp(`^export (?:declare |abstract |async )*(?:${kinds}) ${name}\\b`, 'm');
  return pattern.test(readFileSync(file, 'utf8'));
}

/** The types of a path are beside its code. */
function fileOf(from, path) {
  const file = resolve(dirname(from), path);
  return from.endsWith('.d.ts') ? file.replace(/\.js$/, '.d.ts') : file;
}

/** The same declarations, each imported from the file that has it. */
export function pastDoors(declarations, file) {
  return declarations.replace(STATEMENT, (statement, kind, type = '', names, path) => {
    const door = fileOf(file, path);
    if (names === undefined || !isDoor(door)) return statement;
    return listOf(names)
      .map((one) => {
        const behind = fileBehind(door, one.replace(/^type /, '').split(/\s+as\s+/)[0]);
        const to = relative(dirname(file), behind)
          .replaceAll('\\', '/')
          .replace(/\.d\.ts$/, '.js');
        return `${kind}${type} { ${one} } from '${to.startsWith('.') ? to : `./${to}`}';`;
      })
      .join('\n');
  });
}
