import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRun, writeRun } from '../../src/evaluation/benchmark.js';
import { scratchFile } from '../scratch-folder.js';

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
    const scores = fc.array(fc.constantFrom(1, 0.5, 0.1, 1e-45, 0, -0, -1e-45, -0.5), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(scores, fc.nat(), async (values, turn) => {
        const ranking = values.toSorted((a, b) => b - a).map((score, i) => ({ id: `d${(i * 7 + turn) % 31}`, score }));
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
