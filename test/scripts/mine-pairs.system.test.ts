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
});

test('long texts of one repeated mark are read in linear time', () => {
  // Each of these made an earlier pattern try every way to split the text.
  for (const mark of ['A ', '[', '# ', 'when to ', '"a', 'Use when ', '+', "'a ", '当用户', 'の']) {
    const text = mark.repeat(Math.floor(4000 / mark.length));
    expect(() => skillPhrases(skill('x', text), text.repeat(5))).not.toThrow();
  }
});
