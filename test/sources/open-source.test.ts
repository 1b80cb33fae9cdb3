import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSource, readRows, readSource, SKILL_FOLDER, type SourceItem } from '../../src/sources/index.js';
import { readAll, rowsOf, temporaryFolder } from './folders.js';

const LINES = '{"n":1}\n\n{"n":2}\r\n{"n":3}';
const ARRAY = '[{"n":1},\n\n{"n":2},\n{"n":3}]';
const numbers = (items: Parameters<typeof rowsOf>[0]): unknown[] => rowsOf(items).map((row) => row.value);

describe('checkSource', () => {
  it('tells files, folders and standard input apart', async () => {
    const folder = await temporaryFolder({ 'a.jsonl': 'x', 'b.JSON.gz': 'yy' });
    expect(await checkSource('-')).toMatchObject({ kind: { name: 'stdin' }, name: '-', path: '', bytes: undefined });
    expect(await checkSource(folder)).toEqual({ kind: SKILL_FOLDER, name: folder, path: folder, bytes: undefined });
    expect(await checkSource(`${folder}/a.jsonl`)).toMatchObject({ kind: { name: 'file' }, bytes: 1 });
    expect(await checkSource(`${folder}/b.JSON.gz`)).toMatchObject({ kind: { name: 'file' }, bytes: 2 });
  });

  it('names a source that is not there', async () => {
    const missing = join(await temporaryFolder(), 'none.jsonl');
    await expect(checkSource(missing)).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
      path: missing,
      message: expect.stringContaining(missing),
    });
    await expect(checkSource(`${missing}/below`)).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });

  it('says what is accepted where a source is of another kind', async () => {
    const folder = await temporaryFolder({ 'SKILL.md': 'x', 'rows.csv': 'x' });
    execFileSync('mkfifo', [`${folder}/pipe.jsonl`]);
    await expect(checkSource(`${folder}/SKILL.md`)).rejects.toMatchObject({
      code: 'INVALID_SOURCE',
      message: expect.stringContaining('give the folder it stands in'),
    });
    for (const name of ['rows.csv', 'pipe.jsonl']) {
      await expect(checkSource(`${folder}/${name}`)).rejects.toMatchObject({
        code: 'INVALID_SOURCE',
        message: expect.stringMatching(/\.jsonl.*standard input/),
      });
    }
    await expect(checkSource('')).rejects.toMatchObject({ code: 'INVALID_SOURCE' });
  });
});

describe('readSource', () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  const forms: [string, string, Uint8Array][] = [
    ['lines', 'a.jsonl', Buffer.from(LINES)],
    ['an array', 'a.json', Buffer.from(ARRAY)],
    ['an array that calls itself lines', 'a.ndjson', Buffer.from(`\n\n${ARRAY}`)],
    ['lines after a byte order mark', 'a.jsonl', Buffer.concat([mark, Buffer.from(LINES)])],
    ['packed lines', 'a.jsonl.gz', gzipSync(LINES)],
    ['plain lines whose name says packed', 'a.jsonl.gz', Buffer.from(LINES)],
    ['packed lines with padding behind them', 'a.jsonl.gz', Buffer.concat([gzipSync(LINES), Buffer.alloc(600_000)])],
    ['two packed parts', 'a.json.gz', Buffer.concat([gzipSync(ARRAY.slice(0, 9)), gzipSync(ARRAY.slice(9))])],
  ];
  it.each(forms)('reads %s', async (_, name, bytes) => {
    const folder = await temporaryFolder({ [name]: bytes });
    const { items, error } = await readAll(join(folder, name));
    expect(error).toBeUndefined();
    expect(items.map((item) => item.kind)).toEqual(['row', 'row', 'row']);
    expect(numbers(items)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const first = name === 'a.ndjson' ? 3 : 1;
    expect(items.map((item) => item.origin.line)).toEqual([first, first + 2, first + 3]);
    expect(items[0]?.origin.source).toBe(join(folder, name));
  });

  it.each([
    ['plain', Buffer.from(LINES)],
    ['packed', gzipSync(ARRAY)],
  ])('reads %s standard input, also byte by byte', async (_, bytes) => {
    const stdin = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
    const { items } = await readAll('-', { stdin });
    expect(numbers(items)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(items[0]?.origin.source).toBe('-');
  });

  it.each(['', ' \n\n', '[]', '[\n]'])('finds no rows in %j', async (text) => {
    expect(await readAll('-', { stdin: Readable.from([Buffer.from(text)]) })).toEqual({ items: [], error: undefined });
  });

  it('reports a line that is no JSON in one clean line and goes on', async () => {
    const text = `{"n":1}\nnot \u001b[31m json ${'x'.repeat(500)}\n{"n":2}\n`;
    const { items } = await readAll('-', { stdin: Readable.from([Buffer.from(text)]) });
    expect(items.map((item) => item.kind)).toEqual(['row', 'unreadable', 'row']);
    const reason = items[1]?.kind === 'unreadable' ? items[1].reason : '';
    expect(reason).toMatch(/^not JSON: /);
    expect(reason.length).toBeLessThan(260);
    expect(reason).not.toMatch(/\p{Cc}/u);
  });

  it('says what a source has to look like where the first line is no JSON', async () => {
    const { items } = await readAll('-', { stdin: Readable.from([Buffer.from('{\n  "skills": []\n}')]) });
    expect(items[0]).toMatchObject({ reason: expect.stringContaining('one JSON object a line') });
    expect(items[1]).not.toMatchObject({ reason: expect.stringContaining('one JSON object a line') });
  });

  it('yields what a truncated or damaged gzip file still holds, then throws what broke', async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ n, noise: Math.sin(n) })).join('\n');
    const packed = gzipSync(text);
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 100);
    const folder = await temporaryFolder({
      'short.jsonl.gz': packed.subarray(0, packed.length >> 1),
      'damaged.jsonl.gz': damaged,
    });
    for (const [name, message] of [
      ['short', /the gzip data ends too early/],
      ['damaged', /the gzip data is damaged/],
    ] as const) {
      const { items, error } = await readAll(`${folder}/${name}.jsonl.gz`);
      expect(items.length).toBeGreaterThan(1000);
      // Damage shows only at the checksum or where the data makes no sense: rows before that may be wrong.
      if (name === 'short') expect(items.every((item) => item.kind === 'row')).toBe(true);
      expect(error).toMatchObject({ name: 'Error', message: expect.stringMatching(message) });
    }
  });

  it("throws the signal's reason, also while it waits for input", async () => {
    const reason = new Error('enough');
    const stopped = AbortSignal.abort(reason);
    const folder = await temporaryFolder({ 'a.jsonl': LINES, 'skill/SKILL.md': '# x' });
    expect((await readAll(`${folder}/a.jsonl`, { signal: stopped })).error).toBe(reason);
    expect((await readAll(folder, { signal: stopped })).error).toBe(reason);

    const controller = new AbortController();
    const stdin = new Readable({ read() {} });
    stdin.push('{"n":1}\n');
    const reading = readSource(await checkSource('-'), { stdin, signal: controller.signal });
    expect((await reading.next()).value).toMatchObject({ value: { n: 1 } });
    setTimeout(() => controller.abort(reason), 20);
    await expect(reading.next()).rejects.toBe(reason);
  });
});

describe('a JSON source', () => {
  /** The rows as `line= value`, else `line: reason`, with what the source broke with. */
  async function told(text: string, cuts: readonly number[] = []): Promise<string[]> {
    const bytes = Buffer.from(text);
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    const chunks = [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
    const { items, error } = await readAll('-', { stdin: Readable.from(chunks, { objectMode: true }) });
    return [...items.map(shown), ...(error === undefined ? [] : [`failed: ${(error as Error).message}`])];
  }

  function shown(item: SourceItem): string {
    const line = item.origin.line;
    return item.kind === 'row' ? `${line}= ${JSON.stringify(item.value)}` : `${line}: not read`;
  }

  const cuts = fc.array(fc.nat(), { maxLength: 30 });
  const hard = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', '\n', 'é', '🐝') }),
  );

  it('yields what JSON.parse would of an array, however the bytes are cut and the array is laid out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hard), fc.constantFrom(undefined, 1, '\t'), cuts, async (values, indent, places) => {
        const text = `\n ${JSON.stringify(values, null, indent)} \n`;
        const found = (await told(text, places)).map((one) => JSON.parse(one.slice(one.indexOf('=') + 1)) as unknown);
        expect(found).toEqual(JSON.parse(text));
      }),
      { numRuns: 150 },
    );
  });

  it('says the same about any bytes, however they are cut', async () => {
    const text = fc.array(fc.constantFrom(...'[]{}",:\\ \n1a')).map((all) => `[${all.join('')}`);
    await fc.assert(
      fc.asyncProperty(text, cuts, async (one, places) => {
        expect(await told(one, places)).toEqual(await told(one));
      }),
      { numRuns: 200 },
    );
  });

  it('yields the lines of a text with their numbers, however the bytes are cut', async () => {
    const value = fc.oneof(
      fc.jsonValue({ noUnicodeString: false }).map((one) => JSON.stringify({ one })),
      fc.constantFrom('', '  ', '\t'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value), fc.constantFrom('\n', '\r\n'), cuts, async (lines, end, places) => {
        const expected = lines.flatMap((text, i) => (text.trim() === '' ? [] : `${i + 1}= ${text}`));
        expect(await told(lines.join(end), places)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['[{"a":1},\n\n {"a":2}, 3,\r\n4]', ['1= {"a":1}', '3= {"a":2}', '3= 3', '4= 4']],
    ['[1, nope}, {"a": bad}, 2]', ['1= 1', '1: not read', '1: not read', '1= 2']],
    ['[1, {"a": [1}, "b": 2},\n3]', ['1= 1', '1: not read', '2= 3']],
    ['[1,,2]', ['1= 1', '1: not read', '1= 2']],
    ['[1, {"a":2}', ['1= 1', '1= {"a":2}', 'failed: line 1: the array ends without a closing bracket']],
    ['[1,\n{"a":', ['1= 1', 'failed: line 2: the array ends without a closing bracket']],
    ['[1,\n{"a": "x},\n2]', ['1= 1', 'failed: line 2: not JSON: a string goes over the end of the line']],
    ['[1]\n[2, 3]', ['1= 1', 'failed: line 2: text after the end of the array; what follows is not read']],
  ])('goes on after what is no JSON, and breaks where nobody can tell what follows: %j', async (text, expected) => {
    expect(await told(text)).toEqual(expected);
  });
});

it('readRows numbers the rows of any iterable from 1', async () => {
  async function* later(): AsyncGenerator<unknown> {
    yield 'a';
    yield 'b';
  }
  for (const rows of [['a', 'b'], new Set(['a', 'b']), later()]) {
    const items = [];
    for await (const item of readRows(rows, 'memory')) items.push(item);
    expect(items).toEqual([
      { kind: 'row', origin: { source: 'memory', line: 1 }, value: 'a' },
      { kind: 'row', origin: { source: 'memory', line: 2 }, value: 'b' },
    ]);
  }
});
