import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, boolean, property, record, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsTar, storedGzip, tarOf } from '../../../src/http/published/archive.js';
import { scratchFolder } from '../../scratch-folder.js';
import { unpack } from './unpack.js';

describe('an archive', () => {
  test('has every file as it was, with its mode, and is the same each time', () => {
    const path = array(string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 }).map(
      (segments) => segments.map((segment) => segment.replace(/[/\0]/g, '_')).join('/'),
    );
    assert(
      property(
        array(record({ path, bytes: uint8Array({ maxLength: 2000 }), executable: boolean() }), { maxLength: 6 }),
        (all) => {
          const files = all.filter((file) => fitsTar(file.path));
          const archive = storedGzip(tarOf(files));
          const expected = files.map(({ path, bytes, executable }) => {
            return { path, mode: executable ? '0000755' : '0000644', bytes: Buffer.from(bytes) };
          });
          expect(unpack(archive)).toEqual(expected);
          expect(storedGzip(tarOf(files))).toEqual(archive);
        },
      ),
    );
  });

  test('has paths of 255 bytes where they can be split at a slash, and no longer ones', () => {
    const name = 'n'.repeat(100);
    expect(fitsTar(name)).toBe(true);
    expect(fitsTar(`${name}n`)).toBe(false);
    const longest = `${'p'.repeat(155)}/${name}`;
    expect(fitsTar(longest)).toBe(true);
    expect(fitsTar(`p${longest}`)).toBe(false);
    expect(fitsTar('表'.repeat(34))).toBe(false);
    const [file] = unpack(storedGzip(tarOf([{ path: longest, bytes: Buffer.from('x'), executable: false }])));
    expect(file).toEqual({ path: longest, mode: '0000644', bytes: Buffer.from('x') });
  });

  test('stores texts longer than a block of deflate', () => {
    const bytes = Buffer.alloc(200_000, 'abc');
    expect(unpack(storedGzip(tarOf([{ path: 'a', bytes, executable: false }])))[0]?.bytes.equals(bytes)).toBe(true);
  });

  test('has the bytes that it had when it was first published, with every version of Node', () => {
    const files = [
      { path: 'SKILL.md', bytes: Buffer.from('---\nname: a\ndescription: b\n---\n'), executable: false },
      { path: 'scripts/run.sh', bytes: Buffer.from('#!/bin/sh\n'), executable: true },
    ];
    const digest = createHash('sha256')
      .update(storedGzip(tarOf(files)))
      .digest('hex');
    expect(digest).toBe('6918a07280d59254276b5235b5bcdacd03ed861d36a31c341202447a4c3da9f3');
  });

  test('is one for tar', () => {
    const folder = scratchFolder();
    const files = [
      { path: 'SKILL.md', bytes: Buffer.from('# ä\n'), executable: false },
      { path: `${'deep/'.repeat(25)}run.sh`, bytes: Buffer.from('#!/bin/sh\n'), executable: true },
    ];
    writeFileSync(join(folder, 'a.tar.gz'), storedGzip(tarOf(files)));
    execFileSync('tar', ['-xzf', 'a.tar.gz'], { cwd: folder });
    for (const { path, bytes, executable } of files) {
      expect(readFileSync(join(folder, path))).toEqual(bytes);
      if (process.platform !== 'win32') expect((statSync(join(folder, path)).mode & 0o100) !== 0).toBe(executable);
    }
  });
});
