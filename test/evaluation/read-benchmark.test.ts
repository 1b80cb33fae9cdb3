import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBenchmark } from '../../src/evaluation/read-benchmark.js';
import { toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

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
      remarks: ['1 question without a relevant document left out'],
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

  test('may be judged by another file, with or without a header', async () => {
    const folder = folderOf({ 'queries.jsonl': QUERIES, 'qrels.tsv': QRELS });
    const qrels = scratchFile('strict.tsv');
    writeFileSync(qrels, 'fruit-3\tx\t1\n');
    expect((await readBenchmark(folder, { qrels })).questions.map(({ id }) => id)).toEqual(['fruit-3']);
  });

  test('is filtered by the ids of its questions', async () => {
    const folder = folderOf({ 'queries.jsonl': QUERIES, 'qrels.tsv': QRELS });
    const filtered = await readBenchmark(folder, { filter: /^fruit-/ });
    expect(filtered.questions.map(({ id }) => id)).toEqual(['fruit-1']);
    await expect(readBenchmark(folder, { filter: /^x/ })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('/^x/'),
    });
  });

  test('tells how many judged questions have no text', async () => {
    const folder = folderOf({ 'queries.jsonl': QUERIES, 'qrels.tsv': `${QRELS}other\ta\t1\n` });
    expect((await readBenchmark(folder)).remarks).toContain('1 question with judgements but without a text left out');
  });

  test.each<[string, Record<string, string | Buffer>, RegExp]>([
    ['no questions', { 'qrels.tsv': QRELS }, /lacks queries\.jsonl/],
    ['no judgements', { 'queries.jsonl': QUERIES }, /lacks qrels\.tsv, and qrels\/test\.tsv/],
    ['nothing that is relevant', { 'queries.jsonl': QUERIES, 'qrels.tsv': '2\tp\t0\n' }, /no question with a relevant/],
    ['a question that is no JSON', { 'queries.jsonl': '{\n', 'qrels.tsv': QRELS }, /queries\.jsonl:1: expected a JSON/],
    [
      'a question without a text',
      { 'queries.jsonl': '\n{"_id": "a"}\n', 'qrels.tsv': QRELS },
      /queries\.jsonl:2: expected a question: an object with `_id` and `text`/,
    ],
    [
      'a question twice',
      { 'queries.jsonl': QUERIES + QUERIES, 'qrels.tsv': QRELS },
      /queries\.jsonl:4: the question "fruit-1" occurs twice/,
    ],
    [
      'a judgement in four columns',
      { 'queries.jsonl': QUERIES, 'qrels.tsv': `${QRELS}2\t0\tp\t1\n` },
      /qrels\.tsv:6: expected question, document and a number/,
    ],
    [
      'a judgement without a number',
      { 'queries.jsonl': QUERIES, 'qrels.tsv': `${QRELS}2\tp\tyes\n` },
      /qrels\.tsv:6: expected question, document and a number/,
    ],
    [
      'gzip data that ends too early',
      { 'queries.jsonl.gz': gzipSync(QUERIES.repeat(50)).subarray(0, 60), 'qrels.tsv': QRELS },
      /queries\.jsonl\.gz cannot be read: unexpected end of file/,
    ],
  ])('with %s is refused, with file and line', async (_, files, message) => {
    await expect(readBenchmark(folderOf(files))).rejects.toMatchObject({
      code: 'INVALID_SOURCE',
      message: expect.stringMatching(message),
    });
  });

  test('that is not there is told as such', async () => {
    await expect(readBenchmark(scratchFile('none'))).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });
});

describe('questions of one file', () => {
  test('are numbered by their lines where they have no id of their own', async () => {
    const path = scratchFile('mine.jsonl');
    writeFileSync(
      path,
      `${toJsonLines([{ query: 'apples', relevant: ['a', 'b'] }])}\n${toJsonLines([
        { query: 'pears', relevant: ['p'], id: 'pear' },
        { query: 'nothing', relevant: [] },
      ])}`,
    );
    const { name, questions, gains, remarks } = await readBenchmark(path);
    expect(name).toBe('mine.jsonl');
    expect(questions).toEqual([
      { id: '1', text: 'apples' },
      { id: 'pear', text: 'pears' },
    ]);
    expect([...(gains.get('1') ?? [])]).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(remarks).toEqual(['1 question without a relevant document left out']);
  });

  test.each([
    ['no array', { query: 'apples', relevant: 'a' }, /:1: expected an object with `query`, a text, and `relevant`/],
    ['no question', { relevant: ['a'] }, /:1: expected an object with `query`/],
    ['an id that is none', { query: 'apples', relevant: [{}] }, /:1: expected `relevant` to be an array of ids/],
  ])('with %s are refused', async (_, value, message) => {
    const path = scratchFile('mine.jsonl');
    writeFileSync(path, toJsonLines([value]));
    await expect(readBenchmark(path)).rejects.toMatchObject({
      code: 'INVALID_SOURCE',
      message: expect.stringMatching(message),
    });
  });

  test('have no other file of judgements', async () => {
    const path = scratchFile('mine.jsonl');
    writeFileSync(path, toJsonLines([{ query: 'apples', relevant: ['a'] }]));
    await expect(readBenchmark(path, { qrels: 'x.tsv' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = scratchFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
