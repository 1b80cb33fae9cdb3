import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { traceOf } from '../catalogue-file.js';
import { FRUIT, fruitFolder } from '../evaluation/fruit.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';
import { catchOutput, startProcess } from './run-process.js';

const FRUIT_ROWS = FRUIT.map(({ _id, title, text }) => row(_id, { name: title || _id, description: text }));

function scratchFileOf(text: string): string {
  const path = scratchFile('rows.jsonl');
  writeFileSync(path, text);
  return path;
}

/** The modes that need no model. */
const BY_WORDS = ['--mode', 'bm25', '--mode', 'keyword'];

interface Summary {
  readonly benchmark: string;
  readonly queries: number;
  readonly modes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly intervals: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly comparisons?: readonly { readonly mode: string; readonly baseline: string; readonly p: number }[];
  readonly byQuery?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
}

async function jsonOf(words: readonly string[]): Promise<Summary> {
  const { status, out, error } = await runCaptured(['evaluate', ...words, '--json']);
  expect([status, error]).toEqual([0, '']);
  return JSON.parse(out) as Summary;
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

  test('takes stop words from a file', async () => {
    const folder = fruitFolder({
      'queries.jsonl': toJsonLines([{ _id: 'soup', text: 'cider vegetable' }]),
      'qrels.tsv': 'soup\tleek\t1\n',
      'stop.txt': 'vegetable\n',
    });
    const recallWith = async (...words: string[]): Promise<number | undefined> =>
      (await jsonOf([folder, '--mode', 'bm25', ...words])).modes['bm25']?.['recall@10'];
    expect(await recallWith()).toBe(1);
    expect(await recallWith('--stop-words', join(folder, 'stop.txt'))).toBe(0);
  });

  test('prints a table: a line for each mode, below it the intervals', async () => {
    const folder = fruitFolder();
    const { status, out, error } = await runCaptured(['evaluate', folder, ...BY_WORDS, '--at', '1', '--at', '3']);
    expect([status, error]).toEqual([0, '']);
    const lines = linesOf(out);
    expect(lines[0]).toMatch(/: 4 questions over 5 documents$/);
    expect(lines[2]).toMatch(/^ +ndcg@1 +mrr@1 +recall@1 +precision@1 +ndcg@3 .* map +hit@1$/);
    expect(lines[3]).toMatch(/^bm25 +1\.0000 +1\.0000/);
    expect(lines[4]).toMatch(/^ +1\.000-1\.000/);
    expect(lines[5]).toMatch(/^keyword +\d\.\d{4}/);
  });

  test('takes only the questions whose id fits', async () => {
    const folder = fruitFolder();
    expect((await jsonOf([folder, ...BY_WORDS, '--filter', '^drink-'])).queries).toBe(2);
    expect((await jsonOf([folder, ...BY_WORDS, '--filter', '1$'])).queries).toBe(3);
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
    const run = scratchFile('old.run');
    writeFileSync(
      run,
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

  test('asks without the right answers too, for the area under the ROC curve', async () => {
    const { modes } = await jsonOf([fruitFolder(), ...BY_WORDS, '--abstention']);
    for (const { auroc } of Object.values(modes)) expect(auroc).toBeGreaterThan(0.5);
  });

  test('writes one page that needs nothing else and in which nothing of the questions is HTML', async () => {
    const lure = '<script src="https://example.invalid/x.js">alert(1)</script><img src=x onerror=alert(1)> cider';
    const folder = fruitFolder({
      'queries.jsonl': toJsonLines([{ _id: 'drink-1', text: lure }]),
      'qrels.tsv': 'drink-1\tapple\t1\n',
    });
    const html = scratchFile('page.html');
    const run = scratchFile('"><b>old.run');
    writeFileSync(run, 'drink-1 Q0 pear 1 1 old\n');
    await jsonOf([folder, ...BY_WORDS, '--compare', run, '--html', html]);
    const page = readFileSync(html, 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    // Means, recall by depth, and the differences of two modes.
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).toContain('&#60;script src=');
    expect(page).not.toMatch(/<script|<img|<b>|<link|@import|url\(| (?:src|href)="/i);
  });

  test('draws a progress bar on a terminal only', async () => {
    const folder = fruitFolder();
    const { out, error } = await runCaptured(['evaluate', folder, '--mode', 'bm25'], { columns: 80 });
    expect(error).toContain('bm25: 4 questions');
    expect(out).not.toContain('\u001b');
  });

  test('keeps control characters of questions and ids from the terminal', async () => {
    const folder = fruitFolder({
      'queries.jsonl': toJsonLines([{ _id: 'a\u001b[2J', text: 'cider \u001b]0;x\u0007\u202e' }]),
      'qrels.tsv': 'a\u001b[2J\tapple\t1\na\u001b[2J\tnot\u009b\t1\n',
    });
    const run = scratchFile('old.run');
    writeFileSync(run, 'other Q0 apple 1 1 old\n');
    const { status, out, error } = await runCaptured([
      ...['evaluate', folder, '--mode', 'bm25', '--by-query', '--compare', run],
    ]);
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
  const requestsFile = (): string => {
    const path = scratchFile('requests.jsonl');
    writeFileSync(path, toJsonLines(REQUESTS));
    return path;
  };
  const documents = (): string[] => ['--catalogue', scratchFileOf(toJsonLines(FRUIT_ROWS))];

  test('prints what is judged and useful, then how confident answers are and how right their scores', async () => {
    const { status, out, error } = await runCaptured(['evaluate', requestsFile(), ...documents()]);
    expect([status, error]).toEqual([0, 'note: 1 question without a useful document: asked for confidence only\n']);
    const lines = linesOf(out);
    expect(lines[0]).toBe('requests.jsonl: 2 questions over 5 documents, exponential gain');
    expect(lines[2]).toMatch(/^ +ndcg@10 .* judged@10 +map +hit@1 +useful@5 +useful@1$/);
    // Only the apple is found, worth 7 where 7 and 1 are there to find. All that is found was judged.
    expect(lines[3]?.split(/ +/)).toEqual(
      ['bm25', 7 / (7 + 1 / Math.log2(3)) / 2, 0.5, 0.25, 0.05, 1, 0.25, 0.5, 0.1, 0.5].map((one) =>
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

  test('has the same in JSON and on the page', async () => {
    const html = scratchFile('page.html');
    const { out } = await runCaptured(['evaluate', requestsFile(), ...documents(), '--json', '--html', html]);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ queries: 2, gain: 'exponential', copies: 'keep' });
    expect(Object.keys(summary.confident)).toEqual(['bm25', 'vector', 'hybrid']);
    expect(summary.confident.hybrid).toMatchObject({ served: { questions: 2 }, unserved: { questions: 1 } });
    expect(summary.reliability.hybrid.questions).toBe(3);
    const page = readFileSync(html, 'utf8');
    expect(page).toMatch(
      /<h2>Confident answers<\/h2>[\s\S]*<th>hybrid<\/th>.* of 2<.* of 1<[\s\S]*First hits of hybrid/,
    );
  });

  test('asks another text of the requests, counts grades linearly and copies as one, if it is told so', async () => {
    const words = ['evaluate', requestsFile(), ...documents(), '--mode', 'bm25', '--by-query', '--ask', 'english'];
    const { status, out, error } = await runCaptured([...words, '--gain', 'linear', '--copies', 'collapse']);
    expect([status, error]).toEqual([
      0,
      'note: 1 question without a text "english" left out\n' +
        'note: 1 question without a useful document: asked for confidence only\n',
    ]);
    expect(linesOf(out)[0]).toBe('requests.jsonl: 1 question over 5 documents, copies as one');
    // Found is the leek, worth 2; the stove, worth 1, is not.
    expect(out).toMatch(new RegExp(`^de-1 +bm25 +${(2 / (2 + 1 / Math.log2(3))).toFixed(4)} `, 'm'));
  });

  test('of a folder counts linearly, and measures runs too', async () => {
    const folder = fruitFolder({
      'qrels.tsv': 'drink-1\tapple\t1\ndrink-1\tpear\t3\ndry-1\tapple\t0\nsoup-1\tleek\t2\n',
    });
    const run = scratchFile('old.run');
    writeFileSync(run, 'drink-1 Q0 apple 1 2 old\ndrink-1 Q0 pear 2 1 old\nsoup-1 Q0 stove 1 1 old\n');
    const { status, out, error } = await runCaptured(['evaluate', folder, '--run', run, '--json', '--by-query']);
    expect([status, error]).toEqual([
      0,
      'note: 1 question without a judgement left out\n' +
        'note: 1 question without a useful document: asked for confidence only\n',
    ]);
    const { byQuery, gain, confident } = JSON.parse(out);
    expect([gain, confident]).toEqual(['linear', undefined]);
    expect(byQuery['old.run']['drink-1']).toMatchObject({ 'judged@10': 1, 'useful@5': 0.2, 'useful@1': 0 });
    expect(byQuery['old.run']['drink-1']['ndcg@10']).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 5);
    expect(byQuery['old.run']['soup-1']).toMatchObject({ 'judged@10': 0, 'useful@5': 0 });
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

  test('asks over a file that is loaded for it, and kept', async () => {
    const keep = scratchFolder();
    for (let i = 0; i < 2; i++) {
      const summary = await jsonOf([questions, '--catalogue', catalogue, '--keep', keep, ...BY_WORDS]);
      expect(summary.modes['keyword']?.['hit@1']).toBe(1);
    }
    expect(readdirSync(keep).filter((name) => name.endsWith('.db'))).toEqual([
      expect.stringMatching(/^rows\.jsonl-[0-9a-f]{12}\.db$/),
    ]);
  });

  test('does without file text, adds documents, leaves some out', async () => {
    const only = ['--database', database, '--mode', 'bm25'];
    expect((await jsonOf([questions, ...only, '--no-files'])).modes['bm25']?.['hit@1']).toBe(0.5);

    const [extra, files, without] = [
      scratchFile('extra.jsonl'),
      scratchFile('files.jsonl'),
      scratchFile('without.txt'),
    ];
    writeFileSync(extra, toJsonLines([{ _id: 'choir', title: 'choir', text: 'A choir.' }]));
    writeFileSync(files, toJsonLines([{ _id: 'choir', text: 'song song song' }]));
    writeFileSync(without, 'birds\n');
    const changed = await runCaptured([
      ...['evaluate', questions, ...only, '--extra', extra, '--extra-files', files, '--without', without, '--by-query'],
    ]);
    expect(changed.status).toBe(0);
    expect(changed.error).toBe('note: 1 of 2 right answers are not among the documents: "birds"\n');
    expect(changed.out).toMatch(/^1 +bm25 +1\.0000/m);
    expect(changed.out).toMatch(/^2 +bm25 +0\.0000/m);
  });

  test('says where documents can come from when there are none', async () => {
    const { status, out, error } = await runCaptured(['evaluate', questions, '--database', scratchFile('none.db')]);
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^error: there is no catalogue at .*none\.db.*--catalogue/)]);
  });

  test('without vectors cannot be asked by meaning', async () => {
    const { status, out, error } = await runCaptured(['evaluate', questions, '--database', database]);
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^error: .*skills\.db has no vectors/)]);
  });
});

describe('evaluate that is interrupted', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s leaves nothing behind', async (signal) => {
    const temporary = scratchFolder();
    const questions = scratchFile('questions.jsonl');
    writeFileSync(questions, toJsonLines([{ query: 'song', relevant: ['birds'] }]));
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
  });
});

describe('evaluate with wrong words', () => {
  test.each([
    ['no benchmark', [], /missing required argument 'benchmark'/],
    ['an unknown mode', ['F', '--mode', 'magic'], /--mode.*'magic'.*bm25, vector, hybrid, keyword/],
    ['a filter that is none', ['F', '--filter', '('], /--filter.*regular expression/],
    ['a filter that fits nothing', ['F', '--filter', '^nothing$'], /no question .* fits \/\^nothing\$\//],
    ['a depth beyond 100', ['F', '--depth', '101', '--mode', 'bm25'], /depth must be a whole number from 1 to 100/],
    ['a cut of 0', ['F', '--at', '0', '--mode', 'bm25'], /at must be a whole number from 1, got 0/],
    ['a comparison with nothing', ['F', '--compare', 'nowhere.run'], /--compare must be a TREC run or one of bm25/],
    ['two corpora', ['F', '--database', 'a', '--catalogue', 'b'], /'--catalogue' cannot be used with '--database'/],
    ['a database to keep', ['F', '--database', 'a', '--keep', 'b'], /'--keep' cannot be used with '--database'/],
    ['a text that no question has', ['F', '--ask', 'latin'], /no question of .* has a text "latin": their texts are/],
    ['an unknown gain', ['F', '--gain', 'cubic'], /--gain.*'cubic'.*linear, exponential/],
    ['an unknown way with copies', ['F', '--copies', 'hide'], /--copies.*'hide'.*collapse, keep/],
    ['file text and none', ['F', '--no-files', '--extra-files', 'b'], /'--extra-files' cannot be used with/],
  ])('%s: one clear line, status 2', async (_, words, message) => {
    const folder = fruitFolder();
    const { status, out, error } = await runCaptured([
      'evaluate',
      ...words.map((word) => (word === 'F' ? folder : word)),
    ]);
    expect([status, out]).toEqual([2, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ['a benchmark that is not there', ['nowhere'], /there is no file or folder nowhere/],
    ['a folder that is none', ['E'], /is not a benchmark: it lacks queries\.jsonl/],
    ['a run that is not there', ['F', '--run', 'nowhere.run'], /there is no file nowhere\.run/],
    ['ids that are not there', ['F', '--without', 'nowhere.txt', '--mode', 'bm25'], /there is no file nowhere\.txt/],
    ['a broken question', ['B'], /queries\.jsonl:2: expected a JSON object/],
    ['a model that is not there', ['F', '--model', 'nowhere'], /no model folder at .*nowhere/],
  ])('%s: one clear line, status 1', async (_, words, message) => {
    const places: Record<string, string> = {
      F: fruitFolder(),
      E: scratchFolder(),
      B: fruitFolder({ 'queries.jsonl': `${JSON.stringify({ _id: 'a', text: 'b' })}\n{"_id": \n` }),
    };
    const { status, out, error } = await runCaptured(['evaluate', ...words.map((word) => places[word] ?? word)]);
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
  });

  test('help goes to standard output and names every option', async () => {
    const { status, out } = await runCaptured(['evaluate', '--help']);
    expect(status).toBe(0);
    for (const option of [
      '--extra-files',
      '--without',
      '--no-files',
      '--abstention',
      '--compare',
      '--html',
      '--keep',
    ]) {
      expect(out).toContain(option);
    }
  });
});
