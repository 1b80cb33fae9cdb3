import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBenchmark, readRun, writeRun } from '../../src/evaluation/index.js';
import { errorLike } from '../error-code.js';
import { toJsonLines } from '../rows.js';
import { scratchFile, scratchFileWith, scratchFolder } from '../scratch-folder.js';

const QUERIES = toJsonLines([
  { _id: 'fruit-1', text: 'apples' },
  { _id: 2, text: 'pears' },
  { _id: 'fruit-3', text: 'nobody judged this' },
]);
const QRELS = 'query-id\tcorpus-id\tscore\nfruit-1\ta\t2\nfruit-1\tb\t1\nfruit-1\tc\t0\n2\tp\t1\n';

describe('a benchmark folder', () => {
  test('has questions and what answers them, in the order of the questions', async () => {
    const folder = folderOf({ 'queries.jsonl': QUERIES, 'qrels.tsv': QRELS, 'corpus.jsonl': '' });
    const benchmark = await readBenchmark(folder);
    expect(benchmark).toMatchObject({
      name: folder.split('/').at(-1),
      corpus: join(folder, 'corpus.jsonl'),
      questions: [
        { id: 'fruit-1', text: 'apples' },
        { id: '2', text: 'pears' },
      ],
      remarks: ['1 question without a judgement left out'],
    });
    expect([...(benchmark.gains.get('fruit-1') ?? [])]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  test('may be packed, have its judgements in qrels/test.tsv, and no documents', async () => {
    const folder = folderOf({ 'queries.jsonl.gz': gzipSync(QUERIES) });
    mkdirSync(join(folder, 'qrels'));
    writeFileSync(join(folder, 'qrels', 'test.tsv'), QRELS.replaceAll('\n', '\r\n'));
    const { questions, corpus } = await readBenchmark(folder);
    expect(questions.map(({ id }) => id)).toEqual(['fruit-1', '2']);
    expect(corpus).toBeUndefined();
  });

  test.each<[Record<string, string | Buffer>, RegExp]>([
    [{ 'queries.jsonl': '' }, /lacks qrels\.tsv, and qrels\/test\.tsv/],
    [{ 'qrels.tsv': '2\tp\t0\n' }, /no question with a relevant/],
    [{ 'queries.jsonl': '{\n', 'qrels.tsv': QRELS }, /queries\.jsonl:1: expected a JSON object, got text that is/],
    [{ 'queries.jsonl': '\n{"_id": "a"}\n', 'qrels.tsv': QRELS }, /queries\.jsonl:2: expected a question: an object/],
    [{ 'queries.jsonl': QUERIES + QUERIES, 'qrels.tsv': QRELS }, /jsonl:4: the question "fruit-1" occurs twice/],
    [{ 'qrels.tsv': `${QRELS}2\t0\tp\t1\n` }, /qrels\.tsv:6: expected question, document and a number/],
    [{ 'qrels.tsv': `${QRELS}2\tp\tyes\n` }, /qrels\.tsv:6: expected question, document and a number/],
  ])('with %j is refused, with file and line', async (files, message) => {
    const faulty = readBenchmark(folderOf({ 'queries.jsonl': QUERIES, ...files }));
    await expect(faulty).rejects.toEqual(errorLike('INVALID_SOURCE', message));
  });

  test('of packed data that ends too early is refused', async () => {
    const cut = gzipSync(QUERIES.repeat(50)).subarray(0, 60);
    const faulty = readBenchmark(folderOf({ 'queries.jsonl.gz': cut, 'qrels.tsv': QRELS }));
    await expect(faulty).rejects.toThrow(/queries\.jsonl\.gz cannot be read: unexpected end of file/);
  });
});

describe('questions of one file', () => {
  test('are numbered by their lines where they have no id of their own', async () => {
    const path = scratchFileWith(
      'mine.jsonl',
      `${toJsonLines([{ query: 'apples', relevant: ['a', 'b'] }])}\n${toJsonLines([
        { query: 'pears', relevant: ['p'], id: 'pear' },
        { query: 'nothing', relevant: [] },
      ])}`,
    );
    const { name, questions, unserved, gains, remarks } = await readBenchmark(path);
    expect(name).toBe('mine.jsonl');
    expect(questions).toEqual([
      { id: '1', text: 'apples' },
      { id: 'pear', text: 'pears' },
    ]);
    expect(unserved).toEqual([{ id: '4', text: 'nothing' }]);
    expect([...(gains.get('1') ?? [])]).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(remarks).toEqual(['1 question without a relevant document: asked for confidence only']);
  });

  test.each<[object[], RegExp]>([
    [[{ query: 'apples', relevant: 'a' }], /:1: expected an object with `query`, a text, and `relevant`/],
    [[{ relevant: ['a'] }], /:1: expected an object with `query`/],
    [[{ query: 'a', relevant: [{}] }], /:1: expected `relevant` to be an array of ids/],
    [[{ query: 'a', grades: [3] }], /:1: .* or `grades`, an object with a grade for each/],
    [[{ query: 'a', relevant: ['a'], grades: { a: 3 } }], /:1: expected `relevant` or `grades`, got both/],
    [[{ query: 'a', grades: { a: '3' } }], /:1: expected a grade of 0, 1, 2 or 3 for "a", got "3"/],
    [[{ query: 'a', grades: { a: 2.5 } }], /:1: expected a grade .*, got 2\.5/],
    [[{ query: 'a', grades: { '': 2 } }], /:1: expected `grades` to have ids, got an empty one/],
    [
      [
        { query: 'a', grades: { a: 2 } },
        { query: 'b', relevant: ['b'] },
      ],
      /:2: expected `grades` as on the lines before, got `relevant`/,
    ],
  ])('%j are refused', async (rows, message) => {
    const path = scratchFileWith('mine.jsonl', toJsonLines(rows));
    await expect(readBenchmark(path)).rejects.toEqual(errorLike('INVALID_SOURCE', message));
  });
});

describe('graded requests', () => {
  const REQUESTS = toJsonLines([
    { id: 'en-01', query: 'bake bread', grades: { oven: 3, baker: 1, tent: 0 } },
    { id: 'de-01', query: 'Zelt aufbauen', english: 'put up a tent', grades: { tent: 2 } },
    { id: 'de-02', query: 'Steuern zahlen', english: 'pay taxes', grades: { baker: 1, tent: 0 } },
    { id: 'xx-01', query: 'nobody looked at this', grades: {} },
  ]);

  test('keep what is judged apart from what is relevant, and requests without a useful skill from the others', async () => {
    const path = scratchFileWith('requests.jsonl', REQUESTS);
    const { questions, unserved, gains, grades, gain, remarks } = await readBenchmark(path);
    expect(questions.map(({ id }) => id)).toEqual(['en-01', 'de-01']);
    expect(unserved).toEqual([{ id: 'de-02', text: 'Steuern zahlen' }]);
    expect(Object.fromEntries(gains.get('en-01') ?? [])).toEqual({ oven: 3, baker: 1 });
    expect(Object.fromEntries(grades?.get('en-01') ?? [])).toEqual({ oven: 3, baker: 1, tent: 0 });
    expect(gain).toBe('exponential');
    expect(remarks).toEqual([
      '1 question without a judgement left out',
      '1 question without a useful document: asked for confidence only',
    ]);
  });

  test.each([
    ['0 to 3 with both ends', 'q1\ta\t3\nq1\tb\t0\nq2\tc\t1\n', true],
    ['3, but no 0', 'q1\ta\t3\nq1\tb\t1\nq2\tc\t1\n', false],
    ['0, but no 3', 'q1\ta\t2\nq1\tb\t0\nq2\tc\t1\n', false],
    ['another scale', 'q1\ta\t3\nq1\tb\t0\nq2\tc\t1\nq2\td\t4\n', false],
    ['what is worse than nothing', 'q1\ta\t3\nq1\tb\t0\nq2\tc\t1\nq2\td\t-1\n', false],
  ])('of a folder are told by their gains: %s', async (_, qrels, isGraded) => {
    const queries = toJsonLines([
      { _id: 'q1', text: 'one' },
      { _id: 'q2', text: 'two' },
    ]);
    const benchmark = await readBenchmark(folderOf({ 'queries.jsonl': queries, 'qrels.tsv': qrels }));
    expect(benchmark.grades !== undefined).toBe(isGraded);
    expect(benchmark.gain).toBeUndefined();
    expect(benchmark.questions.map(({ id }) => id)).toEqual(isGraded ? ['q1'] : ['q1', 'q2']);
    expect(benchmark.unserved?.map(({ id }) => id)).toEqual(isGraded ? ['q2'] : undefined);
  });
});

const QUESTIONS = [
  { _id: 'de-1', text: 'Birnen', english: 'pears' },
  { _id: 'de-2', text: 'Kirschen', english: null },
  { _id: 'en-1', text: 'apples' },
];
const RIGHT = 'de-1\tp\t1\nde-2\tc\t1\nen-1\ta\t1\n';

test('another text of the questions is asked in place of the usual one; questions without it are left out', async () => {
  const folder = folderOf({ 'queries.jsonl': toJsonLines(QUESTIONS), 'qrels.tsv': RIGHT });
  const benchmark = await readBenchmark(folder, { ask: 'english' });
  expect(benchmark.questions).toEqual([{ id: 'de-1', text: 'pears' }]);
  expect(benchmark.remarks).toEqual(['2 questions without a text "english" left out']);
  const file = scratchFileWith('mine.jsonl', toJsonLines([{ query: 'Birnen', english: 'pears', relevant: ['p'] }]));
  expect((await readBenchmark(file, { ask: 'english' })).questions).toEqual([{ id: '1', text: 'pears' }]);
});

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = scratchFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('a TREC run', () => {
  test('is read by score, equal ones by id from the last, whatever its ranks say', async () => {
    const path = scratchFileWith(
      'some.run',
      'q1 Q0 a 1 0.5 tag\nq1 Q0 b 2 0.9 tag\nq2\tQ0\tz\t1\t-3\ttag\n\nq1 Q0 c 3 0.5 tag\n',
    );
    const run = await readRun(path);
    expect([...run]).toEqual([
      [
        'q1',
        [
          { id: 'b', score: Math.fround(0.9) },
          { id: 'c', score: 0.5 },
          { id: 'a', score: 0.5 },
        ],
      ],
      ['q2', [{ id: 'z', score: -3 }]],
    ]);
  });

  test.each([
    ['too few fields', 'q Q0 a 1 2 t\nq a 0.5\n', /:2: expected question, Q0, document, rank, score and a name/],
    ['a score that is none', 'q Q0 a 1 high t\n', /:1: expected question/],
    ['a document twice', 'q Q0 a 1 2 t\nq Q0 a 2 1 t\n', /:2: the document a occurs twice for q/],
  ])('with %s is refused with its line', async (_, text, message) => {
    await expect(readRun(scratchFileWith('some.run', text))).rejects.toEqual(errorLike('INVALID_SOURCE', message));
  });

  test('keeps its order through writing and reading, also where scores are equal', async () => {
    const path = scratchFile('some.run');
    const scores = fc.array(fc.constantFrom(1, 0.5, 0.1, 1e-45, 0, -0, -1e-45, -0.5), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(scores, fc.nat(), async (values, turn) => {
        const ranking = values.toSorted((a, b) => b - a).map((score, i) => ({ id: `d${(i * 7 + turn) % 31}`, score }));
        writeFileSync(path, writeRun(new Map([['q', ranking]]), 'name'));
        const read = (await readRun(path)).get('q');
        expect(read?.map(({ id }) => id)).toEqual(ranking.map(({ id }) => id));
      }),
    );
  });
});
