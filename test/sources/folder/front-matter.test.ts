import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_YAML_DEPTH, readSkillMarkdown } from '../../../src/sources/folder/front-matter.js';
import { firstParagraph, skillMarkdownRow } from '../../../src/sources/folder/skill-markdown-row.js';

const read = (text: string): { fields: Record<string, unknown>; body: string; warnings: readonly string[] } => {
  const { fields, body, warnings } = readSkillMarkdown(text);
  return { fields: Object.fromEntries(fields), body, warnings };
};
const BOTH = { name: 'bake-bread', description: 'Bakes bread.' };

describe('front matter as it was written', () => {
  const written = (text: string): unknown => readSkillMarkdown(`---\n${text}\n---\n`).frontMatter;

  it('is kept whole, with keys that mean nothing here, as text, lists and maps', () => {
    const text = `name: bread
version: 1.10
model: opus
released: 2024-01-01
draft: yes
empty:
quoted: "0x10"
tags: [a, 1]
hooks:
  PreToolUse:
    - matcher: Bash
      timeout: 30
`;
    expect(written(text)).toEqual({
      name: 'bread',
      version: '1.10',
      model: 'opus',
      released: '2024-01-01',
      draft: 'yes',
      empty: null,
      quoted: '0x10',
      tags: ['a', '1'],
      hooks: { PreToolUse: [{ matcher: 'Bash', timeout: '30' }] },
    });
  });

  it('is missing where there is none, or nothing in it', () => {
    expect(readSkillMarkdown('# Bread\n').frontMatter).toBeUndefined();
    expect(written('# a comment')).toBeUndefined();
  });

  it('may have any key', () => {
    const found = written('__proto__:\n  x: 1\nconstructor: y\ndeep: {__proto__: z}');
    expect(JSON.stringify(found)).toBe('{"__proto__":{"x":"1"},"constructor":"y","deep":{"__proto__":"z"}}');
  });
});

describe('well-formed front matter', () => {
  it.each([
    ['plain', '---\nname: bake-bread\ndescription: Bakes bread.\n---\n\n# Bread\n'],
    ['CRLF', '---\r\nname: bake-bread\r\ndescription: Bakes bread.\r\n---\r\n\r\n# Bread\n'],
    ['a byte order mark', '\ufeff---\nname: bake-bread\ndescription: Bakes bread.\n---\n# Bread\n'],
    ['comments', '---\n# about\nname: bake-bread # ours\n\n## more\ndescription: Bakes bread.\n---\n# Bread\n'],
    ['quotes', '---\n"name": \'bake-bread\'\ndescription: "Bakes bread."\n---\n# Bread\n'],
  ])('is read with %s', (_, text) => {
    expect(read(text)).toEqual({ fields: BOTH, body: '# Bread\n', warnings: [] });
  });

  it('takes plain null and blank for missing, quoted null for text', () => {
    expect(read('---\nname: null\ndescription: ~\nlicense:\nversion: ""\nx: "null"\n---\n').fields).toEqual({
      x: 'null',
    });
  });

  it('reads block scalars, lists and maps', () => {
    const text =
      '---\ndescription: >-\n  Bakes\n  bread.\ntags: [a, b]\nmetadata:\n  version: 1.0\n  deep: {x: [y]}\n---\nBody';
    expect(read(text)).toEqual({
      fields: { description: 'Bakes bread.', tags: ['a', 'b'], metadata: { version: '1.0', deep: { x: ['y'] } } },
      body: 'Body',
      warnings: [],
    });
  });
});

it.each([
  '# Bread\n\nText.\n\n---\n\nMore: text\n\n---\n',
  '---\n\nA rule above, and\n\n---\n\none below.',
  '```yaml\nkey: value\n```\nText',
  '---',
  '',
])('what is no front matter stays body: %j', (text) => {
  expect(read(text)).toEqual({ fields: {}, body: text, warnings: [] });
});

describe('front matter in odd places', () => {
  const INNER = 'name: bake-bread\ndescription: Bakes bread.';

  it.each([
    ['below blank lines', `\n \n---\n${INNER}\n---\n# Bread`, '# Bread'],
    ['below a comment', `<!-- by\nme -->\n\n---\n${INNER}\n---\n# Bread`, '<!-- by\nme -->\n\n# Bread'],
    ['below a heading', `# Title\n\n---\n${INNER}\n---\nText`, '# Title\n\nText'],
    [
      'below the header of a form upload',
      `-----------------------------abc1\r\nContent-Disposition: form-data; name="file"\r\n\r\n---\n${INNER}\n---\n# Bread\r\n-----------------------------abc1--\r\n`,
      '# Bread\n',
    ],
    ['in a fence around the whole file', `\`\`\`markdown\n---\n${INNER}\n---\n\n# Bread\n\`\`\`\n`, '# Bread\n'],
    ['in a fence around the dashes', `\`\`\`yaml\n---\n${INNER}\n---\n\`\`\`\n\n# Bread\n`, '# Bread\n'],
  ])('is found %s', (_, text, body) => {
    expect(read(text)).toEqual({ fields: BOTH, body, warnings: [] });
  });
});

it.each([
  ['', '# Bread\n\nText.'],
  ['with rules in the body', '# Bread\n\nText.\n\n---\n\nMore.\n\n---\n'],
  ['with keys in the code of the body', '# Bread\n\n```yaml\n---\nname: other\n---\n```\n\nDo: this.\n'],
  ['with text right below', 'Text without a heading.\n\n---\nMore.'],
])('front matter that is not closed ends at the last leading key %s', (_, body) => {
  expect(read(`---\nname: bake-bread\ndescription: Bakes\n  bread.\n\n${body}`)).toEqual({
    fields: BOTH,
    body,
    warnings: ['the front matter is not closed: its leading keys were taken'],
  });
});

it.each([
  ['a key made a heading', '---\n\n## name: bake-bread\ndescription: Bakes bread.\n\n# Bread'],
  ['all keys in one heading', '---\n\n## name: bake-bread description: Bakes bread.\n\n# Bread'],
  ['another sort of rule', '* * *\n\n## name: bake-bread description: Bakes bread.\n\n# Bread'],
])('front matter destroyed by a formatter is read: %s', (_, text) => {
  expect(read(text)).toMatchObject({ fields: BOTH, body: '# Bread' });
});

describe('two blocks of front matter', () => {
  it('fills from the second what the first has not', () => {
    const text = '---\nname: a\ndescription:\n---\n---\nname: b\ndescription: Bakes bread.\nlicense: MIT\n---\nBody';
    expect(read(text)).toMatchObject({
      fields: { name: 'a', description: 'Bakes bread.', license: 'MIT' },
      body: 'Body',
      warnings: [expect.stringContaining('two blocks')],
    });
  });

  it('replaces a description that is what is left of another block', () => {
    const text = '---\nname: a\ndescription: name: b Use it.\n---\n---\nname: b\ndescription: Bakes bread.\n---\n';
    expect(read(text).fields).toEqual({ name: 'a', description: 'Bakes bread.' });
  });

  it('leaves rules in the body alone', () => {
    const text = '---\nname: a\n---\n\n---\n\nNote: x\n\n---\n';
    expect(read(text)).toMatchObject({ fields: { name: 'a' }, body: '---\n\nNote: x\n\n---\n', warnings: [] });
  });
});

describe('front matter that is no YAML', () => {
  it.each([
    ['a colon', 'Use when: you bake', 'Use when: you bake'],
    ['a star', '*bread* helps', '*bread* helps'],
    ['a bad escape', '"Bakes \\d+ \\"fine\\" breads"', 'Bakes \\d+ "fine" breads'],
    ['an open quote', '"Bakes bread', 'Bakes bread'],
    ['an open bracket', '[Bakes "x [y]", bread', '[Bakes "x [y]", bread'],
    ['lines that lost their indentation', 'Bakes: all\nsorts of bread', 'Bakes: all sorts of bread'],
  ])('is read key by key with %s in a value', (_, value, expected) => {
    const parsed = read(`---\nname: a\ndescription: ${value}\nmetadata:\n  x: [y]\n---\nBody`);
    expect(parsed).toEqual({
      fields: { name: 'a', description: expected, metadata: { x: ['y'] } },
      body: 'Body',
      warnings: [expect.stringMatching(/^the front matter is not YAML \(.+\): it was read key by key$/)],
    });
  });

  it('never follows an alias without end, nor makes an object of a tag', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++) {
      const [own, last] = [String.fromCharCode(97 + i), String.fromCharCode(96 + i)];
      bomb.push(`${own}: &${own} [${Array(9).fill(`*${last}`).join(', ')}]`);
    }
    expect(read(`---\nname: ok\n${bomb.join('\n')}\n---\n`).fields['name']).toBe('ok');
    expect(read('---\nname: &a [*a]\nlicense: MIT\n---\n').fields).toEqual({ name: '&a [*a]', license: 'MIT' });
    const many = Array.from({ length: 4000 }, (_, i) => `k${i}: *a`).join('\n');
    expect(read(`---\nname: ok\na: &a 1\n${many}\n---\n`).fields['name']).toBe('ok');
    expect(read('---\nname: !!js/function "x"\nz: !<tag:x> y\n---\n').fields).toEqual({ name: 'x', z: 'y' });
    expect(read('---\nname: &n ok\nother: *n\n---\n').fields).toEqual({ name: 'ok', other: 'ok' });
  });

  it.each([
    ['brackets', (depth: number) => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['braces', (depth: number) => `a: ${'{b: '.repeat(depth)}${'}'.repeat(depth)}`],
    ['items', (depth: number) => `a:\n  ${'- '.repeat(depth)}b`],
  ])('is nested as deep as is read as YAML, and one more: %s', (_, nested) => {
    expect(read(`---\n${nested(MAX_YAML_DEPTH)}\nz: [b]\n---\n`).warnings).toEqual([]);
    const beyond = read(`---\n${nested(MAX_YAML_DEPTH + 1)}\nz: [b]\n---\n`);
    expect(beyond.warnings).toEqual([expect.stringContaining('deeper than what is read as YAML')]);
    expect(beyond.fields['z']).toEqual(['b']);
    // Depth is not counted over siblings.
    const wide = Array.from({ length: 2 * MAX_YAML_DEPTH }, (_, i) => `k${i}: [b]\nl${i}:\n- b`);
    expect(read(`---\n${wide.join('\n')}\n---\n`).warnings).toEqual([]);
  });

  it.each([
    ['dashes', (n: number) => `${'-'.repeat(n)}!`],
    ['dashes below an upload', (n: number) => `----------a\nContent-Type: x\n\n---\nname: a\n---\n${'-'.repeat(n)}!`],
    ['headings', (n: number) => `---\nname: a\n${'# b\n'.repeat(n / 4)}---\n: [`],
    ['keys made headings', (n: number) => `---\n${'## name: a\n'.repeat(n / 11)}---\n: [`],
    ['blanks in a heading', (n: number) => `---\n## name: a${' '.repeat(n)}b\n---\n`],
    ['rules', (n: number) => '---\nname: a\n'.repeat(n / 12)],
    ['quotes', (n: number) => `---\ndescription: ${'"'.repeat(n)}\n---\n`],
    ['brackets', (n: number) => `---\ndescription: ${'[{'.repeat(n / 2)}\n---\n`],
  ])('is done with a mebibyte of %s in no time to speak of', (_, text) => {
    const markdown = readSkillMarkdown(text(1024 * 1024));
    expect(firstParagraph(markdown.body).length).toBeLessThanOrEqual(1000);
  });

  it('survives any text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '```',
        '# x',
        '## name: x',
        'name: y',
        '  z',
        '- a',
        '',
        '<!--',
        '-->',
        'k: &a [*a',
        '"',
        '...',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        expect(typeof readSkillMarkdown(lines.join(end)).body).toBe('string');
      }),
      { numRuns: 500 },
    );
  });
});

const row = (frontMatter: string, body = ''): Record<string, unknown> =>
  skillMarkdownRow(readSkillMarkdown(`---\n${frontMatter}\n---\n${body}`), 'folder');

describe('skillMarkdownRow', () => {
  it.each([
    ['name: [skill-name]', 'skill-name'],
    ['name:', 'folder'],
    ['name: "\u200b"', 'folder'],
  ])('reads the name of %s', (frontMatter, name) => {
    expect(row(frontMatter)['name']).toBe(name);
  });

  it.each([
    ['description: [Say what it does, and when]', 'Say what it does, and when'],
    ['name: a', 'First paragraph.'],
  ])('reads the description of %s', (frontMatter, description) => {
    expect(row(frontMatter, '# Title\n\nFirst\nparagraph.\n\nSecond.')['description']).toBe(description);
  });

  it('finds categories and occupations at the top and in metadata', () => {
    const text =
      'category: Baking\nmetadata:\n  categories: [Food, "Home, Garden"]\n  occupation: Bakers, Cooks\n  version: 1';
    expect(row(text)).toMatchObject({
      categories: ['Baking', 'Food', 'Home, Garden'],
      occupations: ['Bakers', 'Cooks'],
      metadata: { version: '1' },
    });
  });
});

it.each([
  ['# Title\n\nText\nin two lines.\n\nMore.', 'Text in two lines.'],
  ['<!-- a\n\nb -->\n# T\nText.', 'Text.'],
  ['[![ci](a.svg)](b) ![x](y)\n<p align="center">\n\n**Bold** text.', '**Bold** text.'],
  ['```sh\nrm x\n\n```\n\nText.', 'Text.'],
  ['Do this:\n- one\n- two', 'Do this: - one - two'],
  ['**Name:** x\n\n**Description:** Bakes bread.\n\nMore.', 'Bakes bread.'],
  ['A page.\n\n```yaml\ndescription: not this\n```\n', 'A page.'],
  [`A page.\n${'\n'.repeat(30)}description: too far down`, 'A page.'],
  ['', ''],
])('firstParagraph of %j is %j', (markdown, expected) => {
  expect(firstParagraph(markdown)).toBe(expected);
});
