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
  const files = {
    'load/a.ts': "import { b } from '../store/index.js';\nimport './c.js';\n",
    'watch/a.ts': "const { b } = await import('../sources/open-source.js');\n",
  };
  expect(check(files)).toEqual({ status: 0, faults: [] });
});

test.each([
  ['of a module', 'store/read/a.ts', "import { b } from '../../search/index.js';", 'store may not import search'],
  ['of a type', 'core/a.ts', "import type { B } from '../keyword/index.js';", 'core may not import keyword'],
  ['when it is needed', 'keyword/a.ts', "await import('../semantic/index.js');", 'keyword may not import semantic'],
  ['that is handed on', 'core/a.ts', "export { b } from '../store/index.js';", 'core may not import store'],
  ['over several lines', 'core/a.ts', "import {\n  b,\n} from '../keyword/index.js';", 'core may not import keyword'],
  ['past a front door', 'load/a.ts', "import { b } from '../store/b.js';", 'past the front door of store'],
  ['past a front door, later', 'load/a.ts', "await import('../store/b.js');", 'past the front door of store'],
  ['at once of a late file', 'watch/a.ts', "import '../sources/open-source.js';", 'past the front door of sources'],
  ['of the entry', 'search/a.ts', "import { b } from '../index.js';", 'search may not import index'],
  ['of a loose file', 'core/a.ts', "import { b } from '../skill.js';", 'core may not import vocabulary'],
  ['by a loose file', 'skill.ts', "import { b } from './keyword/index.js';", 'vocabulary may not import keyword'],
  ['by an unknown module', 'utils/a.ts', "import '../core/index.js';", 'utils may not import core'],
  ['of a package elsewhere', 'search/a.ts', "import yaml from 'yaml';", 'belongs to sources/folder/front-matter.ts'],
  ['of a package that has no place yet', 'core/a.ts', "import x from 'left-pad';", 'belongs to no file yet'],
])('an import %s is found', (_, file, text, fault) => {
  const { status, faults } = check({ [file]: `${text}\n` });
  expect(status).toBe(1);
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(faults[0]).toContain(`src/${file} imports`);
});
