import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BuildOptions, buildCatalogue } from '../../src/index.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const MEBIBYTE = 1024 * 1024;
const ROWS = toJsonLines([row('a'), row('b')]);

function load(options: Omit<BuildOptions, 'database' | 'semantic'> & { readonly database?: string }) {
  return buildCatalogue({ database: scratchFile('skills.db'), semantic: false, ...options });
}

describe('a source with more than it may have', () => {
  test('is loaded up to its limit of bytes, and counts as broken there', async () => {
    const file = scratchFile('rows.jsonl');
    const database = scratchFile('skills.db');
    writeFileSync(file, ROWS + toJsonLines([row('c')]));
    await load({ database, sources: [file] });
    const limits = { maxUnpackedBytes: ROWS.length, prune: true };
    const report = await load({ database, sources: [file], ...limits });
    expect(report.failed).toEqual([
      {
        origin: file,
        reason: `line 3: the source has more than ${ROWS.length} bytes, the rest is not read: raise maxUnpackedBytes if you trust it`,
      },
    ]);
    expect(report).toMatchObject({ unchanged: 2, removed: 0 });
    expect(report.warnings.map(({ message }) => message)).toEqual([
      'nothing was pruned, because the source could not be read to its end',
    ]);
    expect((await load({ database, sources: [file], maxUnpackedBytes: 0 })).failed).toEqual([]);
  });

  test('is loaded up to its ratio of compression', async () => {
    const file = scratchFile('rows.jsonl.gz');
    writeFileSync(file, gzipSync(`${ROWS}${' '.repeat(20 * MEBIBYTE)}\n${toJsonLines([row('c')])}`));
    const report = await load({ sources: [file] });
    expect(report.failed.map(({ reason }) => reason)).toEqual([
      'line 3: the source has more than 100 times its compressed size, the rest is not read: raise maxRatio if you trust it',
    ]);
    expect(report.added).toBe(2);
    expect(await load({ sources: [file], maxRatio: 0 })).toMatchObject({ failed: [], added: 3 });
  });

  test('stops where it is not JSON 100,000 times, and no earlier', async () => {
    const stdin = Readable.from([Buffer.from('x\n'.repeat(100_009))]);
    const { rejectedCount, failed } = await load({ sources: ['-'], stdin });
    expect(rejectedCount).toBe(100_000);
    expect(failed).toEqual([{ origin: '-', reason: expect.stringContaining('line 100001: more than 100,000 rows') }]);
  });

  test('has limits that are integers from 0 on', async () => {
    for (const name of ['maxUnpackedBytes', 'maxRatio', 'maxListedProblems', 'gitSeconds']) {
      for (const value of [-1, 0.5, Number.NaN, '1', null]) {
        expect([name, value, await codeOf(() => load({ sources: [[]], [name]: value }))]).toEqual([
          name,
          value,
          'INVALID_OPTION',
        ]);
      }
    }
  });
});

describe('a row with more than it may have', () => {
  test.each([
    ['brackets that are never closed', '['.repeat(MEBIBYTE)],
    ['a million files', JSON.stringify({ ...row('x'), files: Array(1_000_000).fill({ filename: 'f', text: '' }) })],
  ])('is rejected before it is parsed: %s', async (_, line) => {
    const file = scratchFile('rows.jsonl');
    writeFileSync(file, `${ROWS}${line}\n${toJsonLines([row('c')])}`);
    const report = await load({ sources: [file] });
    expect(report.rejected).toEqual([{ origin: file, line: 3, reason: 'more than 100,000 values in one row' }]);
    expect(report.added).toBe(3);
  });

  test('is not one whose texts look like values', async () => {
    const text = '[{,:"\\'.repeat(100_000);
    const report = await load({ sources: [[{ ...row('x'), files: [{ filename: 'SKILL.md', text }] }]] });
    expect(report).toMatchObject({ added: 1, rejected: [], warnings: [] });
    const file = scratchFile('rows.jsonl');
    writeFileSync(file, toJsonLines([{ ...row('x'), files: [{ filename: 'SKILL.md', text }] }]));
    expect(await load({ sources: [file] })).toMatchObject({ added: 1, rejected: [], warnings: [] });
  });
});

test('a report lists the first problems and counts the others', async () => {
  const file = scratchFile('rows.jsonl');
  writeFileSync(file, 'x\n'.repeat(20) + `{"name":"n","description":"d","stars":"many","id":"1"}\n`.repeat(20));
  const report = await load({ sources: [file], maxListedProblems: 5 });
  expect(report).toMatchObject({ rejectedCount: 20, warningCount: 40 });
  expect(report.rejected.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  expect(report.warnings.map(({ line }) => line)).toEqual([21, 22, 22, 23, 23, undefined]);
  expect(report.warnings.at(-1)).toEqual({
    origin: 'report',
    message:
      '34 more warnings and 15 more rejected rows are not listed: see to those that are, or raise maxListedProblems',
  });
  const whole = await load({ sources: [file], maxListedProblems: 0 });
  expect([whole.rejected.length, whole.warnings.length]).toEqual([20, 39]);
});

/** A signal that aborts once the process had so many turns. */
function abortAfter(turns: number): AbortSignal {
  const stop = new AbortController();
  const beat = (left: number): unknown =>
    left === 0 ? stop.abort(new Error('stopped')) : setImmediate(beat, left - 1);
  beat(turns);
  return stop.signal;
}

// Each would go on for ever if nothing else of the process got its turn.
test.each<[string, () => Partial<BuildOptions> & Pick<BuildOptions, 'sources'>]>([
  ['rows of a program', () => ({ sources: [forEver(row('a'))] })],
  ['lines that are not JSON', () => ({ sources: ['-'], stdin: Readable.from(endless(Buffer.from('x\n'))) })],
  ['blanks', () => ({ sources: ['-'], stdin: Readable.from(endless(Buffer.alloc(65_536, ' '))) })],
  ['a line without end', () => ({ sources: ['-'], stdin: Readable.from(endless(Buffer.alloc(65_536, 'x'))) })],
])('the event loop gets its turn during a load of %s', async (_, options) => {
  await expect(load({ ...options(), maxUnpackedBytes: 0, signal: abortAfter(50) })).rejects.toThrow('stopped');
});

async function* endless(chunk: Buffer): AsyncGenerator<Buffer> {
  for (;;) yield chunk;
}

function* forEver(value: unknown): Generator<unknown> {
  for (;;) yield value;
}
