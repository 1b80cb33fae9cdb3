import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { EvaluationSummary } from '../../src/evaluation/index.js';
import { buildCatalogue } from '../../src/index.js';
import { traceOf } from '../catalogue-file.js';
import { FRUIT, fruitFolder } from '../evaluation/fruit.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile, scratchFileWith, scratchFolder } from '../scratch-folder.js';
import { linesOf, outOf, runCaptured } from './run-captured.js';
import { catchOutput, startProcess } from './run-process.js';

const FRUIT_ROWS = FRUIT.map(({ _id, title, text }) => row(_id, { name: title || _id, description: text }));

/** The modes that need no model. */
const BY_WORDS = ['--mode', 'bm25', '--mode', 'keyword'];

async function jsonOf(words: readonly string[]): Promise<EvaluationSummary> {
  return JSON.parse(await outOf(['evaluate', ...words, '--json']));
}

describe('evaluate', () => {
  test('measures the questions of a folder over its documents, in every mode', async () => {
    const folder = fruitFolder();
    const summary = await jsonOf([folder]);
    expect(summary).toMatchObject({ benchmark: folder.split('/').at(-1), queries: 4 });
    expect(Object.keys(summary.modes)).toEqual(['bm25', 'vector', 'hybrid', 'keyword']);
    // Each question but one has words of its answer; `what is perry pressed from` has all words only loosely.
    expect(summary.modes['bm25']).toEqual({
      'ndcg@10': 1,
      'mrr@10': 1,
      'recall@10': 1,
      'precision@10': 0.1,
      map: 1,
      'hit@1': 1,
    });
    for (const figures of Object.values(summary.modes)) expect(figures['ndcg@10']).toBeGreaterThan(0.5);
    expect(summary.intervals['bm25']?.['map']).toEqual([1, 1]);
  });

  test('prints a table: a line for each mode, below it the intervals', async () => {
    const folder = fruitFolder();
    const out = await outOf(['evaluate', folder, ...BY_WORDS, '--at', '1', '--at', '3']);
    const lines = linesOf(out);
    expect(lines[0]).toMatch(/: 4 questions over 5 documents$/);
    expect(lines[2]).toMatch(/^ +ndcg@1 +mrr@1 +recall@1 +precision@1 +ndcg@3 .* map +hit@1$/);
    expect(lines[3]).toMatch(/^bm25 +1\.0000 +1\.0000/);
    expect(lines[4]).toMatch(/^ +1\.000-1\.000/);
    expect(lines[5]).toMatch(/^keyword +\d\.\d{4}/);
  });

  test('tells the figures of each question', async () => {
    const folder = fruitFolder();
    const { byQuery } = await jsonOf([folder, '--mode', 'bm25', '--by-query']);
    expect(Object.keys(byQuery?.['bm25'] ?? {})).toEqual(['drink-1', 'drink-2', 'dry-1', 'soup-1']);
    expect(byQuery?.['bm25']?.['soup-1']).toMatchObject({ 'ndcg@10': 1, 'recall@10': 1 });
    const { out } = await runCaptured(['evaluate', folder, '--mode', 'bm25', '--by-query']);
    expect(out).toMatch(/^soup-1 +bm25 +1\.0000/m);
  });

  test('writes runs that measure the same when they are read again', async () => {
    const [folder, runs] = [fruitFolder(), join(scratchFolder(), 'runs')];
    const asked = await jsonOf([folder, ...BY_WORDS, '--save-runs', runs]);
    const name = folder.split('/').at(-1);
    expect(readdirSync(runs).toSorted()).toEqual([`${name}.bm25.run`, `${name}.keyword.run`]);
    const run = join(runs, `${name}.keyword.run`);
    expect(readFileSync(run, 'utf8')).toMatch(/^drink-1 Q0 apple 1 [\d.e-]+ keyword$/m);
    const read = await jsonOf([folder, '--run', run]);
    expect(Object.keys(read.modes)).toEqual([`${name}.keyword.run`]);
    expect(read.modes[`${name}.keyword.run`]).toEqual(asked.modes['keyword']);
  });

  test('compares with a run, or with one of the modes, and names what was won and lost most', async () => {
    const folder = fruitFolder();
    const run = scratchFileWith(
      'old.run',
      'drink-1 Q0 apple 1 1 old\ndrink-2 Q0 apple 1 1 old\ndry-1 Q0 plum 1 1 old\nsoup-1 Q0 leek 1 1 old\n',
    );
    const { status, out } = await runCaptured(['evaluate', folder, '--mode', 'bm25', '--compare', run]);
    expect(status).toBe(0);
    // One difference only: of its two signs both are as large.
    expect(out).toContain(
      'bm25 against old.run: ndcg@10 +0.2500 (+0.0000 to +0.7500), p = 1.0000; 1 won, 0 lost, 3 equal',
    );
    expect(out).toMatch(/won most\n {4}\+1\.0000 {2}drink-2 {2}what is perry pressed from/);
    const { comparisons } = await jsonOf([folder, ...BY_WORDS, '--compare', 'bm25']);
    expect(comparisons).toMatchObject([{ mode: 'keyword', baseline: 'bm25' }]);
  });

  test('writes one page that needs nothing else and in which nothing of the questions is HTML', async () => {
    const lure = '<script src="https://example.invalid/x.js">alert(1)</script><img src=x onerror=alert(1)> cider';
    const folder = fruitFolder({
      'queries.jsonl': toJsonLines([{ _id: 'drink-1', text: lure }]),
      'qrels.tsv': 'drink-1\tapple\t1\n',
    });
    const html = scratchFile('page.html');
    const run = scratchFileWith('"><b>old.run', 'drink-1 Q0 pear 1 1 old\n');
    await jsonOf([folder, ...BY_WORDS, '--compare', run, '--html', html]);
    const page = readFileSync(html, 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    // Means, recall by depth, and the differences of two modes.
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).toContain('&#60;script src=');
    expect(page).not.toMatch(/<script|<img|<b>|<link|@import|url\(| (?:src|href)="/i);
  });

  test('keeps control characters of questions and ids from the terminal', async () => {
    const folder = fruitFolder({
      'queries.jsonl': toJsonLines([{ _id: 'a\u001b[2J', text: 'cider \u001b]0;x\u0007\u202e' }]),
      'qrels.tsv': 'a\u001b[2J\tapple\t1\na\u001b[2J\tnot\u009b\t1\n',
    });
    const run = scratchFileWith('old.run', 'other Q0 apple 1 1 old\n');
    const words = ['evaluate', folder, '--mode', 'bm25', '--by-query', '--compare', run];
    const { status, out, error } = await runCaptured(words);
    expect(status).toBe(0);
    expect(out + error).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
    expect(error).toMatch(/^note: 1 of 2 right answers are not among the documents: "not/);
  });
});

describe('evaluate with graded requests', () => {
  const REQUESTS = [
    { id: 'en-1', query: 'cider', grades: { apple: 3, pear: 1, stove: 0 } },
    { id: 'de-1', query: 'Suppe kochen', english: 'soups', grades: { leek: 2, stove: 1 } },
    { id: 'de-2', query: 'Reifen wechseln', english: 'change a tyre', grades: { stove: 0 } },
  ];
  const documents = (): string[] => ['--catalogue', scratchFileWith('rows.jsonl', toJsonLines(FRUIT_ROWS))];

  test('prints what is judged and useful, then how confident answers are and how right their scores', async () => {
    const { status, out, error } = await runCaptured([
      'evaluate',
      scratchFileWith('requests.jsonl', toJsonLines(REQUESTS)),
      ...documents(),
    ]);
    expect([status, error]).toEqual([0, 'note: 1 question without a useful document: asked for confidence only\n']);
    const lines = linesOf(out);
    expect(lines[0]).toBe('requests.jsonl: 2 questions over 5 documents, exponential gain');
    expect(lines[2]).toMatch(/^ +ndcg@10 .* judged@10 +map +hit@1 +useful@5 +useful@3 +useful@1$/);
    // Only the apple is found, worth 7 where 7 and 1 are there to find. All that is found was judged.
    expect(lines[3]?.split(/ +/)).toEqual(
      ['bm25', 7 / (7 + 1 / Math.log2(3)) / 2, 0.5, 0.25, 0.05, 1, 0.25, 0.5, 0.1, 1 / 6, 0.5].map((one) =>
        typeof one === 'number' ? one.toFixed(4) : one,
      ),
    );
    const heading = lines.findIndex((line) => /^ +confident if served +if unserved$/.test(line));
    expect(lines[heading + 1]).toMatch(/^bm25 +\d\.\d{4} \([012] of 2\) +\d\.\d{4} \([01] of 1\)$/);
    expect(lines.slice(heading).filter((line) => /^(bm25|vector|hybrid|keyword) /.test(line))).toHaveLength(3);
    expect(lines.at(-1)).toMatch(
      /^first hits of hybrid: mean score 0\.\d{4}, useful \d\.\d{4}, calibration error 0\.\d{4} \(3 questions\)$/,
    );
  });
});

describe('evaluate with a catalogue', () => {
  let database: string;
  let catalogue: string;
  let questions: string;

  beforeAll(async () => {
    const rows = [
      row('forms', { description: 'Fills in PDF forms.', files: [{ filename: 'SKILL.md', text: 'Signatures too.' }] }),
      row('birds', { description: 'Tells birds by their song.' }),
    ];
    const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
    database = join(folder, 'skills.db');
    catalogue = join(folder, 'rows.jsonl');
    questions = join(folder, 'questions.jsonl');
    writeFileSync(catalogue, toJsonLines(rows));
    writeFileSync(
      questions,
      toJsonLines([
        { query: 'signatures', relevant: ['forms'] },
        { query: 'song', relevant: ['birds'] },
      ]),
    );
    await buildCatalogue({ database, sources: [catalogue], semantic: false });
    return () => rmSync(folder, { recursive: true });
  });

  test('asks ten questions of one file over a database, which stays as it is', async () => {
    const before = traceOf(database);
    const summary = await jsonOf([questions, '--database', database, ...BY_WORDS]);
    expect(summary).toMatchObject({ benchmark: 'questions.jsonl', queries: 2 });
    expect(summary.modes['bm25']?.['hit@1']).toBe(1);
    expect(traceOf(database)).toEqual(before);
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'evaluate that is interrupted by %s leaves nothing behind',
  async (signal) => {
    const temporary = scratchFolder();
    const questions = scratchFileWith('questions.jsonl', toJsonLines([{ query: 'song', relevant: ['birds'] }]));
    // Standard input never ends: the load goes on until it is stopped.
    const child = startProcess(['evaluate', questions, '--catalogue', '-', ...BY_WORDS], {
      env: { TMPDIR: temporary },
    });
    const output = catchOutput(child);
    const closed = once(child, 'close');
    child.stdin.write(toJsonLines([row('birds')]));
    const ours = () => readdirSync(temporary).filter((name) => name.startsWith('skill-discovery-'));
    await vi.waitFor(() => expect(ours()).toHaveLength(1), { timeout: 30_000, interval: 50 });
    child.kill(signal);
    await closed;
    expect([child.exitCode, output()]).toEqual([1, { out: '', error: 'error: interrupted\n' }]);
    expect(ours()).toEqual([]);
  },
);
