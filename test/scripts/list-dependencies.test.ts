import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readPage } from '../docs/pages.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/list-dependencies.mjs', import.meta.url));

test('the page of dependencies has the list of the lock file', () => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});

test('the list has sizes, licences and what install scripts do', () => {
  const { stdout } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
  expect(stdout).toMatch(/^\| better-sqlite3 \| [\d.]+ \| MIT \| everything \| fetches or compiles .+ \| \d+\.\d \|$/m);
  expect(stdout).toMatch(
    /^\| onnxruntime-node \| [\d.]+ \| MIT \| meaning \(win32 or darwin or linux\) \| on Linux .+ \|$/m,
  );
  expect(stdout).not.toMatch(/^\| (?:vitest|typescript) /m);
  expect(stdout).toMatch(/\d+ packages: \d+ MIT, /);
});

test('every licence is one that somebody has read, and every install script has a reason', () => {
  const rows = readPage('docs/dependencies.md').match(/^\| .+ \| \d[^|]* \| .+ \|$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(80);
  const known = /^(?:MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|PSF-2\.0|WTFPL|OR|AND|[() ])+$/;
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(cells.filter(([, , , licence = '']) => !known.test(licence)).map(([, name]) => name)).toEqual([]);
  expect(cells.filter(([, , , , , script]) => script === 'unknown: look at it')).toEqual([]);
});
