import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { drawNegatives } from '../../scripts/tune-model/negatives.js';
import { skillPhrases } from '../../scripts/tune-model/phrases.js';
import { BUNDLED_MODEL, buildCatalogue } from '../../src/index.js';
import type { Skill } from '../../src/skill.js';
import { type Row, row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

describe('mine pairs.system', () => {
  const SCRIPT = fileURLToPath(new URL('../../scripts/tune-model/mine-pairs.ts', import.meta.url));

  /** Runs the script over a catalogue of rows. */
  async function mine(rows: readonly Row[], ...words: readonly string[]) {
    const database = scratchFile('skills.db');
    const semantic = words.includes('--negatives') ? { model: BUNDLED_MODEL } : { semantic: false };
    await buildCatalogue({ database, sources: [{ name: 'rows', rows }], ...semantic });
    const ran = spawnSync(process.execPath, ['--import', 'tsx', SCRIPT, '--database', database, ...words], {
      encoding: 'utf8',
    });
    const pairs = ran.stdout.split('\n').filter((line) => line !== '');
    return { ...ran, pairs: pairs.map((line) => JSON.parse(line) as Record<string, unknown>) };
  }

  /** A skill about one matter, with a quoted phrase. */
  function skillRow(id: string, phrase: string, more: Row = {}): Row {
    const description = `Keeps a diary of ${id} and plans the work of the whole year. Triggers: "${phrase}".`;
    return row(id, { name: id, description, files: [{ filename: 'SKILL.md', text: '' }], ...more });
  }

  function file(text: string): string {
    const path = scratchFile('lines.txt');
    writeFileSync(path, text);
    return path;
  }

  describe('mine-pairs', () => {
    test('takes a phrase of copies once, leaves out what many skills have and what is held out', async () => {
      const rows = [
        skillRow('pears', 'prune my pear tree'),
        { ...skillRow('pears', 'prune my pear tree'), id: 'copy-of-pears', stars: 9 },
        { ...skillRow('quinces', 'prune my quince tree'), id: 'held-out' },
        ...['plums', 'figs', 'kiwis', 'limes'].map((id) => skillRow(id, 'Plan my garden year!')),
      ];
      const { pairs, stderr } = await mine(rows, '--kind', 'quote', '--without', file('held-out\nunknown\n'));
      expect(pairs).toEqual([
        {
          text: 'prune my pear tree',
          skill: 'copy-of-pears',
          document: 'pears. Keeps a diary of pears and plans the work of the whole year. Triggers.',
          kind: 'quote',
          language: 'en',
        },
      ]);
      expect(stderr).toContain('ids to hold out that the catalogue lacks: 1');
      expect(stderr).toContain('texts that more than 3 skills have: 4');
    });

    test('makes pairs of requests that people wrote, with negatives that are other skills', async () => {
      const rows = Array.from({ length: 8 }, (_, i) => skillRow(`orchard-${i}`, `prune tree number ${i}`));
      const requests = toJsonLines([
        { skill: 'orchard-1', request: 'Wann schneide ich?', language: 'DE', english: 'When do I cut?' },
        { skill: 'orchard-1', request: 'wann schneide ich', language: 'de' },
        { skill: 'apples', request: 'cut', language: 'en' },
      ]);
      const words = ['--kind', 'request', '--requests', file(requests), '--negatives', '3'];
      const { pairs, stderr } = await mine(rows, ...words);
      expect(pairs).toMatchObject([
        { text: 'Wann schneide ich?', skill: 'orchard-1', kind: 'request', language: 'de', english: 'When do I cut?' },
      ]);
      expect(pairs[0]!['negatives']).not.toContain('orchard-1');
      expect(stderr).toContain('requests that are repeated: 1');
      expect(stderr).toContain('requests for skills that the catalogue lacks: 1');
    });

    test('says which option or line is wrong', async () => {
      const rows = [skillRow('pears', 'prune my pear tree')];
      expect((await mine(rows, '--kind', 'quotes')).stderr).toContain('--kind must be one of quote, file-quote');
      expect((await mine(rows, '--requests', file('{"skill": "pears"}'))).stderr).toContain(
        ':1: expected a request: an object with the texts `skill`, `request` and `language`',
      );
    });
  });

  describe('negatives of a pair', () => {
    const others = (...cosines: number[]) => cosines.map((cosine, group) => ({ group, cosine }));

    test('are none of the two nearest, and none that has the same phrase', () => {
      const neighbours = { right: 1, others: others(0.9, 0.8, 0.7, 0.6) };
      expect(drawNegatives(neighbours, 5, new Set(), Math.random)).toEqual([2, 3]);
      expect(drawNegatives(neighbours, 5, new Set([2]), Math.random)).toEqual([3]);
    });

    test('have at most 95 % of the cosine of the right skill', () => {
      const neighbours = { right: 0.8, others: others(0.9, 0.85, 0.8, 0.77, 0.75, 0.5) };
      expect(drawNegatives(neighbours, 5, new Set(), Math.random)).toEqual([4, 5]);
    });
  });
});

describe('skill phrases', () => {
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
      expect(
        textsOf('sentence', KEEPS, '# Notes\n\n- fruit trees that get the right cut bear twice as much.\n'),
      ).toEqual([]);
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
});
