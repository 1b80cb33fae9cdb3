import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import { checkRow } from '../../../src/sources/index.js';
import type { CheckedRow } from '../../../src/sources/rows/check-row.js';
import type { SkillDraft } from '../../../src/sources/rows/row.js';

const MINIMUM = { name: 'a', description: 'b' };

function normalise(value: unknown): CheckedRow {
  return checkRow({ kind: 'row', origin: { source: 'test', line: 1 }, value });
}

/** The draft and warnings of a row that has at least a name and a description. */
function skill(fields: Readonly<Record<string, unknown>>): SkillDraft & { readonly warnings: readonly string[] } {
  const row = normalise({ ...MINIMUM, ...fields });
  if (row.kind !== 'skill') throw new Error(row.reason);
  return { ...row.draft, warnings: row.warnings };
}

describe('checkRow', () => {
  it('gives everything but name and description a default', () => {
    expect(normalise(MINIMUM)).toEqual({
      kind: 'skill',
      draft: {
        id: undefined,
        location: 'unknown/a',
        exactLocation: 'unknown/a',
        name: 'a',
        author: 'unknown',
        description: 'b',
        codehostUrl: 'unknown',
        skillUrl: 'unknown',
        stars: 0,
        updatedAt: 0,
        categories: [],
        occupations: [],
        tags: [],
        properties: {},
        files: [{ filename: 'SKILL.md', text: 'b' }],
      },
      warnings: [],
    });
  });

  it.each([
    [[], 'expected an object, got an array'],
    [null, 'expected an object, got nothing'],
    [{ name: 7, description: 'b' }, 'name: expected text, got a number'],
    [{ name: ' \n', description: 'b' }, 'name: expected text, got blank text'],
    [{ name: '\u200b\u2060\ufeff', description: 'b' }, 'name: expected text, got blank text'],
    [{ name: 'a' }, 'description: expected text, got nothing'],
  ])('rejects %j', (value, reason) => {
    expect(normalise(value)).toEqual({ kind: 'rejected', reason });
  });

  it('passes on the warnings of the row, its own after them', () => {
    const row = checkRow({
      kind: 'row',
      origin: { source: 'test' },
      value: { ...MINIMUM, updatedAt: 'soon' },
      warnings: ['first'],
    });
    expect(row).toMatchObject({ warnings: ['first', expect.stringMatching(/^updatedAt: /)] });
  });
});

describe('name and description', () => {
  it.each([
    ['  a b ', 'a b'],
    ['a\n  b\r\nc', 'a b c'],
    ['a\0b\ud800c🐝', 'abc🐝'],
    ['a\ud83d\0\udc1d', 'a'],
  ])('makes %j a name of one line', (name, expected) => {
    expect(skill({ name }).name).toBe(expected);
  });

  it('cuts between characters, with a warning', () => {
    const cut = skill({ name: '🐝'.repeat(201), description: 'é'.repeat(4001) });
    expect(cut.name).toBe('🐝'.repeat(200));
    expect(cut.description).toBe('é'.repeat(4000));
    expect(cut.warnings).toEqual(['name: cut at 200 characters', 'description: cut at 4000 characters']);
    expect(skill({ name: '🐝'.repeat(200), description: 'é'.repeat(4000) }).warnings).toEqual([]);
  });
});

it.each([
  ['a/b', 'a/b', 0],
  ['  a\u0007b ', 'ab', 0],
  [12, '12', 0],
  [' \u200b', undefined, 0],
  [null, undefined, 0],
  [['a'], undefined, 1],
  ['🐝'.repeat(250), '🐝'.repeat(250), 0],
  ['a'.repeat(251), undefined, 1],
])('id reads %j', (id, expected, warnings) => {
  expect(skill({ id })).toMatchObject({ id: expected });
  expect(skill({ id }).warnings).toHaveLength(warnings);
});

describe('stars', () => {
  it.each([
    [5, 5],
    ['1200', 1200],
    [-1, 0],
    [Number.POSITIVE_INFINITY, 0],
  ])('reads %j without a warning', (stars, expected) => {
    expect(skill({ stars })).toMatchObject({ stars: expected, warnings: [] });
  });

  it.each(['many', '', [5], {}])('warns of %j', (stars) => {
    expect(skill({ stars })).toMatchObject({ stars: 0, warnings: [expect.stringMatching(/^stars: /)] });
  });
});

describe('updatedAt', () => {
  it.each([
    [1_700_000_000, 1_700_000_000],
    [1_700_000_000_123, 1_700_000_000],
    [100_000_000_000, 100_000_000],
    ['2023-11-14T22:13:20Z', 1_700_000_000],
    ['2023-11-15T00:13:20+02:00', 1_700_000_000],
    ['2023-11-14 22:13:20', 1_700_000_000],
    [null, 0],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])('reads %j without a warning', (updatedAt, expected) => {
    expect(skill({ updatedAt })).toMatchObject({ updatedAt: expected, warnings: [] });
  });

  it.each([-5, '-5', 'yesterday', '1969-12-31', '2023-99-99', Number.NaN, {}, true, '14 Nov 2023'])(
    'warns of %j',
    (updatedAt) => {
      expect(skill({ updatedAt })).toMatchObject({ updatedAt: 0, warnings: [expect.stringMatching(/^updatedAt: /)] });
    },
  );
});

describe('addresses', () => {
  it.each([
    ['https://example.org/a', 'https://example.org/a'],
    [' HTTP://example.org/a\n', 'HTTP://example.org/a'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
  ])('reads %j without a warning', (codehostUrl, expected) => {
    expect(skill({ codehostUrl, skillUrl: codehostUrl })).toMatchObject({
      codehostUrl: expected,
      skillUrl: expected,
      warnings: [],
    });
  });

  it.each(['file:///home/me/skills', 'C:\\skills', 'javascript:alert(1)', 'example.org/a'])(
    'warns of %j and leaves it out',
    (codehostUrl) => {
      expect(skill({ codehostUrl })).toMatchObject({
        codehostUrl: 'unknown',
        warnings: [expect.stringMatching(/^codehostUrl: /)],
      });
    },
  );

  it('takes passwords out', () => {
    const codehostUrl = 'https://me:secret@example.org/o/r?x=a@b';
    expect(skill({ codehostUrl }).codehostUrl).toBe('https://example.org/o/r?x=a@b');
    expect(skill({ skillUrl: 'ssh://me:secret@example.org/o' }).skillUrl).toBe('ssh://example.org/o');
  });
});

describe('location', () => {
  it.each([
    ['https://github.com/o/r', 'o/r'],
    ['https://github.com/o/r/tree/main/skills/x', 'o/r/skills/x'],
    ['https://github.com/o/r/tree/HEAD/sk%20ills/x?plain=1#top', 'o/r/sk ills/x'],
    ['https://github.com/o/r/blob/main/skills/x/SKILL.md', 'o/r/skills/x'],
    ['https://gitlab.example/g/s/r/-/tree/main/x', 'g/s/r/x'],
    ['https://Skills.example/a/b/c', 'skills.example/a/b/c'],
    ['https://github.com/o/r/tree/main/100%', 'o/r/100%'],
    ['urn:isbn:1', 'me/a'],
  ])('of %s is %s', (codehostUrl, location) => {
    expect(skill({ codehostUrl, author: 'me' }).location).toBe(location);
  });

  it('is what the row says, where it does', () => {
    expect(skill({ place: 'x/y', codehostUrl: 'https://github.com/o/r' }).location).toBe('x/y');
    expect(skill({ codehostUrl: 'https://github.com/o/r' }).exactLocation).toBe('o/r#a');
    expect(skill({ codehostUrl: 'https://github.com/o/r/tree/main/skills/x' }).exactLocation).toBe('o/r/skills/x');
    const row = checkRow({ kind: 'row', origin: { source: 't' }, location: 'p', value: { ...MINIMUM, place: 'q' } });
    expect(row).toMatchObject({ draft: { location: 'p' } });
  });
});

describe('labels', () => {
  it('are slugs, each once, in the order given', () => {
    const categories = ['Web Development', 'data-science', 'Café & Bar', 'web--development', 'C++', 'ＡＢＣ'];
    expect(skill({ categories })).toMatchObject({
      categories: ['web-development', 'data-science', 'cafe-bar', 'c', 'abc'],
      warnings: [],
    });
  });

  it('are left out with a warning where nothing of them remains', () => {
    expect(skill({ categories: ['测试', '', 5, 'ok'] })).toMatchObject({
      categories: ['ok'],
      warnings: Array(3).fill(expect.stringMatching(/^categories: /)),
    });
  });

  it('are at most 64, and it is said how many are left out', () => {
    const slugs = Array.from({ length: 101 }, (_, i) => `c${i}`);
    expect(skill({ categories: slugs.slice(0, 64) }).warnings).toEqual([]);
    for (const field of ['categories', 'occupations'] as const) {
      const many = skill({ [field]: slugs });
      expect(many[field]).toEqual(slugs.slice(0, 64));
      expect(many.warnings).toEqual([`${field}: more than 64; the last 37 are left out`]);
    }
  });
});

describe('tags', () => {
  it('are kept as they are written, each once, trimmed', () => {
    expect(skill({ tags: ['PDF', ' Acrobat Reader ', 'PDF'] }).tags).toEqual(['PDF', 'Acrobat Reader']);
    expect(skill({ tags: 'PDF, Acrobat Reader,,' })).toMatchObject({ tags: ['PDF', 'Acrobat Reader'], warnings: [] });
    expect(skill({}).tags).toEqual([]);
  });

  it('are left out with a warning where they show nothing, are too long, or no text', () => {
    const { tags, warnings } = skill({ tags: ['a', ' ', 'x'.repeat(201), 5, { b: 1 }] });
    expect(tags).toEqual(['a']);
    expect(warnings).toHaveLength(4);
  });

  it('are at most 64, and it is said how many are left out', () => {
    const many = Array.from({ length: 101 }, (_, i) => `t${i}`);
    for (const tags of [many, many.join(',')]) {
      const read = skill({ tags });
      expect(read.tags).toEqual(many.slice(0, 64));
      expect(read.warnings).toEqual(['tags: more than 64; the last 37 are left out']);
    }
    expect(skill({ tags: ','.repeat(1_000_000) }).warnings).toHaveLength(1);
  });
});

describe('files', () => {
  it.each([
    ['SKILL.md', 'SKILL.md'],
    ['references/forms.md', 'references/forms.md'],
    ['references\\forms.md', 'references/forms.md'],
    ['/etc/passwd', 'etc/passwd'],
    ['a\u0000b\u001b.md', 'ab.md'],
  ])('calls %j %s', (filename, expected) => {
    expect(skill({ files: [{ filename, text: 't' }] })).toMatchObject({
      files: [{ filename: expected, text: 't' }],
      warnings: [],
    });
  });

  it('leaves out what is no file, with a warning each', () => {
    const files = ['x', null, { filename: 'a' }, { filename: '../..', text: '' }, { filename: 'b', text: 'kept' }];
    const read = skill({ files });
    expect(read.files).toEqual([{ filename: 'b', text: 'kept' }]);
    expect(read.warnings).toHaveLength(4);
    expect(skill({ files: 'x' }).warnings).toHaveLength(1);
  });

  it('are cut at 1 MiB between characters and cleaned of what cannot be stored', () => {
    const [file] = skill({ files: [{ filename: 'a', text: `x${'é'.repeat(600_000)}` }] }).files;
    expect(Buffer.byteLength(file?.text ?? '')).toBe(1024 * 1024 - 1);
    expect(file?.text.endsWith('é')).toBe(true);
    expect(skill({ files: [{ filename: 'a', text: ' x\0\udc00\r\n' }] }).files[0]?.text).toBe(' x\r\n');
  });

  it('are at most a thousand', () => {
    const files = Array.from({ length: 1002 }, (_, i) => ({ filename: `f${i}`, text: '' }));
    expect(skill({ files }).files).toHaveLength(1000);
    expect(skill({ files }).warnings).toEqual(['files: more than 1000; the rest is left out']);
  });
});

describe('properties', () => {
  it('keeps what a SKILL.md may say', () => {
    const fields = { license: ' MIT ', compatibility: 'x', 'allowed-tools': ['Read', 'Write'], metadata: { a: ['b'] } };
    const expected = { license: 'MIT', compatibility: 'x', allowedTools: 'Read Write', metadata: { a: ['b'] } };
    expect(skill(fields).properties).toEqual(expected);
    expect(skill({ allowedTools: 'Read', license: 5, metadata: [] }).properties).toEqual({ allowedTools: 'Read' });
  });

  it('keeps front matter that a row brings as an object, unless it is too large', () => {
    expect(skill({ frontMatter: { version: '1.10', a: { b: null, c: 'x\0y' } } }).properties).toEqual({
      frontMatter: { version: '1.10', a: { b: null, c: 'xy' } },
    });
    expect(skill({ frontMatter: 'name: a' }).properties).toEqual({});
    expect(skill({ frontMatter: { a: 'x'.repeat(64 * 1024) } })).toMatchObject({
      properties: {},
      warnings: ['frontMatter: over 64 KiB; left out'],
    });
  });
});
