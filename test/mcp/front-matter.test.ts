import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, test } from 'vitest';
import { readFrontMatter } from '../../src/mcp/skills.js';
import { connect } from './connect.js';
import { openWholeSkills } from './whole-skills.js';

const read = (text: string) => readFrontMatter(Buffer.from(text));

/** Fields of front matter as people write them, one a case. */
const FIELDS = [
  'version: 1.10',
  'version: "1.10"',
  'count: 0x1F',
  'flag: yes',
  'flag: true',
  'nothing:',
  'nothing: ~',
  'released: 2026-01-02',
  'time: 12:30:45',
  'text: >-\n  folded\n  text',
  'text: |\n  kept\n   text\n',
  "text: 'single ''quoted'''",
  'text: "a\\tb\\u00e9"',
  'list: [a, 1, true, null]',
  'list:\n  - a\n  - b: c',
  'list:\n- a\n- b',
  'map: {a: 1, b: [c]}',
  'metadata:\n  level: "3"\n  tags: "a, b"',
  'allowed-tools: Bash(git:*) Read',
  'text: plain # comment',
  'text: two\n  lines',
  'octal: 0o17',
  'big: 9007199254740991',
  'exp: 1e3',
];

describe('front matter', () => {
  test.each(FIELDS)('with %j is what the SDK reads', async (field) => {
    const text = `---\nname: a-b\ndescription: Does it.\n${field}\n---\nbody\n`;
    const { frontmatter } = await skillEntry('a-b', { 'SKILL.md': text });
    expect(await read(text)).toEqual({ frontMatter: frontmatter });
  });

  test.each([
    ['an anchor', 'base: &x text\nother: *x', { base: 'text', other: 'text' }],
    ['a quoted text of two lines', 'text: "two\n  lines"', { text: 'two lines' }],
  ])('with %s, which the SDK does not read, is YAML', async (_, field, expected) => {
    const text = `---\nname: a-b\ndescription: Does it.\n${field}\n---\n`;
    expect(await read(text)).toEqual({ frontMatter: { name: 'a-b', description: 'Does it.', ...expected } });
  });

  test.each([
    ['carriage returns', '---\r\nname: a\r\ndescription: b\r\n---\r\nbody'],
    ['a byte order mark', '\ufeff---\nname: a\ndescription: b\n---\n'],
    ['no end of the last line', '---\nname: a\ndescription: b\n---'],
    ['blanks behind the rule', '---\nname: a\ndescription: b\n---  \nbody'],
  ])('is read with %s', async (_, text) => {
    expect(await read(text)).toEqual({ frontMatter: { name: 'a', description: 'b' } });
  });

  test.each([
    ['a value that JSON lacks', 'x: .inf'],
    ['two keys of one name', 'x: 1\nx: 2'],
    ['an alias of itself', 'x: &x [*x]'],
    ['a hundred aliases', `x: &x a\ny: [${'*x, '.repeat(100)}]`],
    ['brackets inside each other', `x: ${'['.repeat(100)}${']'.repeat(100)}`],
    ['more than is read as YAML', `x: ${'y'.repeat(40_000)}`],
  ])('with %s is not published', async (_, field) => {
    const result = await read(`---\nname: a\ndescription: b\n${field}\n---\n`);
    expect('fault' in result ? result.fault : 'none').toMatch(/not YAML/);
  });
});

test.each([
  ['an integer that JSON rounds', 'description: b\nbig: [{a: 9007199254740993}]', /integer beyond 2\^53/],
  ['a description of blanks', 'description: "  \\t "', /not only blanks/],
  ['metadata that has a number, which the SDK refuses', 'description: b\nmetadata: {a: 1}', /metadata must map/],
])('with %s is not published', async (_, fields, reason) => {
  const result = await read(`---\nname: a\n${fields}\n---\n`);
  expect('fault' in result ? result.fault : 'none').toMatch(reason);
});

test('a skill whose front matter only a YAML parser reads is verified by a host that has one', async () => {
  const md = '---\nname: a\ndescription: "two\n  lines"\n---\n';
  const { client } = await connect(await openWholeSkills([{ id: 'x', name: 'a', files: { 'SKILL.md': md } }]));
  const skills = new SkillsClient(client, { parseFrontmatter: () => ({ name: 'a', description: 'two lines' }) });
  const { skills: entries } = await skills.list();
  expect((await skills.read(entries[0]!)).verified).toBe(true);
});
