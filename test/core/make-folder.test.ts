import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder, SkillSearchError } from '../../src/core/index.js';
import { scratchFolder } from '../scratch-folder.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

/** The error that making a folder ends with. */
function faultOf(path: string): SkillSearchError | undefined {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return error as SkillSearchError;
  }
}

describe('a folder', () => {
  test('is made with all that are missing above it, and left alone if it is there', () => {
    const base = scratchFolder();
    const path = join(base, 'a', 'b', 'c');
    makeFolder(path, { mode: 0o700 });
    writeFileSync(join(path, 'kept'), '');
    makeFolder(path);
    expect(readdirSync(path)).toEqual(['kept']);
    if (process.platform === 'win32') return;
    expect(['a', 'a/b', 'a/b/c'].map((inside) => statSync(join(base, inside)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ]);
  });

  test('is made behind a link, too', () => {
    const base = scratchFolder();
    makeFolder(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'), 'junction');
    makeFolder(join(base, 'link', 'a'));
    expect(readdirSync(join(base, 'real'))).toEqual(['a']);
  });

  test('is refused with what is in its place', () => {
    const base = scratchFolder();
    const file = join(base, 'file');
    writeFileSync(file, '');
    symlinkSync(join(base, 'nowhere'), join(base, 'dangling'), 'junction');
    for (const path of [file, join(file, 'a'), join(file, 'a', 'b')]) {
      const fault = faultOf(path);
      expect(fault).toBeInstanceOf(SkillSearchError);
      expect(fault).toMatchObject({
        code: 'FILE_NOT_WRITABLE',
        path,
        message: `the folder ${JSON.stringify(path)} cannot be made: ${JSON.stringify(file)} is not a folder`,
      });
    }
    expect(faultOf(join(base, 'dangling', 'a'))?.message).toContain(
      `cannot be made: ${JSON.stringify(join(base, 'dangling'))} is a link that leads nowhere`,
    );
  });

  test.skipIf(process.platform !== 'linux')('is refused, and not tried for ever, where /proc would have it', () => {
    for (const path of ['/proc/.local', '/proc/.local/share/skill-discovery']) {
      expect(faultOf(path)).toMatchObject({
        code: 'FILE_NOT_WRITABLE',
        message: expect.stringMatching(/^the folder "\/proc\/\.local.*" cannot be made: ENOENT.*'\/proc\/\.local'$/),
      });
    }
  });

  test('is made by the recursive way of Node nowhere in the sources', () => {
    const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const recursive = sources.filter((name) =>
      /\bmkdir(?:Sync)?\([^;]*recursive/.test(readFileSync(join(SOURCES, name), 'utf8')),
    );
    expect(recursive).toEqual([]);
  });
});
