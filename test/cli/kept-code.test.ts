import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KeptCode } from '../../src/cli/index.js';
import { scratchFolder } from '../scratch-folder.js';

const require = createRequire(import.meta.url);

/** A bundle of files, and where its code is kept. */
function bundleOf(files: Readonly<Record<string, string>>) {
  const bundle = scratchFolder();
  const path = join(scratchFolder(), 'kept', 'search');
  const write = (file: string, source: string): void => writeFileSync(join(bundle, file), source);
  for (const [file, source] of Object.entries(files)) write(file, source);
  /** What a file exports, in a start of its own that keeps its code. */
  const start = (file: string): Record<string, unknown> => {
    const code = new KeptCode(require, { bundle, path });
    const exported = code.require(`./${file}`);
    code.keep();
    return exported as Record<string, unknown>;
  };
  return { bundle, path, write, start };
}

/** Changes with every writing of the kept code. */
const writingOf = (path: string): string => `${statSync(path).ino} ${statSync(path).mtimeMs}`;

describe('kept code', () => {
  test('runs as what require loads: each file once, files that need each other, other modules, its place', () => {
    const { bundle, start } = bundleOf({
      'a.js': `exports.early = 1; const b = require('./b.js'); exports.b = b; exports.again = require('./b.js') === b;`,
      'b.js': `const a = require('./a.js'); exports.early = a.early; exports.join = require('node:path').join;
        exports.place = [__filename, __dirname]; exports.text = 'Zürich 技能';`,
    });
    for (const run of [1, 2]) {
      const a = start('a.js');
      expect([run, a['again']]).toEqual([run, true]);
      const text = 'Zürich 技能';
      expect(a['b']).toEqual({ early: 1, join, place: [join(bundle, 'b.js'), bundle], text });
    }
  });

  test('is written once, and again where a file is new or has changed', () => {
    const { path, write, start } = bundleOf({ 'a.js': 'exports.a = 1;', 'b.js': 'exports.b = 1;' });
    start('a.js');
    const first = writingOf(path);
    start('a.js');
    expect(writingOf(path)).toBe(first);
    start('b.js');
    const second = writingOf(path);
    expect(second).not.toBe(first);
    // What this start did not load is still kept.
    start('a.js');
    expect(writingOf(path)).toBe(second);
    // As long as before: V8 itself would not notice.
    write('a.js', 'exports.a = 2;');
    expect(start('a.js')).toEqual({ a: 2 });
    expect(writingOf(path)).not.toBe(second);
    expect(start('a.js')).toEqual({ a: 2 });
  });

  test('is not run where it is damaged, wherever that is', () => {
    const { path, start } = bundleOf({ 'a.js': `exports.a = (() => 'a')();` });
    start('a.js');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x55;
      writeFileSync(path, damaged);
      const before = writingOf(path);
      expect(start('a.js')).toEqual({ a: 'a' });
      expect([at, writingOf(path)]).not.toEqual([at, before]);
    }
    for (const end of [0, 3, 8, 30, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, end));
      expect(start('a.js')).toEqual({ a: 'a' });
    }
  });

  test.skipIf(process.platform === 'win32')('is not run where others may have written it', () => {
    const { path, start } = bundleOf({ 'a.js': 'exports.a = 1;' });
    start('a.js');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o666);
    const before = writingOf(path);
    expect(start('a.js')).toEqual({ a: 1 });
    expect(writingOf(path)).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('may be left unwritten', () => {
    const { path, start } = bundleOf({ 'a.js': 'exports.a = 1;' });
    // A folder is in its place.
    mkdirSync(path, { recursive: true });
    expect(start('a.js')).toEqual({ a: 1 });
  });

  test('imports packages, which kept code cannot do by itself', async () => {
    const { start } = bundleOf({ 'a.js': `exports.path = require.import('node:path');` });
    expect(await start('a.js')['path']).toMatchObject({ join });
  });

  test('leaves errors as they are', () => {
    const { bundle, path } = bundleOf({ 'a.js': `throw new Error('a broke');` });
    const code = new KeptCode(require, { bundle, path });
    expect(() => code.require('./none.js')).toThrow(/ENOENT/);
    expect(() => code.require('./a.js')).toThrow('a broke');
  });
});
