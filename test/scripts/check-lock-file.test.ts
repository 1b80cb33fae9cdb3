import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scratchFile } from '../scratch-folder.js';

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

test('packages of a registry, a link into this repository and an alias pass', () => {
  const resolved = 'https://registry.example/@scope/b/-/b-1.2.3.tgz';
  expect(
    check({
      'node_modules/a': GOOD,
      'node_modules/@scope/b': { ...GOOD, resolved },
      'node_modules/alias': { ...GOOD, name: '@scope/b', resolved },
      'node_modules/a/node_modules/c': GOOD,
      'node_modules/d': { link: true, resolved: 'tools/d' },
      'tools/d': { version: '1.0.0' },
    }),
  ).toEqual([]);
});

test.each([
  ['no integrity', { version: '1.2.3' }, 'has no integrity (version 1.2.3)'],
  ['a weak integrity', { ...GOOD, integrity: `sha1-${'A'.repeat(27)}=` }, 'expected one of SHA-512'],
  ['a cut integrity', { ...GOOD, integrity: INTEGRITY.slice(0, 50) }, 'expected one of SHA-512'],
  ['a second integrity', { ...GOOD, integrity: `${INTEGRITY} sha1-AAAA` }, 'expected one of SHA-512'],
  ['a repository', { ...GOOD, resolved: 'git+ssh://git@host.example/a.git#abc' }, 'no tarball of a registry'],
  ['an open connection', { ...GOOD, resolved: 'http://registry.example/a/-/a-1.2.3.tgz' }, 'no tarball of a registry'],
  ['another version', { ...GOOD, resolved: 'https://registry.example/a/-/a-1.2.4.tgz' }, 'no tarball of a registry'],
  ['any address', { ...GOOD, resolved: 'https://host.example/a-1.2.3.tgz' }, 'no tarball of a registry'],
  ['a file', { ...GOOD, resolved: 'file:../a-1.2.3.tgz' }, 'no tarball of a registry'],
  ['a link to nowhere', { link: true, resolved: 'tools/a' }, 'is a link to tools/a, which is not here'],
])('an entry with %s is found', (_, entry, fault) => {
  expect(check({ 'node_modules/a': entry })).toEqual([expect.stringContaining(fault)]);
});

test('a folder that nothing links to, one outside, and another format are found', () => {
  expect(check({ 'tools/a': { version: '1.0.0' } })).toEqual(['tools/a: is no folder of this repository']);
  const outside = { 'node_modules/a': { link: true, resolved: '../a' }, '../a': { version: '1.0.0' } };
  expect(check(outside)).toEqual(['../a: is no folder of this repository']);
  expect(check({}, 2)).toEqual(['the lock file has version 2, expected 3']);
});
