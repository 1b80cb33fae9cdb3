import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));
const IMPORT = /(?:^(?:import|export)\s+([^'";]*?from\s+)?|\bimport\()'([^']+)'/gm;

/** The packages that a module imports, itself or by others, types aside. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', target = '']) => {
    if (names.startsWith('type ') || target.startsWith('node:')) return [];
    if (!target.startsWith('.')) return [target];
    return packagesOf(join(dirname(file), target.replace(/\.js$/, '.ts')), seen);
  });
}

test('the entry loads neither the model runtime nor SQLite, nor any other package that is large', () => {
  const packages = packagesOf(join(SOURCE, 'agents/formats/index.ts'));
  expect(packages.toSorted()).toEqual(['@huggingface/tokenizers', 'smol-toml', 'stemmer', 'tsx/esm/api']);
  expect(packagesOf(join(SOURCE, 'index.ts'))).toContain('better-sqlite3');
});
