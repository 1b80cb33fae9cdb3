import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitTreeHash, hashOfFiles } from '../../../src/agents/install/lock-file.js';
import { scratchFolder } from '../../scratch-folder.js';

const FILES = [
  { path: 'SKILL.md', text: '# a\n', executable: false },
  { path: 'a.b', text: 'x', executable: false },
  { path: 'a/z.sh', text: '#!/bin/sh\n', executable: true },
  { path: 'a/ä/表.md', text: '表', executable: false },
  { path: 'a0', text: '', executable: false },
].map(({ text, ...file }) => ({ ...file, bytes: Buffer.from(text) }));

describe('the hash of a folder', () => {
  test('is the one that git has', () => {
    const folder = scratchFolder();
    const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
    git('init', '-q');
    for (const { path, bytes, executable } of FILES) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes, { mode: executable ? 0o755 : 0o644 });
    }
    git('add', '.');
    // Where the file system knows no executable files, as on Windows.
    git('update-index', '--chmod=+x', 'a/z.sh');
    expect(gitTreeHash(FILES)).toBe(git('write-tree'));
  });

  test('of a lock file is over paths and bytes, in the order of a language, and does not see what npm and git keep', () => {
    const expected = createHash('sha256');
    for (const { path, bytes } of FILES.toSorted((a, b) => a.path.localeCompare(b.path))) {
      expected.update(path).update(bytes);
    }
    expect(hashOfFiles(FILES)).toBe(expected.digest('hex'));
    const more = { path: 'node_modules/x/index.js', bytes: Buffer.from('1'), executable: false };
    expect(hashOfFiles([more, ...FILES.toReversed()])).toBe(hashOfFiles(FILES));
  });
});
