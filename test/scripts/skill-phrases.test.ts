import { describe, expect, test } from 'vitest';
import { skillPhrases } from '../../scripts/tune-model/phrases.js';
import type { Skill } from '../../src/skill.js';

function skill(name: string, description: string): Skill {
  return {
    id: name,
    name,
    description,
    author: 'a',
    stars: 0,
    updatedAt: 0,
    codehostUrl: '',
    skillUrl: '',
    categories: [],
    occupations: [],
    tags: [],
  };
}

/** The texts of one kind. */
function textsOf(kind: string, description: string, file = '', name = 'orchard-notes'): string[] {
  return skillPhrases(skill(name, description), file)
    .filter((phrase) => phrase.kind === kind)
    .map(({ text }) => text);
}

function documentsOf(kind: string, description: string, file = ''): string[] {
  return skillPhrases(skill('orchard-notes', description), file)
    .filter((phrase) => phrase.kind === kind)
    .map(({ document }) => document);
}

const KEEPS = 'Keeps a diary of fruit trees and plans the pruning of the year.';

describe('quoted phrases of a description', () => {
  test('are paired with the description without them', () => {
    const description = `${KEEPS} Triggers: "prune my pear tree", "apple tree diary".`;
    expect(textsOf('quote', description)).toEqual(['prune my pear tree', 'apple tree diary']);
    expect(documentsOf('quote', description)).toEqual([
      `orchard-notes. ${KEEPS} Triggers "apple tree diary".`,
      `orchard-notes. ${KEEPS} Triggers: "prune my pear tree".`,
    ]);
  });

  test.each([
    ['English', `${KEEPS} Says “graft an old tree” or 'plant a hedge'.`, ['graft an old tree', 'plant a hedge']],
    ['German', `${KEEPS} Bei „Birnbaum schneiden“ und «Apfel veredeln».`, ['Birnbaum schneiden', 'Apfel veredeln']],
    [
      'Chinese',
      '记录果树的生长并安排全年修剪计划。当用户说"修剪梨树"、“嫁接苹果树”时使用。',
      ['修剪梨树', '嫁接苹果树'],
    ],
    [
      'Japanese',
      '果樹の日記をつけて一年の剪定を計画する。「梨の木を剪定して」『接ぎ木の方法』で起動。',
      ['梨の木を剪定して', '接ぎ木の方法'],
    ],
    [
      'Korean',
      '과일나무 일지를 쓰고 한 해 가지치기를 계획합니다. "배나무 가지치기" 라고 하면 시작.',
      ['배나무 가지치기'],
    ],
  ])('are found by the marks of %s', (_, description, expected) => {
    expect(textsOf('quote', description)).toEqual(expected);
  });

  test.each([
    ['a single word', `${KEEPS} Say "prune".`],
    ['code', `${KEEPS} Run "git commit -m {message}" or "notes/plan.md file".`],
    ['placeholders', `${KEEPS} Say "prune my [tree]" or "plant a tree named X".`],
    ['what it is not for', `${KEEPS} Do not use for "mowing the lawn" or "watering flower beds".`],
    ['what it is not for, in Chinese', '记录果树的生长并安排全年修剪计划。不要用于"修剪草坪"。'],
    ['the gap between two quotes', `${KEEPS} Say "pear" or "apple".`],
    ['all that the description says', '"Keeps a diary of fruit trees and plans."'],
  ])('are not %s', (_, description) => {
    expect(textsOf('quote', description)).toEqual([]);
  });
});

describe('clauses of when to use a skill', () => {
  test.each([
    [`${KEEPS} Use when the user wants to prune a pear tree in winter.`, 'prune a pear tree in winter'],
    [`${KEEPS} Use this skill when grafting apple trees.`, 'grafting apple trees'],
    [`${KEEPS} Invoke proactively whenever fruit trees\nlook ill in spring.`, 'fruit trees look ill in spring'],
    [`${KEEPS} Verwende diesen Skill, wenn ein Birnbaum kahl bleibt.`, 'ein Birnbaum kahl bleibt'],
    ['记录果树的生长并安排全年修剪计划。当用户想要修剪老梨树时使用。', '修剪老梨树'],
    ['果樹の日記をつけて一年の剪定を計画する。梨の木の剪定を頼まれたときに使用する。', '梨の木の剪定を頼まれた'],
    ['과일나무 일지를 쓰고 한 해 가지치기를 계획합니다. 배나무 가지를 다듬을 때 사용합니다.', '배나무 가지를 다듬을'],
  ])('are taken out of the description: %s', (description, clause) => {
    expect(textsOf('use-when', description)).toEqual([clause]);
    const [document] = documentsOf('use-when', description);
    expect(document).not.toContain(clause);
    expect(document).toContain(description.slice(0, 10));
  });

  test.each([
    ['denied', `${KEEPS} Do not use when the lawn needs mowing.`],
    ['all that the description says', 'Use when pruning a pear tree in winter.'],
    ['a list of quotes', `${KEEPS} Use when the user says "prune my tree" or "graft it".`],
  ])('are left out if %s', (_, description) => {
    expect(textsOf('use-when', description)).toEqual([]);
  });

  test('are also the points of a list under such a heading of the file', () => {
    const file =
      '# Notes\n\n## When to use\n\n- Planning the pruning of old trees\n- Mowing a lawn\n- Not for trees in pots\n';
    expect(textsOf('use-when', KEEPS, file)).toEqual(['Planning the pruning of old trees']);
  });
});

describe('of a file', () => {
  test('headings count without numbers and labels, if they are about the skill', () => {
    const file = [
      '---',
      'name: "# no heading"',
      '---',
      '# A diary of fruit trees',
      '## Step 2: Plan the pruning year',
      '## Overview',
      '## Common mistakes of fruit trees',
      '```sh',
      '# fruit trees in a comment',
      '```',
    ].join('\n');
    expect(textsOf('heading', KEEPS, file)).toEqual(['A diary of fruit trees', 'Plan the pruning year']);
  });

  test.each([
    ['a whole file', 2500, true],
    ['a file of 2,000 characters, which was cut before', 2000, false],
    ['a file of which only the beginning is read', 20_001, false],
  ])('the last line of %s', (_, length, counts) => {
    const last = '## Pruning of fruit trees';
    const filler = '* a line of text that says something\n'.repeat(1000);
    const file = `${filler.slice(0, Math.min(length, 20_000) - last.length - 1)}\n${last}${'!'.repeat(Math.max(0, length - 20_000))}`;
    expect(file).toHaveLength(length);
    expect(textsOf('heading', KEEPS, file)).toEqual(counts ? ['Pruning of fruit trees'] : []);
  });

  test('the first sentence counts unless it repeats the description', () => {
    const other = '# Notes\n\nFruit trees that get the right cut bear twice as much. Another sentence.\n';
    expect(textsOf('sentence', KEEPS, other)).toEqual(['Fruit trees that get the right cut bear twice as much']);
    expect(textsOf('sentence', KEEPS, `# Notes\n\n${KEEPS}\n`)).toEqual([]);
    expect(textsOf('sentence', KEEPS, '# Notes\n\n- fruit trees that get the right cut bear twice as much.\n')).toEqual(
      [],
    );
  });

  test('quotes count where users speak', () => {
    const file = [
      '## Examples of what users ask',
      '- "when do I prune a cherry tree?"',
      '## When not to use',
      '- The user says "mow my front lawn"',
      '## Output',
      'The user sees "pruning of the year is planned"',
      '## Code',
      'It prints "a line of the log"',
    ].join('\n');
    expect(textsOf('file-quote', KEEPS, file)).toEqual(['when do I prune a cherry tree?']);
  });
});

describe('short queries', () => {
  test('are two or three words between words that say little', () => {
    const description =
      'Use this skill to plan winter pruning, and a tree diary for your very old orchard garden shed roof.';
    expect(textsOf('words', description)).toEqual(['plan winter pruning', 'tree diary']);
  });

  test('in Chinese are short clauses', () => {
    expect(textsOf('words', '果树日记、冬季修剪计划，帮助用户更好地进行各种各样的果园日常管理工作。')).toEqual([
      '果树日记',
      '冬季修剪计划',
    ]);
  });

  test('the name counts as words', () => {
    expect(textsOf('name', KEEPS, '', 'pearTree-diary_skill')).toEqual(['pear Tree diary']);
    expect(textsOf('name', KEEPS, '', 'diary')).toEqual([]);
  });
});

test('long texts of one repeated mark are read in linear time', () => {
  // Each of these made an earlier pattern try every way to split the text.
  for (const mark of ['A ', '[', '# ', 'when to ', '"a', 'Use when ', '+', "'a ", '当用户', 'の']) {
    const text = mark.repeat(Math.floor(4000 / mark.length));
    expect(() => skillPhrases(skill('x', text), text.repeat(5))).not.toThrow();
  }
});
