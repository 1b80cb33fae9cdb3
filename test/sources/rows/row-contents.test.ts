import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type RowFiles, rowFiles } from '../../../src/sources/rows/row-files.js';

type RowFile = Readonly<Record<string, unknown>>;

describe('the contents of a row', () => {
  const twice = (path: string): string => `files: ${path} occurs twice; the later one is kept`;
  const kept = (given: string, path: string): string => `contents: the path ${given} is kept as ${path}; incomplete`;

  it.each<[string, string[], string[], string[]]>([
    ['a path out of the skill', ['../../etc/passwd'], ['etc/passwd'], [kept('"../../etc/passwd"', 'etc/passwd')]],
    ['an absolute path', ['/etc/passwd'], ['etc/passwd'], [kept('"/etc/passwd"', 'etc/passwd')]],
    ['a path that goes up', ['a/../b.txt'], ['a/b.txt'], [kept('"a/../b.txt"', 'a/b.txt')]],
    ['backslashes', ['a\\b.txt'], ['a/b.txt'], [kept('"a\\\\b.txt"', 'a/b.txt')]],
    ['control characters', ['b\u0001\n.txt'], ['b.txt'], [kept('"b\\u0001\\n.txt"', 'b.txt')]],
    ['outer blanks', [' b .txt '], ['b .txt'], [kept('" b .txt "', 'b .txt')]],
    ['the same path', ['b.txt', 'b.txt'], ['b.txt'], [twice('b.txt')]],
    ['paths that become one', ['b.txt', '../b.txt'], ['b.txt'], [twice('b.txt'), kept('"../b.txt"', 'b.txt')]],
    ['separators', ['a/b.txt', 'a\\b.txt'], ['a/b.txt'], [twice('a/b.txt'), kept('"a\\\\b.txt"', 'a/b.txt')]],
    [
      'a file and a folder',
      ['a', 'a-b', 'a/b'],
      ['a', 'a-b', 'a/b'],
      ['contents: a is a file, and a folder of others; incomplete'],
    ],
  ])('are incomplete where a file is not kept as the row has it: %s', (_, given, paths, warnings) => {
    const { contents, warnings: told } = read(['SKILL.md', ...given].map((path, i) => whole(path, `${i}`)));
    expect(contents?.complete).toBe(false);
    expect(contents?.files.map(({ path }) => path)).toEqual(['SKILL.md', ...paths]);
    expect(told).toEqual(warnings);
  });

  it('are no whole skill with a SKILL.md from elsewhere', () => {
    const { contents, warnings } = read([whole('../SKILL.md', 'x')]);
    expect(contents).toMatchObject({ complete: false, files: [{ path: 'SKILL.md' }] });
    expect(warnings).toEqual([kept('"../SKILL.md"', 'SKILL.md')]);
  });

  it('are complete with any path that is kept as it is', () => {
    const paths = ['.gitignore', 'SKILL.md', 'a b/c.d.txt', 'a/b', 'a/c', 'ab', 'é/\u{1f600}.md'];
    const { contents, warnings } = read(paths.map((path) => whole(path, path)));
    expect(contents?.complete).toBe(true);
    expect(contents?.files.map(({ path }) => path)).toEqual(paths);
    expect(warnings).toEqual([]);
  });

  it.each([
    '.git/config',
    'a/.GIT/hooks/pre-commit',
    '.g\u200cit/config',
    '.git./config',
    'node_modules/a/b.js',
    'a/.DS_Store',
  ])('have no file that a folder would not have either: %s', (path) => {
    const { files, contents, warnings } = read([whole('SKILL.md', 'x'), whole(path, 'y')]);
    expect(contents).toMatchObject({ complete: true, files: [{ path: 'SKILL.md' }] });
    expect(contents?.files).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(files.map(({ filename }) => filename)).toEqual(['SKILL.md', path]);
  });

  it.each(['.env', 'a/.npmrc', '.ssh/id_rsa'])('are incomplete with the secrets left out: %s', (path) => {
    const { contents, warnings } = read([whole('SKILL.md', 'x'), whole('.env.example', 'y'), whole(path, 'z')]);
    expect(contents).toMatchObject({ complete: false, files: [{ path: '.env.example' }, { path: 'SKILL.md' }] });
    expect(contents?.files).toHaveLength(2);
    expect(warnings).toEqual([`contents: ${path}: may hold secrets; left out`]);
  });

  it('are at most 512 files, the SKILL.md counted first, and say how many they lack', () => {
    const files = Array.from({ length: 512 }, (_, i) => whole(`f${String(i).padStart(3, '0')}`, 'x'));
    const full = read([...files.slice(1), whole('SKILL.md', 'x')]);
    expect(full.contents).toMatchObject({ complete: true, files: { length: 512 } });
    const over = read([...files, whole('SKILL.md', 'x')]);
    expect(over.contents).toMatchObject({ complete: false, files: { length: 512 } });
    expect(over.contents?.files[0]?.path).toBe('SKILL.md');
    expect(over.warnings).toEqual(['contents: more than 512 files; 1 file is left out, from f511 on']);
  });

  it('leave what is searched as it is, and tell nothing of the paths of mere excerpts', () => {
    const { files, contents, warnings } = read([
      { filename: 'SKILL.md', text: 'x' },
      { filename: '../a\\b.txt', text: 'y' },
    ]);
    expect(files.map(({ filename }) => filename)).toEqual(['SKILL.md', 'a/b.txt']);
    expect([contents, warnings]).toEqual([undefined, []]);
  });
});

function whole(filename: string, text: string): RowFile {
  return { filename, text, complete: true, sha256: createHash('sha256').update(text).digest('hex') };
}

function read(files: readonly RowFile[]): RowFiles & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { ...rowFiles(files, 'A description.', warnings), warnings };
}
