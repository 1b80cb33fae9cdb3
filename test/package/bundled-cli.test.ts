import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Captured, runCaptured } from '../cli/run-captured.js';
import { row, writeJsonLines } from '../rows.js';
import { installed, packageIn } from './installations.js';
import { permanentFolder } from './permanent-folder.js';

/** Writes what was loaded on the last line of standard error. Packages are by name, parts of Node by `node:`. */
const TELL_LOADED = `
  process.on('exit', () => {
    const parts = process.moduleLoadList.filter((one) => one.startsWith('NativeModule '));
    process.stderr.write(JSON.stringify({ files: Object.keys(require.cache), parts }) + '\\n');
  });
`;

const work = permanentFolder();
const place = packageIn(installed);
const main = join(place, 'dist', 'cli', 'main.js');
const database = join(work, 'skills.db');

beforeAll(() => {
  writeFileSync(join(work, 'tell-loaded.cjs'), TELL_LOADED);
  writeJsonLines(join(work, 'rows.jsonl'), [
    row('pdf', { name: 'pdf-forms', description: 'Fills in PDF forms.' }),
    row('notes', { name: 'release-notes', description: 'Turns the git history into a changelog ✍️ 技能.' }),
  ]);
});

describe('the bundle of the command line', () => {
  test('loads a catalogue, with threads that it starts from the library', () => {
    const { status, error } = runBundle(['load', join(work, 'rows.jsonl'), '--database', database]);
    expect([status, error]).toEqual([0, '']);
  });

  test.each([
    { words: ['--help'] },
    { words: ['search', '--help'] },
    { words: ['--version'] },
    { words: ['serch'] },
    { words: ['search', 'pdf', '--sort', 'newest'] },
    { words: ['search', 'pdf', '--database', join(work, 'none.db')] },
    { words: ['search', 'git history', '--database', database] },
    { words: ['search', 'pdf', '--explain', '--json', '--database', database] },
    { words: ['search', 'announce what is new', '--mode', 'semantic', '--explain', '--database', database] },
    { words: ['list', '--database', database] },
    { words: ['show', 'pdf', '--database', database] },
    { words: ['check', '--database', database] },
  ])('says what the sources say: $words', async ({ words }) => {
    expect(runBundle(words)).toEqual(await runCaptured(words));
  });

  test('reads a lock file that it has written', () => {
    const folder = join(work, 'source');
    mkdirSync(join(folder, 'tidy'), { recursive: true });
    writeFileSync(join(folder, 'tidy', 'SKILL.md'), '---\nname: tidy\ndescription: Tidies ✍️ up.\n---\nTidy up.\n');
    const catalogue = ['--database', join(work, 'source.db')];
    expect(runBundle(['load', folder, '--no-semantic', ...catalogue]).status).toBe(0);
    const to = ['--to', join(work, 'installed'), ...catalogue];
    const [first, second] = [1, 2].map(() => runBundle(['install', 'source-tidy', ...to]));
    expect(first).toMatchObject({ status: 0, out: expect.stringMatching(/^installed /) });
    expect(second).toMatchObject({ status: 0, out: expect.stringMatching(/^unchanged /) });
  });

  test('runs through a link, as npm makes one', () => {
    const link = join(work, 'linked');
    mkdirSync(link);
    symlinkSync(main, join(link, 'skill-discovery'));
    const words = ['search', 'pdf', '--database', database];
    expect(runBundle(words, [join(link, 'skill-discovery')])).toEqual(runBundle(words));
  });

  test('says the same from code that a former start kept', () => {
    const kept = (home: string): string[] => {
      const folder = join(home, 'skill-discovery', 'compiled');
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[a-z]+-v/.test(name)) : [];
      return [...new Set(names.map((name) => name.slice(0, name.indexOf(`-${process.arch}-`))))];
    };
    for (const words of [
      ['search', 'git', '--explain', '--database', database],
      ['search', 'announce what is new', '--mode', 'semantic', '--database', database],
      ['show', 'pdf', '--database', database],
      ['search', 'pdf', '--sort', 'newest'],
    ]) {
      const home = join(work, `cache-${words.join('-').length}`);
      const run = (more = {}): Captured => runBundle(words, [main], { XDG_CACHE_HOME: home, ...more });
      const plain = run({ NODE_DISABLE_COMPILE_CACHE: '1' });
      expect(kept(home)).toEqual([]);
      expect([run(), run(), run()]).toEqual([plain, plain, plain]);
      expect(kept(home)).toEqual([`${words[0]}-${process.version}`]);
    }
  });

  test('loads a few files for its help, and no package', () => {
    const { files, packages, parts } = loadedBy(['--help']);
    expect(files.sort()).toEqual(['first.js', 'main.js', 'program.js', 'rolldown-runtime.js', 'run.js']);
    expect(packages).toEqual([]);
    expect(parts).not.toContain('NativeModule child_process');
  });

  test('loads a few files for a search by words, and no package but for SQLite', () => {
    const { files, packages, parts } = loadedBy(['search', 'pdf', '--database', database]);
    expect(files).toEqual(expect.arrayContaining(['opening.js', 'reading.js']));
    expect(files.length).toBeLessThanOrEqual(9);
    expect(packages.filter((name) => !['better-sqlite3', 'bindings', 'file-uri-to-path'].includes(name))).toEqual([]);
    for (const part of ['child_process', 'crypto', 'http']) expect(parts).not.toContain(`NativeModule ${part}`);
  });

  test('holds the licenses of the packages in it, and types of nothing', () => {
    const files = readdirSync(join(place, 'dist', 'cli'));
    expect(files.filter((file) => !file.endsWith('.js')).sort()).toEqual(['licenses.txt', 'package.json']);
  });
});

function runBundle(
  words: readonly string[],
  program: readonly string[] = [main],
  more: Readonly<Record<string, string>> = {},
): Captured {
  const env = { ...process.env, NO_COLOR: '', FORCE_COLOR: '0', XDG_CACHE_HOME: join(work, 'cache'), ...more };
  const child = spawnSync(process.execPath, [...program, ...words], { encoding: 'utf8', input: '', env });
  return { status: child.status ?? -1, out: child.stdout, error: child.stderr };
}

/** What a command loads: files of the bundle, packages, and parts of Node. */
function loadedBy(words: readonly string[]) {
  const tell = join(work, 'tell-loaded.cjs');
  // Node does not know what is loaded from kept code.
  const { error } = runBundle(words, ['--require', tell, main], { NODE_DISABLE_COMPILE_CACHE: '1' });
  const loaded = JSON.parse(error.trimEnd().split('\n').at(-1) ?? '') as { files: string[]; parts: string[] };
  const others = [tell, join(place, 'package.json')];
  const own = loaded.files.filter((file) => !others.includes(file));
  const bundle = join(place, 'dist', 'cli') + sep;
  return {
    files: own.filter((file) => file.startsWith(bundle)).map((file) => file.slice(bundle.length)),
    packages: [...new Set(own.filter((file) => !file.startsWith(bundle)).map(packageOf))],
    parts: loaded.parts,
  };
}

/** The package that a file belongs to; the file itself if it belongs to none. */
function packageOf(file: string): string {
  const inside = file.split(`node_modules${sep}`).at(-1) ?? file;
  return inside === file
    ? file
    : inside
        .split(sep)
        .slice(0, inside.startsWith('@') ? 2 : 1)
        .join('/');
}
