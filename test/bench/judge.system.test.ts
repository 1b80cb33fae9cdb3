import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BlockKey } from '../../bench/judging/blocks.js';
import { again, agreement, type PoolFlags, pool, take } from '../../bench/judging/commands.js';
import { readJsonLines } from '../../bench/judging/requests.js';
import { buildCatalogue } from '../../src/index.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

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

/** Defaults of the command, without rankings of our own. */
const FLAGS = { graded: [], own: false, depth: 10, blocks: 10, seed: 1 };

/** Pools the runs of a {@link collection}. */
function poolRuns(folder: string, out: string, flags: Partial<PoolFlags> = {}): Promise<string> {
  const run = ['one.run', 'two.run'].map((name) => join(folder, name));
  const database = join(folder, 'skills.db');
  return pool([join(folder, 'queries.jsonl')], { ...FLAGS, run, database, out: join(folder, out), ...flags });
}

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

describe('judging', () => {
  test('makes grades of rankings and readers, asks no pair twice, and compares two readers', async () => {
    const folder = await collection();
    const [database, qrels, second] = ['skills.db', 'qrels.tsv', 'second.tsv'].map((name) => join(folder, name));
    const said = await poolRuns(folder, 'blocks', { depth: 2, blocks: 1 });
    expect(said).toBe(`2 blocks with 5 skills to grade are in ${join(folder, 'blocks')}`);
    expect(readdirSync(join(folder, 'blocks')).sort()).toEqual(['keys.jsonl', 'part-001.txt', 'part-002.txt']);
    // Of the first two of each ranking: `gone` is not in the catalogue.
    const skills = keysOf(folder, 'blocks').map((key) => [key.block, key.request, [...key.skills].sort()]);
    expect(skills).toEqual([
      ['0001', 'de-001', ['bread', 'cake', 'tax']],
      ['0002', 'en-001', ['list', 'sort']],
    ]);
    expect(readFileSync(join(folder, 'blocks/part-001.txt'), 'utf8')).toContain('In English: bake bread\n1. ');

    answer(folder, 'blocks', careful);
    const taken = take(join(folder, 'blocks'), { into: qrels! });
    expect(taken).toEqual({ said: `2 blocks taken; 5 grades in ${qrels}`, faults: [] });
    expect(readFileSync(qrels!, 'utf8')).toBe(
      `${HEADER}de-001\tbread\t3\nde-001\tcake\t3\nde-001\ttax\t0\nen-001\tlist\t3\nen-001\tsort\t3\n`,
    );

    expect(await poolRuns(folder, 'more', { graded: [qrels!] })).toContain('2 blocks with 2 skills');
    expect(keysOf(folder, 'more').map((key) => key.skills)).toEqual([['tent'], ['tax']]);

    const flags = { database: database!, out: join(folder, 'again'), graded: [qrels!], blocks: 10, seed: 2 };
    expect(await again([join(folder, 'queries.jsonl')], { ...flags, share: 1 })).toContain('2 blocks with 5 skills');
    answer(folder, 'again', (request, name) => (name === 'cake' ? 0 : careful(request, name)));
    take(join(folder, 'again'), { into: second! });
    // Of 5 pairs one differs; of all 25 crossings of the grades of both, 4 * 2 + 1 * 3.
    expect(agreement([qrels!, second!])).toMatchObject({ pairs: 5, same: 0.8, kappa: expect.closeTo(1 - 5 / 11, 9) });
  });

  test('refuses answers that are no answers, and leaves the grades as they are', async () => {
    const folder = await collection();
    await poolRuns(folder, 'blocks');
    const [blocks, into] = [join(folder, 'blocks'), join(folder, 'qrels.tsv')];
    writeFileSync(into, `${HEADER}de-001\tbread\t3\n`);
    const answers = join(blocks, 'reader.grades.jsonl');
    writeFileSync(answers, toJsonLines([{ block: '0009', grades: '1:3' }]));
    expect(() => take(blocks, { into })).toThrow(`${blocks} has grades, but no blocks 0009`);
    writeFileSync(answers, '{"block": "0001", "grades"\n');
    expect(() => take(blocks, { into })).toThrow(`${answers}:1: `);
    expect(readFileSync(into, 'utf8')).toBe(`${HEADER}de-001\tbread\t3\n`);
  });
});
