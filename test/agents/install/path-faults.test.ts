import { win32 } from 'node:path';
import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfPaths } from '../../../src/agents/index.js';

describe('a path of a file in a skill', () => {
  test.each([
    'SKILL.md',
    'references/forms.md',
    'a b/ä-表.md',
    '.hidden',
    'console.md',
    'com10.txt',
    '.github/x.yml',
    '...a',
  ])('may be %s', (path) => {
    expect(faultOfPaths([path])).toBeUndefined();
  });

  test.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a/./b',
    'a//b',
    'a/',
    '..',
    'C:\\x',
    'C:x',
    'c:/x',
    '\\\\server\\share\\x',
    'a\\..\\..\\x',
    'a.md:stream',
    'a\0b',
    'a\nb',
    'a?b',
    'a*b',
    'a|b',
    'a<b',
    'a"b',
    'x.',
    'x ',
    'folder./x',
    '.. /x',
    '. ./x ',
    'CON',
    'con.txt',
    'a/NUL',
    'aux.tar.gz',
    'Com1',
    'LPT\u00b2.md',
    'CONOUT$',
    '.git/config',
    'a/.GIT/hooks/pre-commit',
    '.g\u200cit/config',
    'GIT~1/config',
    'x'.repeat(256),
    '\ud800',
  ])('may not be %j', (path) => {
    expect(faultOfPaths([path])).toEqual(expect.any(String));
  });

  test('stays inside its folder on Windows and elsewhere, whatever it is', () => {
    const base = 'C:\\skills\\pdf';
    assert(
      property(string({ unit: 'binary' }), string(), (first, second) => {
        const path = `${first}/${second}`;
        if (faultOfPaths([path]) !== undefined) return true;
        return win32.resolve(base, ...path.split('/')).startsWith(`${base}\\`);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the files of a skill', () => {
  test.each([
    [['SKILL.md', 'skill.md']],
    [['SKILL.md', 'a/B.md', 'A/b.md']],
    [['SKILL.md', 'caf\u00e9.md', 'cafe\u0301.md']],
    [['SKILL.md', 'stra\u00dfe.md', 'STRASSE.md']],
    [['SKILL.md', 'a/x.md', 'A/y.md']],
    [['SKILL.md', 'a', 'a/b']],
    [['SKILL.md', 'A/b', 'a']],
    [['SKILL.md', 'SKILL.md']],
    [['SKILL.md', '../x']],
  ])('may not be %j', (paths) => {
    expect(faultOfPaths(paths)).toEqual(expect.any(String));
  });

  test('may share folders and beginnings', () => {
    expect(faultOfPaths(['SKILL.md', 'a/b.md', 'a/c.md', 'ab', 'a.md'])).toBeUndefined();
  });
});
