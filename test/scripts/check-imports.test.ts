import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';

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
  expect(check({ 'load/a.ts': "import { b } from '../store/write/b.js';\nimport './c.js';\n" })).toEqual({
    status: 0,
    faults: [],
  });
});

test.each([
  ['of a room', 'store/read/a.ts', "import { b } from '../../search/b.js';", 'store may not import search'],
  ['of a type', 'text/a.ts', "import type { B } from '../keyword/b.js';", 'text may not import keyword'],
  ['when it is needed', 'keyword/a.ts', "await import('../semantic/b.js');", 'keyword may not import semantic'],
  ['that is handed on', 'copies/a.ts', "export { b } from '../store/b.js';", 'copies may not import store'],
  ['over several lines', 'ranking/a.ts', "import {\n  b,\n} from '../text/b.js';", 'ranking may not import text'],
  ['inside a room', 'store/read/a.ts', "import '../write/b.js';", 'store/read may not import store/write'],
  ['up inside a room', 'keyword/a.ts', "import './packed/b.js';", 'keyword may not import keyword/packed'],
  ['of the entry', 'search/a.ts', "import { b } from '../index.js';", 'search may not import index'],
  ['of a loose file', 'arrays/a.ts', "import { b } from '../errors.js';", 'arrays may not import vocabulary'],
  ['by a loose file', 'errors.ts', "import { b } from './arrays/b.js';", 'vocabulary may not import arrays'],
  ['by a room that the table does not know', 'utils/a.ts', "import '../text/b.js';", 'utils may not import text'],
  ['of a package elsewhere', 'search/a.ts', "import yaml from 'yaml';", 'belongs to sources/folder/front-matter.ts'],
  ['of a package that has no place yet', 'text/a.ts', "import x from 'left-pad';", 'belongs to no file yet'],
])('an import %s is found', (_, file, text, fault) => {
  const { status, faults } = check({ [file]: `${text}\n` });
  expect(status).toBe(1);
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(faults[0]).toContain(`src/${file} imports`);
});
