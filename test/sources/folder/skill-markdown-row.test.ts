import { describe, expect, it } from 'vitest';
import { readSkillMarkdown } from '../../../src/sources/folder/front-matter.js';
import {
  firstParagraph,
  type SkillMarkdownRow,
  skillMarkdownRow,
} from '../../../src/sources/folder/skill-markdown-row.js';

const row = (frontMatter: string, body = ''): SkillMarkdownRow =>
  skillMarkdownRow(readSkillMarkdown(`---\n${frontMatter}\n---\n${body}`), 'folder');

describe('skillMarkdownRow', () => {
  it.each([
    ['name: [skill-name]', 'skill-name'],
    ['name: [a, b]', 'a, b'],
    ['name: {first: a, second: b}', 'a b'],
    ['Name: Bread', 'Bread'],
    ['name:', 'folder'],
    ['name: "\u200b"', 'folder'],
    ['license: MIT', 'folder'],
  ])('reads the name of %s', (frontMatter, name) => {
    expect(row(frontMatter).name).toBe(name);
  });

  it.each([
    ['description: [Say what it does, and when]', 'Say what it does, and when'],
    ['description: [TODO: say what it does]', 'TODO: say what it does'],
    ['description: ## a comment to YAML', 'First paragraph.'],
    ['name: a', 'First paragraph.'],
  ])('reads the description of %s', (frontMatter, description) => {
    expect(row(frontMatter, '# Title\n\nFirst\nparagraph.\n\nSecond.').description).toBe(description);
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

  it('passes on tags and the whole front matter', () => {
    expect(row('name: a\ntags: pdf, Forms\nmetadata:\n  tags: [extra]\nmodel: opus')).toMatchObject({
      tags: ['pdf', 'Forms', 'extra'],
      frontMatter: { name: 'a', tags: 'pdf, Forms', metadata: { tags: ['extra'] }, model: 'opus' },
    });
    expect(row('name: a')).not.toHaveProperty('tags');
  });

  it('keeps license, compatibility and allowed tools as text', () => {
    expect(row('license: MIT\ncompatibility: any\nallowed-tools:\n  - Read\n  - Write')).toMatchObject({
      license: 'MIT',
      compatibility: 'any',
      'allowed-tools': 'Read Write',
    });
  });
});

describe('firstParagraph', () => {
  it.each([
    ['# Title\n\nText\nin two lines.\n\nMore.', 'Text in two lines.'],
    ['Title\n=====\n\nText.', 'Text.'],
    ['<!-- a\n\nb -->\n# T\nText.', 'Text.'],
    ['[![ci](a.svg)](b) ![x](y)\n<p align="center">\n\n**Bold** text.', '**Bold** text.'],
    ['```sh\nrm x\n\n```\n\nText.', 'Text.'],
    ['| a | b |\n|---|---|\n\nText.', 'Text.'],
    ['Text.\n- item', 'Text.'],
    ['Do this:\n- one\n- two', 'Do this: - one - two'],
    ['- one\n- two', '- one - two'],
    ['**Name:** x\n\n**Description:** Bakes bread.\n\nMore.', 'Bakes bread.'],
    ['name: x\nversion: 1\n\nText.', 'Text.'],
    ['A page.\n\n```yaml\ndescription: not this\n```\n', 'A page.'],
    [`A page.\n${'\n'.repeat(30)}description: too far down`, 'A page.'],
    ['# Only\n\n## Headings\n\n---\n', ''],
    ['', ''],
  ])('of %j is %j', (markdown, expected) => {
    expect(firstParagraph(markdown)).toBe(expected);
  });

  it('is at most 1,000 characters', () => {
    expect([...firstParagraph('🐝'.repeat(2000))]).toHaveLength(1000);
  });
});
