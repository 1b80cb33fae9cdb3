import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBenchmark, readRun, writeRun } from '../../src/evaluation/index.js';
import { toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

describe('read benchmark', () => {
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
      [
        'nothing that is relevant',
        { 'queries.jsonl': QUERIES, 'qrels.tsv': '2\tp\t0\n' },
        /no question with a relevant/,
      ],
      [
        'a question that is no JSON',
        { 'queries.jsonl': '{\n', 'qrels.tsv': QRELS },
        /queries\.jsonl:1: expected a JSON/,
      ],
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

    test.each([
      ['no array', { query: 'apples', relevant: 'a' }, /:1: expected an object with `query`, a text, and `relevant`/],
      ['no question', { relevant: ['a'] }, /:1: expected an object with `query`/],
      ['an id that is none', { query: 'apples', relevant: [{}] }, /:1: expected `relevant` to be an array of ids/],
      [
        'grades that are no object',
        { query: 'apples', grades: [3] },
        /:1: .* or `grades`, an object with a grade for each/,
      ],
      ['both', { query: 'apples', relevant: ['a'], grades: { a: 3 } }, /:1: expected `relevant` or `grades`, got both/],
      [
        'a grade as text',
        { query: 'apples', grades: { a: '3' } },
        /:1: expected a grade of 0, 1, 2 or 3 for "a", got "3"/,
      ],
      ['a grade of 4', { query: 'apples', grades: { a: 4 } }, /:1: expected a grade of 0, 1, 2 or 3 for "a", got 4/],
      ['half a grade', { query: 'apples', grades: { a: 2.5 } }, /:1: expected a grade .*, got 2\.5/],
      [
        'a grade for no id',
        { query: 'apples', grades: { '': 2 } },
        /:1: expected `grades` to have ids, got an empty one/,
      ],
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

  describe('graded requests', () => {
    const REQUESTS = toJsonLines([
      { id: 'en-01', query: 'bake bread', grades: { oven: 3, baker: 1, tent: 0 } },
      { id: 'de-01', query: 'Zelt aufbauen', english: 'put up a tent', grades: { tent: 2 } },
      { id: 'de-02', query: 'Steuern zahlen', english: 'pay taxes', grades: { baker: 1, tent: 0 } },
      { id: 'xx-01', query: 'nobody looked at this', grades: {} },
    ]);

    test('keep what is judged apart from what is relevant, and requests without a useful skill from the others', async () => {
      const path = scratchFile('requests.jsonl');
      writeFileSync(path, REQUESTS);
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

    test('in which no request has a useful skill are refused', async () => {
      const path = scratchFile('requests.jsonl');
      writeFileSync(path, toJsonLines([{ query: 'apples', grades: { a: 1 } }]));
      await expect(readBenchmark(path)).rejects.toMatchObject({
        code: 'INVALID_SOURCE',
        message: expect.stringMatching(/no question with a useful document/),
      });
    });

    test.each([
      [
        'grades',
        { grades: { a: 2 } },
        { relevant: ['b'] },
        /:2: expected `grades` as on the lines before, got `relevant`/,
      ],
      [
        'ids',
        { relevant: ['b'] },
        { grades: { a: 2 } },
        /:2: expected `relevant` as on the lines before, got `grades`/,
      ],
    ])(
      'and right answers are not mixed in one file: one with %s has them on all lines',
      async (_, one, other, message) => {
        const path = scratchFile('requests.jsonl');
        writeFileSync(
          path,
          toJsonLines([
            { query: 'apples', ...one },
            { query: 'pears', ...other },
          ]),
        );
        await expect(readBenchmark(path)).rejects.toMatchObject({
          code: 'INVALID_SOURCE',
          message: expect.stringMatching(message),
        });
      },
    );
  });

  describe('another text of the questions', () => {
    const QUESTIONS = [
      { _id: 'de-1', text: 'Birnen', english: 'pears' },
      { _id: 'de-2', text: 'Kirschen', english: null },
      { _id: 'en-1', text: 'apples' },
    ];
    const RIGHT = 'de-1\tp\t1\nde-2\tc\t1\nen-1\ta\t1\n';

    test('is asked in place of the usual one; questions without it are left out', async () => {
      const folder = folderOf({ 'queries.jsonl': toJsonLines(QUESTIONS), 'qrels.tsv': RIGHT });
      const benchmark = await readBenchmark(folder, { ask: 'english' });
      expect(benchmark.questions).toEqual([{ id: 'de-1', text: 'pears' }]);
      expect(benchmark.remarks).toEqual(['2 questions without a text "english" left out']);
      const file = scratchFile('mine.jsonl');
      writeFileSync(file, toJsonLines([{ query: 'Birnen', english: 'pears', relevant: ['p'] }]));
      expect((await readBenchmark(file, { ask: 'english' })).questions).toEqual([{ id: '1', text: 'pears' }]);
    });

    test.each([
      ['englisch', /no question of .* has a text "englisch": did you mean english\?/],
      ['toString', /no question of .* has a text "toString": their texts are _id, text, english/],
    ])('that no question has is refused: %s', async (ask, message) => {
      const folder = folderOf({ 'queries.jsonl': toJsonLines(QUESTIONS), 'qrels.tsv': RIGHT });
      await expect(readBenchmark(folder, { ask })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        parameter: 'ask',
        message: expect.stringMatching(message),
      });
    });

    test('that is no text is refused, with file and line', async () => {
      const queries = toJsonLines([...QUESTIONS, { _id: 'x', text: 'x', english: 7 }]);
      const folder = folderOf({ 'queries.jsonl': queries, 'qrels.tsv': RIGHT });
      await expect(readBenchmark(folder, { ask: 'english' })).rejects.toMatchObject({
        code: 'INVALID_SOURCE',
        message: expect.stringMatching(/queries\.jsonl:4: expected "english" to be a text, got 7/),
      });
    });
  });

  function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
    const folder = scratchFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }
});

describe('trec run', () => {
  describe('a TREC run', () => {
    test('is read by score, equal ones by id from the last, whatever its ranks say', async () => {
      const path = fileOf('q1 Q0 a 1 0.5 tag\nq1 Q0 b 2 0.9 tag\nq2\tQ0\tz\t1\t-3\ttag\n\nq1 Q0 c 3 0.5 tag\n');
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

    test('has scores of single precision, as trec_eval has: what differs less is equal', async () => {
      const run = await readRun(fileOf('q Q0 a 1 1.00000000002 t\nq Q0 b 2 1.00000000001 t\n'));
      expect(run.get('q')?.map(({ id }) => id)).toEqual(['b', 'a']);
    });

    test('may be packed, with line ends of any kind', async () => {
      const path = scratchFile('packed.run');
      writeFileSync(path, gzipSync('q Q0 a 1 2 t\r\nq Q0 b 2 1 t\r\n'));
      expect((await readRun(path)).get('q')).toEqual([
        { id: 'a', score: 2 },
        { id: 'b', score: 1 },
      ]);
    });

    test.each([
      ['too few fields', 'q Q0 a 1 2 t\nq a 0.5\n', /:2: expected question, Q0, document, rank, score and a name/],
      ['a score that is none', 'q Q0 a 1 high t\n', /:1: expected question/],
      ['a document twice', 'q Q0 a 1 2 t\nq Q0 a 2 1 t\n', /:2: the document a occurs twice for q/],
    ])('with %s is refused with its line', async (_, text, message) => {
      await expect(readRun(fileOf(text))).rejects.toMatchObject({
        code: 'INVALID_SOURCE',
        message: expect.stringMatching(message),
      });
    });

    test('that is not there is told as such', async () => {
      await expect(readRun(scratchFile('none.run'))).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    });

    test('is written with ranks from 1', () => {
      const run = new Map([
        [
          'q1',
          [
            { id: 'b', score: 0.5 },
            { id: 'a', score: 0.25 },
          ],
        ],
      ]);
      expect(writeRun(run, 'hybrid')).toBe('q1 Q0 b 1 0.5 hybrid\nq1 Q0 a 2 0.25 hybrid\n');
    });

    test('keeps its order through writing and reading, also where scores are equal', async () => {
      const path = scratchFile('some.run');
      const scores = fc.array(fc.constantFrom(1, 0.5, 0.1, 1e-45, 0, -0, -1e-45, -0.5), {
        minLength: 1,
        maxLength: 30,
      });
      await fc.assert(
        fc.asyncProperty(scores, fc.nat(), async (values, turn) => {
          const ranking = values
            .toSorted((a, b) => b - a)
            .map((score, i) => ({ id: `d${(i * 7 + turn) % 31}`, score }));
          writeFileSync(path, writeRun(new Map([['q', ranking]]), 'name'));
          const read = (await readRun(path)).get('q');
          expect(read?.map(({ id }) => id)).toEqual(ranking.map(({ id }) => id));
        }),
      );
    });

    test('cannot carry white space: that is an error', () => {
      for (const id of ['two words', 'tab\there', '']) {
        expect(() => writeRun(new Map([['q', [{ id, score: 1 }]]]), 'x')).toThrow(/white space/);
      }
      expect(() => writeRun(new Map([['my question', [{ id: 'a', score: 1 }]]]), 'x')).toThrow(/"my question"/);
    });
  });

  function fileOf(text: string): string {
    const path = scratchFile('some.run');
    writeFileSync(path, text);
    return path;
  }
});
