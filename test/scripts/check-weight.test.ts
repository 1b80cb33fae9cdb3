import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/check-weight.mjs', import.meta.url));

let project: string;

beforeEach(() => {
  project = scratchFolder();
  write('package.json', JSON.stringify({ exports: { '.': { types: './dist/index.d.ts' } } }));
  write('src/index.ts', "export { a } from './load/index.js';\nexport * from './load/index.js';\n");
  write('src/core/errors.ts', "export const ERROR_CODES = ['LOST'] as const;\n");
  write('src/cli/run.ts', "command.option('--json', 'as JSON');\n");
  write('src/load/index.ts', '// Loads.\nexport const a = 1;\n\nexport type B = 2;\n');
  write('test/a.test.ts', '');
  write('torture/a.ts', '');
  write('scripts/none', '');
  expect(check('--write')).toEqual([]);
});

test('lines, files and what users rely on are recorded', () => {
  expect(check()).toEqual([]);
  expect(JSON.parse(readFileSync(join(project, 'scripts/weight.json'), 'utf8'))).toMatchObject({
    src: { modules: { 'src/load': { files: 1, lines: 2 } } },
    api: 4,
  });
  expect(readFileSync(join(project, 'api.txt'), 'utf8')).toBe('. a\n. type B\ncode LOST\noption --json\n');
});

test('a module that grows is found; it may be recorded where another falls by as much', () => {
  write('src/load/index.ts', 'export const a = 1;\nexport type B = 2;\nconst c = 3;\n');
  const grown = expect.stringContaining('src/load has 1 files and 3 lines of code, 1 and 2 are recorded');
  const sum = expect.stringContaining('delete as much as you add');
  expect(check()).toEqual([sum, grown]);
  expect(check('--write')).toEqual([sum]);
  write('src/cli/run.ts', '');
  write('src/core/errors.ts', '');
  expect(check('--write')).toEqual([]);
  expect(check()).toEqual([]);
});

test('a further promise, and a file that lies loose, are found', () => {
  write('src/cli/run.ts', "command.option('--json', 'as JSON').option('--more <n>', 'more');\n");
  write('src/load.ts', '');
  expect(check()).toEqual([
    expect.stringContaining('src/load.ts lies loose'),
    expect.stringContaining('src has 5 files'),
    expect.stringContaining('api.txt would have 5 lines, 4 are recorded'),
    expect.stringContaining('src/* has 2 files'),
    expect.stringContaining('(new: option --more)'),
  ]);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** What the script says of the project. */
function check(...words: string[]): string[] {
  const { stderr } = spawnSync(process.execPath, [SCRIPT, ...words, project], { encoding: 'utf8' });
  return stderr.split('\n').filter((line) => line !== '');
}
