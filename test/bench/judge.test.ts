import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BlockKey } from '../../bench/judging/blocks.js';
import { readJsonLines } from '../../bench/judging/requests.js';
import { buildCatalogue } from '../../src/index.js';
import { PROJECT } from '../project-copy.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

interface Judged {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command in a process of its own, with paths relative to `cwd`. */
function judge(cwd: string, ...words: readonly string[]): Promise<Judged> {
  const given = ['--import', join(PROJECT, 'node_modules/tsx/dist/loader.mjs'), join(PROJECT, 'bench/judge.ts')];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...given, ...words], { cwd }, (_, out, error) => {
      resolve({ status: child.exitCode ?? -1, out, error });
    });
  });
}

const REQUESTS = [
  { _id: 'de-001', text: 'Brot backen', language: 'de', style: 'terse', english: 'bake bread' },
  { _id: 'en-001', text: 'sort a list', language: 'en', style: 'terse' },
];
const HEADER = 'query-id\tcorpus-id\tscore\n';

/** A folder with a catalogue of six skills, two requests and runs of two engines. */
async function collection({ semantic = false } = {}): Promise<string> {
  const folder = scratchFolder();
  const rows = ['bread', 'cake', 'sort', 'list', 'tent', 'tax'].map((id) =>
    row(id, {
      name: id,
      description: `About ${id}.`,
      author: 'ada',
      files: [{ filename: 'SKILL.md', text: `# ${id}` }],
    }),
  );
  await buildCatalogue({ database: join(folder, 'skills.db'), sources: [rows], semantic });
  writeFileSync(join(folder, 'queries.jsonl'), toJsonLines(REQUESTS));
  const runOf = (name: string, ranking: Readonly<Record<string, readonly string[]>>): void => {
    const lines = Object.entries(ranking).flatMap(([request, ids]) =>
      ids.map((id, i) => `${request} Q0 ${id} ${i + 1} ${9 - i} ${name}\n`),
    );
    writeFileSync(join(folder, `${name}.run`), lines.join(''));
  };
  runOf('one', { 'de-001': ['bread', 'cake', 'tent'], 'en-001': ['sort', 'gone', 'tax'] });
  runOf('two', { 'de-001': ['cake', 'tax'], 'en-001': ['list', 'sort'] });
  return folder;
}

const POOL = ['pool', 'queries.jsonl', '--database', 'skills.db', '--no-own', '--run', 'one.run', 'two.run'];

const keysOf = (folder: string, blocks: string): BlockKey[] => readJsonLines(join(folder, blocks, 'keys.jsonl'));

/** Grades by the name of a skill, as a reader writes them who sees only the text of the blocks. */
function answer(folder: string, blocks: string, gradeOf: (request: string, name: string) => number): void {
  for (const name of readdirSync(join(folder, blocks)).filter((one) => one.endsWith('.txt'))) {
    const parts = readFileSync(join(folder, blocks, name), 'utf8')
      .trim()
      .split('\n\n');
    const answers = parts.map((part) => {
      const [title = '', request = '', ...lines] = part.split('\n');
      const grades = lines.flatMap((line) => {
        const [, number, skill = ''] = /^(\d+)\. (\S+) \[by ada\]/.exec(line) ?? [];
        return number === undefined ? [] : [`${number}:${gradeOf(request, skill)}`];
      });
      return { block: title.replace('=== block ', ''), grades: grades.join(' ') };
    });
    writeFileSync(join(folder, blocks, name.replace('.txt', '.grades.jsonl')), toJsonLines(answers));
  }
}

const USEFUL = /Brot.* (bread|cake)$|sort.* (sort|list)$/;
const careful = (request: string, name: string): number => (USEFUL.test(`${request} ${name}`) ? 3 : 0);

describe('judge', () => {
  test('makes grades of rankings and readers, asks no pair twice, and compares two readers', async () => {
    const folder = await collection();
    const pooled = await judge(folder, ...POOL, '--out', 'blocks', '--depth', '2', '--blocks', '1');
    expect(pooled).toEqual({ status: 0, out: '2 blocks with 5 skills to grade are in blocks\n', error: '' });
    expect(readdirSync(join(folder, 'blocks')).sort()).toEqual(['keys.jsonl', 'part-001.txt', 'part-002.txt']);
    // Of the first two of each ranking: `gone` is not in the catalogue.
    const skills = keysOf(folder, 'blocks').map((key) => [key.block, key.request, [...key.skills].sort()]);
    expect(skills).toEqual([
      ['0001', 'de-001', ['bread', 'cake', 'tax']],
      ['0002', 'en-001', ['list', 'sort']],
    ]);
    expect(readFileSync(join(folder, 'blocks/part-001.txt'), 'utf8')).toContain('In English: bake bread\n1. ');

    answer(folder, 'blocks', careful);
    const taken = await judge(folder, 'take', 'blocks', '--into', 'qrels.tsv');
    expect(taken).toEqual({ status: 0, out: '2 blocks taken; 5 grades in qrels.tsv\n', error: '' });
    expect(readFileSync(join(folder, 'qrels.tsv'), 'utf8')).toBe(
      `${HEADER}de-001\tbread\t3\nde-001\tcake\t3\nde-001\ttax\t0\nen-001\tlist\t3\nen-001\tsort\t3\n`,
    );

    const deeper = await judge(folder, ...POOL, '--out', 'more', '--graded', 'qrels.tsv');
    expect(deeper.out).toBe('2 blocks with 2 skills to grade are in more\n');
    expect(keysOf(folder, 'more').map((key) => key.skills)).toEqual([['tent'], ['tax']]);

    const twice = ['again', 'queries.jsonl', '--database', 'skills.db', '--graded', 'qrels.tsv', '--share', '1'];
    expect((await judge(folder, ...twice, '--out', 'again')).out).toBe(
      '2 blocks with 5 skills to grade are in again\n',
    );
    answer(folder, 'again', (request, name) => (name === 'cake' ? 0 : careful(request, name)));
    await judge(folder, 'take', 'again', '--into', 'second.tsv');
    const { out } = await judge(folder, 'agreement', 'qrels.tsv', 'second.tsv');
    // 4 of 5 the same; of 25 crossings of their grades, 4 * 2 + 1 * 3 differ: 1 - 1 * 5 / 11.
    expect(JSON.parse(out)).toMatchObject({ pairs: 5, same: 0.8, kappa: expect.closeTo(1 - 5 / 11, 9) });
  });

  test('pools its own rankings, of the English wording too', async () => {
    const folder = await collection({ semantic: true });
    const words = ['pool', 'queries.jsonl', '--database', 'skills.db', '--out', 'blocks', '--depth', '1'];
    expect((await judge(folder, ...words)).status).toBe(0);
    const [german, english] = keysOf(folder, 'blocks');
    expect(german?.skills).toContain('bread');
    expect(english?.skills.some((id) => id === 'sort' || id === 'list')).toBe(true);
  });

  test('takes what is right, names what is not, and goes on where it ended', async () => {
    const folder = await collection();
    await judge(folder, ...POOL, '--out', 'blocks');
    const answers = join(folder, 'blocks/reader.grades.jsonl');
    writeFileSync(answers, toJsonLines([{ block: '0001', grades: '1:3 2:0 3:0 4:9' }]));
    const first = await judge(folder, 'take', 'blocks', '--into', 'qrels.tsv');
    expect(first.status).toBe(1);
    expect(first.error.split('\n')).toEqual([
      'block 0001: expected a number and a grade from 0 to 3, got 4:9',
      'block 0002 has no grades',
      '',
    ]);
    expect(readFileSync(join(folder, 'qrels.tsv'), 'utf8')).toBe(HEADER);

    writeFileSync(answers, toJsonLines([{ block: '0002', grades: '1:1 2:1 3:1' }]));
    mkdirSync(join(folder, 'german'));
    writeFileSync(join(folder, 'german/queries.jsonl'), toJsonLines(REQUESTS.slice(0, 1)));
    const ids = ['--ids', 'german/queries.jsonl'];
    expect((await judge(folder, 'take', 'blocks', '--into', 'qrels.tsv', ...ids)).out).toContain('0 blocks taken');
    expect((await judge(folder, 'take', 'blocks', '--into', 'qrels.tsv')).out).toContain('1 blocks taken; 3 grades');
  });

  test('says in one line what is wrong', async () => {
    const folder = await collection();
    await judge(folder, ...POOL, '--out', 'blocks');
    writeFileSync(join(folder, 'qrels.tsv'), `${HEADER}de-001\tbread\t3\n`);
    writeFileSync(join(folder, 'other.tsv'), `${HEADER}de-001\tcake\t3\n`);
    const errorOf = async (...words: string[]): Promise<readonly [number, string]> => {
      const { status, out, error } = await judge(folder, ...words);
      expect(out).toBe('');
      return [status, error];
    };
    const cases: [string[], RegExp][] = [
      [[...POOL, '--out', 'blocks'], /^error: blocks has blocks already: name another folder\n$/],
      [['pool', 'nowhere.jsonl', '--database', 'skills.db', '--out', 'x'], /^error: .*nowhere\.jsonl.*\n$/],
      [
        ['pool', 'queries.jsonl', '--database', 'nowhere.db', '--out', 'x'],
        /^error: no catalogue at .*nowhere\.db.*\n$/,
      ],
      [[...POOL, 'nowhere.run', '--out', 'x'], /^error: .*nowhere\.run.*\n$/],
      [[...POOL, '--out', 'x', '--graded', 'nowhere.tsv'], /^error: .*nowhere\.tsv.*\n$/],
      [[...POOL, '--out', 'x', '--depth', '0'], /^error: .*expected a whole number from 1\n$/],
      [['take', 'nowhere', '--into', 'qrels.tsv'], /^error: .*nowhere.*\n$/],
      [['agreement', 'qrels.tsv'], /^error: name a qrels\.tsv of the first readers, and one of the second\n$/],
      [['agreement', 'qrels.tsv', 'other.tsv'], /^error: there is no pair that both readers have graded\n$/],
    ];
    const found = await Promise.all(cases.map(([words]) => errorOf(...words)));
    for (const [i, [, message]] of cases.entries()) expect(found[i]).toEqual([1, expect.stringMatching(message)]);

    writeFileSync(join(folder, 'blocks/reader.grades.jsonl'), toJsonLines([{ block: '0009', grades: '1:3' }]));
    expect(await errorOf('take', 'blocks', '--into', 'qrels.tsv')).toEqual([
      1,
      'error: blocks has grades, but no blocks 0009\n',
    ]);
    writeFileSync(join(folder, 'blocks/reader.grades.jsonl'), '{"block": "0001", "grades"\n');
    const [, error] = await errorOf('take', 'blocks', '--into', 'qrels.tsv');
    expect(error).toMatch(/^error: blocks\/reader\.grades\.jsonl:1: /);
    expect(readFileSync(join(folder, 'qrels.tsv'), 'utf8')).toBe(`${HEADER}de-001\tbread\t3\n`);
  });
});
