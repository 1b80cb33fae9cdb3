import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { askInTurns } from '../../bench/asked-in-turns.js';
import { sameQuestions } from '../../bench/compare-answers.js';
import { generatedRows, writeGeneratedCatalogue } from '../../bench/generated-catalogue.js';
import { growthPicture } from '../../bench/growth-picture.js';
import { replaceSection } from '../../bench/marked-section.js';
import { otherQuestions } from '../../bench/other-questions.js';
import { asKeywordQuestions, readQuestionFiles } from '../../bench/question-files.js';
import { wordsByFrequency } from '../../bench/word-frequencies.js';
import { ZipfRanks } from '../../bench/zipf.js';
import { randomNumbers } from '../../src/evaluation/index.js';
import { scratchFolder } from '../scratch-folder.js';

describe('word frequencies', () => {
  test('the word of most texts comes first, however often one text has it', () => {
    expect(wordsByFrequency(['alpha alpha alpha beta', 'Beta gamma', 'an abc'])).toEqual(['beta', 'alpha', 'gamma']);
  });
});

describe('compare answers', () => {
  const answer = (total: number, ...ids: string[]): { total: number; ids: string[] } => ({ total, ids });

  test('answers by date are the same where skills, their order and the total are', () => {
    const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(0)];
    const theirs = [answer(2, 'a', 'b'), answer(2, 'b', 'a'), answer(3, 'a', 'b'), answer(0)];
    expect(sameQuestions(ours, theirs, 'recent')).toEqual([0, 3]);
  });

  test('answers by relevance are the same in any order, but not with other skills or another total', () => {
    const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b')];
    const theirs = [answer(2, 'b', 'a'), answer(2, 'b', 'c'), answer(3, 'b', 'a')];
    expect(sameQuestions(ours, theirs, 'relevance')).toEqual([0]);
  });

  test('a peer that did not get to all questions is compared in those that it answered', () => {
    expect(sameQuestions([answer(1, 'a'), answer(1, 'b')], [answer(1, 'a')], 'recent')).toEqual([0]);
  });
});

describe('other questions', () => {
  const DESCRIPTIONS = [...generatedRows(300, 5)].map(({ description }) => description);

  test('other questions share no word with those that are asked after them', () => {
    const asked = DESCRIPTIONS.slice(0, 20).flatMap((text) => text.match(/[a-z]{4,}/g) ?? []);
    const others = otherQuestions(DESCRIPTIONS, asked, 500);
    expect(others).toHaveLength(500);
    expect(new Set(others).size).toBe(500);
    const words = new Set(others.flatMap((q) => q.split(' ')));
    for (const word of asked) expect(words).not.toContain(word);
  });

  test('another form of a word that is asked counts as that word', () => {
    expect(otherQuestions(['Testing react tests', 'Deploy tested'], ['test'], 10)).toEqual(['react', 'Deploy']);
  });

  test('descriptions that have no more give fewer', () => {
    expect(otherQuestions(['only these'], ['only these'], 10)).toEqual([]);
    expect(otherQuestions([], [], 10)).toEqual([]);
  });
});

describe('question files', () => {
  test('questions are spread over files of both kinds, a small one giving all it has', () => {
    const folder = scratchFolder();
    const lines = (name: string, count: number): string =>
      Array.from({ length: count }, (_, i) => `${JSON.stringify({ _id: `${i}`, text: `${name} ${i}` })}\n`).join('');
    const [large, small] = [join(folder, 'large.jsonl'), join(folder, 'small.jsonl.gz')];
    writeFileSync(large, lines('large', 100));
    writeFileSync(small, gzipSync(lines('small', 5)));
    const questions = readQuestionFiles([large, small], 25);
    expect(questions).toHaveLength(25);
    expect(questions.filter((q) => q.startsWith('small'))).toHaveLength(5);
    expect(questions).toContain('large 95');
    expect(new Set(questions).size).toBe(25);
    expect(readQuestionFiles([], 25)).toEqual([]);
  });

  test('a keyword question is cut to what is read, and one without a word is left out', () => {
    expect(asKeywordQuestions([` ${'𝒶'.repeat(300)} `, '???', 'react'])).toEqual(['𝒶'.repeat(200), 'react']);
  });
});

describe('zipf', () => {
  const draw = (count: number, { size, seed }: { size: number; seed: number }): number[] => {
    const ranks = new ZipfRanks(size, randomNumbers(seed));
    return Array.from({ length: count }, () => ranks.next());
  };

  test('the same seed draws the same ranks, another seed others', () => {
    const drawn = draw(200, { size: 10_000, seed: 7 });
    expect(draw(200, { size: 10_000, seed: 7 })).toEqual(drawn);
    expect(draw(200, { size: 10_000, seed: 8 })).not.toEqual(drawn);
  });

  test('a rank comes as often as the first divided by its place, and none lies outside', () => {
    const size = 100;
    const drawn = draw(50_000, { size, seed: 1 });
    const shareOf = (rank: number): number => drawn.filter((one) => one === rank).length / drawn.length;
    const sum = Array.from({ length: size }, (_, rank) => 1 / (rank + 1)).reduce((a, b) => a + b);
    for (const rank of [0, 1, 2, 9]) expect(shareOf(rank) * sum * (rank + 1)).toBeCloseTo(1, 0.7);
    expect(Math.min(...drawn)).toBe(0);
    expect(Math.max(...drawn)).toBe(size - 1);
  });

  test('of one rank alone that one is drawn', () => {
    expect(draw(3, { size: 1, seed: 1 })).toEqual([0, 0, 0]);
  });
});

describe('marked section', () => {
  const PAGE = `# Page

<!-- bars: written by the run -->

old figures

<!-- end of bars -->

after
`;

  test('what stands between the comments is replaced, and nothing else', () => {
    const page = replaceSection(PAGE, 'bars', '\nnew $& figures\n');
    expect(page).toBe(PAGE.replace('old figures', () => 'new $& figures'));
  });

  test('replacing twice leaves the last content', () => {
    expect(replaceSection(replaceSection(PAGE, 'bars', 'one'), 'bars', 'two')).toBe(
      replaceSection(PAGE, 'bars', 'two'),
    );
  });

  test.each([
    ['no section', '# Page\n'],
    ['no end', '<!-- bars: x -->\n'],
    ['two sections', PAGE + PAGE],
    ['the end before the beginning', '<!-- end of bars -->\n<!-- bars: x -->\n'],
  ])('a page with %s is refused', (_, page) => {
    expect(() => replaceSection(page, 'bars', 'new')).toThrow('section between "<!-- bars: … -->"');
  });
});

describe('generated catalogue', () => {
  test('the same seed gives the same bytes, another seed others', async () => {
    const folder = scratchFolder();
    const write = async (name: string, seed: number): Promise<string> => {
      await writeGeneratedCatalogue(join(folder, name), 300, seed);
      return readFileSync(join(folder, name), 'utf8');
    };
    const first = await write('first', 7);
    expect(await write('again', 7)).toBe(first);
    expect(await write('other', 8)).not.toBe(first);
    expect(first.split('\n')).toHaveLength(301);
  });

  test('rows have the lengths of real catalogues, and words by the law of Zipf', () => {
    const rows = [...generatedRows(3000, 1, { fileText: false })];
    const lengths = rows.map(({ description }) => description.split(' ').length).sort((a, b) => a - b);
    expect(lengths[1500]).toBeGreaterThan(20);
    expect(lengths[1500]).toBeLessThan(32);
    expect(rows.every(({ files }) => files.length === 0)).toBe(true);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);

    const words = rows.flatMap(({ description }) => description.split(' '));
    const share = (word: string): number => words.filter((one) => one === word).length / words.length;
    expect(share('and')).toBeGreaterThan(0.025);
    expect(share('and')).toBeLessThan(0.04);
    expect(new Set(words).size).toBeGreaterThan(3000);
  });
});

describe('asked in turns', () => {
  const QUESTIONS = ['one', 'two', 'three'];

  /** Keeps the processor busy. */
  function work(milliseconds: number): void {
    for (const began = performance.now(); performance.now() - began < milliseconds; );
  }

  test('asks each question of all before the next one, and each of them is first in turn', async () => {
    const asked: string[] = [];
    const ask = (name: string) => async (question: string) => asked.push(`${name} ${question}`);
    await askInTurns({ a: ask('a'), b: ask('b') }, QUESTIONS, 1);
    expect(asked).toEqual([
      ...['a one', 'b one', 'b two', 'a two', 'a three', 'b three'],
      ...['b one', 'a one', 'a two', 'b two', 'b three', 'a three'],
    ]);
  });

  test('tells the times of the first pass and of those after it apart', async () => {
    const known = new Set<string>();
    const learning = async (question: string): Promise<void> => {
      if (!known.has(question)) work(40);
      known.add(question);
    };
    const { learner } = await askInTurns({ quick: async () => {}, learner: learning }, QUESTIONS, 2);
    expect(learner.first.p50).toBeGreaterThan(2 * learner.again.p50);
    expect(learner.first.timesFirst).toBeGreaterThan(1);
  });

  test('names the question that blocked the event loop longest', async () => {
    const ask = async (question: string): Promise<void> => work(question === 'two' ? 300 : 0);
    const { only } = await askInTurns({ only: ask }, QUESTIONS, 0);
    expect(only.first.blockedBy).toBe('two');
  });
});

describe('growth picture', () => {
  /** Names of the elements that are open at the end; throws where one is closed that is not open. */
  function openElements(svg: string): string[] {
    const open: string[] = [];
    for (const [, close, name = '', alone] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name);
      else if (alone !== '/') open.push(name);
    }
    return open;
  }

  const points = [
    [1000, 0.02],
    [10_000, 0.3],
    [1_000_000, 40],
  ] as const;

  test('the picture is a whole document that has a point for each figure', () => {
    const svg = growthPicture([
      { title: 'p50 < p99 & more', lines: [{ name: 'p50', points }] },
      {
        title: 'two',
        lines: [
          { name: 'a', points },
          { name: 'b', points: points.slice(1) },
        ],
      },
    ]);
    expect(openElements(svg)).toEqual([]);
    expect(svg).toContain('p50 &lt; p99 &amp; more');
    expect(svg.match(/<polyline /g)).toHaveLength(3);
    expect(svg.match(/ r="3"/g)).toHaveLength(8);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('equal ratios are equal distances', () => {
    const svg = growthPicture([
      {
        title: 'one',
        lines: [
          {
            name: 'a',
            points: [
              [10, 1],
              [100, 10],
              [1000, 100],
            ],
          },
        ],
      },
    ]);
    const [[x0, y0], [x1, y1], [x2, y2]] = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => {
      return [Number(x), Number(y)];
    }) as [[number, number], [number, number], [number, number]];
    expect(x1 - x0).toBeCloseTo(x2 - x1, 0);
    expect(y0 - y1).toBeCloseTo(y1 - y2, 0);
    expect(y1).toBeLessThan(y0);
  });

  test('a single size can be drawn', () => {
    expect(growthPicture([{ title: 'one', lines: [{ name: 'a', points: [[1000, 5]] }] }])).not.toMatch(/NaN|Infinity/);
  });
});
