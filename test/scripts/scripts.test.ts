import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readPage } from '../docs/pages.js';
import { PROJECT } from '../project-copy.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

describe('check lock file', () => {
  const SCRIPT = fileURLToPath(new URL('../../scripts/check-lock-file.mjs', import.meta.url));
  const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
  const GOOD = { version: '1.2.3', integrity: INTEGRITY };

  /** What the checker says of a lock file with these entries beside the project itself. */
  function check(entries: object, lockfileVersion = 3): string[] {
    const file = scratchFile('package-lock.json');
    writeFileSync(file, JSON.stringify({ lockfileVersion, packages: { '': { name: 'project' }, ...entries } }));
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, file], { encoding: 'utf8' });
    const faults = stderr.split('\n').filter((line) => line !== '');
    expect(status).toBe(faults.length === 0 ? 0 : 1);
    return faults;
  }

  test('the lock file of the project pins the contents of every package', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test.each([
    ['no integrity', { version: '1.2.3' }, 'has no integrity (version 1.2.3)'],
    ['a cut integrity', { ...GOOD, integrity: INTEGRITY.slice(0, 50) }, 'expected one of SHA-512'],
    ['a repository', { ...GOOD, resolved: 'git+ssh://git@host.example/a.git#abc' }, 'no tarball of a registry'],
    [
      'an open connection',
      { ...GOOD, resolved: 'http://registry.example/a/-/a-1.2.3.tgz' },
      'no tarball of a registry',
    ],
    ['another version', { ...GOOD, resolved: 'https://registry.example/a/-/a-1.2.4.tgz' }, 'no tarball of a registry'],
    ['a link to nowhere', { link: true, resolved: 'tools/a' }, 'is a link to tools/a, which is not here'],
  ])('an entry with %s is found', (_, entry, fault) => {
    expect(check({ 'node_modules/a': entry })).toEqual([expect.stringContaining(fault)]);
  });
});

describe('list dependencies', () => {
  const SCRIPT = fileURLToPath(new URL('../../scripts/list-dependencies.mjs', import.meta.url));

  test('the page of dependencies has the list of the lock file', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('every licence is one that somebody has read, and every install script has a reason', () => {
    const rows = readPage('docs/dependencies.md').match(/^\| .+ \| \d[^|]* \| .+ \|$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(80);
    const known = /^(?:MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|PSF-2\.0|WTFPL|OR|AND|[() ])+$/;
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    expect(cells.filter(([, , , licence = '']) => !known.test(licence)).map(([, name]) => name)).toEqual([]);
    expect(cells.filter(([, , , , , script]) => script === 'unknown: look at it')).toEqual([]);
  });
});

describe('skip cuda', () => {
  const STAND_IN = join(PROJECT, 'scripts', 'skip-cuda');
  const RUNTIME = join(PROJECT, 'node_modules', 'onnxruntime-node');

  /** Instead of the network: says that it was asked. Pretends to be a system for which there is something to download. */
  const NO_NETWORK = `
  const fail = () => { console.log('asked the network'); process.exit(1); };
  Object.assign(require('node:https'), { get: fail, request: fail });
  Object.assign(require('node:os'), { platform: () => 'linux', arch: () => 'x64' });
`;

  /** Runs the installer of the model runtime as npm does. */
  function install(env: Readonly<Record<string, string>> = {}): { status: number | null; stdout: string } {
    const modules = join(scratchFolder(), 'node_modules');
    const runtime = join(modules, 'onnxruntime-node');
    mkdirSync(runtime, { recursive: true });
    cpSync(join(RUNTIME, 'package.json'), join(runtime, 'package.json'));
    cpSync(join(RUNTIME, 'script'), join(runtime, 'script'), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules', 'adm-zip'), join(modules, 'adm-zip'), 'junction');
    cpSync(STAND_IN, join(modules, 'global-agent'), { recursive: true });
    const guard = join(modules, 'no-network.cjs');
    writeFileSync(guard, NO_NETWORK);
    const clean = { PATH: process.env['PATH'] ?? '', ...env };
    const words = ['--require', guard, join(runtime, 'script', 'install.js')];
    return spawnSync(process.execPath, words, { encoding: 'utf8', env: clean, cwd: runtime });
  }

  test.skipIf(!existsSync(RUNTIME))('the stand-in keeps the installer of the model runtime from downloading', () => {
    expect(install()).toMatchObject({ status: 0, stdout: '' });
  });

  test.skipIf(!existsSync(RUNTIME))('who asks for the libraries gets them', () => {
    expect(install({ ONNXRUNTIME_NODE_INSTALL: 'cuda12' })).toMatchObject({ status: 1, stdout: 'asked the network\n' });
  });

  test('the lock file has the stand-in, and no configuration of npm makes it warn', () => {
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
    expect(packages['node_modules/global-agent']).toMatchObject({ link: true, resolved: 'scripts/skip-cuda' });
    expect(existsSync(join(PROJECT, '.npmrc'))).toBe(false);
  });
});

describe('check imports', () => {
  const SCRIPT = fileURLToPath(new URL('../../scripts/check-imports.mjs', import.meta.url));

  /** What the checker says of sources with these files. */
  function check(files: Readonly<Record<string, string>>): { status: number | null; faults: string[] } {
    const folder = scratchFolder();
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
    return { status, faults: stderr.split('\n').filter((line) => line !== '') };
  }

  test('the sources import what the table allows, and nothing else', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('an import that the table allows passes', () => {
    const files = {
      'load/a.ts': "import { b } from '../store/index.js';\nimport './c.js';\n",
      'watch/a.ts': "const { b } = await import('../sources/open-source.js');\n",
    };
    expect(check(files)).toEqual({ status: 0, faults: [] });
  });

  test.each([
    ['of a module', 'store/read/a.ts', "import { b } from '../../search/index.js';", 'store may not import search'],
    ['when it is needed', 'keyword/a.ts', "await import('../semantic/index.js');", 'keyword may not import semantic'],
    ['past a front door', 'load/a.ts', "import { b } from '../store/b.js';", 'past the front door of store'],
    ['at once of a late file', 'watch/a.ts', "import '../sources/open-source.js';", 'past the front door of sources'],
    ['of the entry', 'search/a.ts', "import { b } from '../index.js';", 'search may not import index'],
    ['by an unknown module', 'utils/a.ts', "import '../core/index.js';", 'utils may not import core'],
    ['of a package elsewhere', 'search/a.ts', "import yaml from 'yaml';", 'belongs to sources/folder/front-matter.ts'],
    ['of a package that has no place yet', 'core/a.ts', "import x from 'left-pad';", 'belongs to no file yet'],
  ])('an import %s is found', (_, file, text, fault) => {
    const { status, faults } = check({ [file]: `${text}\n` });
    expect(status).toBe(1);
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults[0]).toContain(`src/${file} imports`);
  });
});
