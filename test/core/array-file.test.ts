import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NumberArray, RulesOf } from '../../src/core/arrays/array-file-header.js';
import {
  type ArrayFileIdentity,
  arraysOf,
  DamagedArrayFileError,
  isCurrentArrayFile,
  orUndefined,
  PagedArrayFile,
  readArrayFile,
  writeArrayFile,
} from '../../src/core/index.js';
import { scratchFile } from '../scratch-folder.js';

describe('an array file', () => {
  /** Blocks are of 64 KiB: `long` has several, and ends in the middle of one. */
  const TREE = {
    size: 3,
    words: {
      bytes: Uint8Array.from({ length: 1001 }, (_, i) => i % 251),
      long: Uint32Array.from({ length: 70_000 }, (_, i) => i * 7),
      none: new Uint32Array(),
    },
    dates: Float64Array.of(1.5, -2, 2 ** 40),
    codes: { bytes: Int8Array.of(-128, 0, 127), scales: Float32Array.of(0.5, -0.25) },
  };

  const IDENTITY: ArrayFileIdentity = { kind: 'keywords', origin: { stamp: 'stamp', wordRules: 3 } };

  function identityWith(stamp: string): ArrayFileIdentity {
    return { ...IDENTITY, origin: { ...IDENTITY.origin, stamp } };
  }

  function opened(path: string): PagedArrayFile {
    return PagedArrayFile.open(path, IDENTITY)!;
  }

  function arrayIn(file: PagedArrayFile, path: string): NumberArray {
    return arraysOf(file.tree).find((leaf) => leaf.path === path)?.value as NumberArray;
  }

  function bytesOf(array: NumberArray): Buffer {
    return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  }

  /** All that an array file holds, or undefined where it is not believed. */
  async function contentOf(path: string): Promise<unknown> {
    const file = PagedArrayFile.open(path, IDENTITY);
    if (file === undefined) return undefined;
    try {
      await file.load(arraysOf(file.tree).map(({ value }) => value));
      return file.tree;
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedArrayFileError);
      return undefined;
    } finally {
      file.close();
    }
  }

  /** An array file with another header, of the same length, and the checksum of that. */
  function withHeader<Header>(file: Buffer, change: (header: Header) => void): Buffer {
    const length = file.readUInt32LE(12);
    const header = JSON.parse(file.toString('utf8', 16, 16 + length));
    change(header);
    const json = Buffer.from(JSON.stringify(header));
    // Longer or shorter: what is behind moves along, in steps of 8 bytes.
    const padded = Buffer.alloc(json.length + ((((length - json.length) % 8) + 8) % 8), ' ');
    json.copy(padded);
    const blocks = Math.ceil(TREE_BYTES / (1 << 16));
    const sums = file.subarray(16 + length, 16 + length + blocks * 4);
    const head = Buffer.from(file.subarray(0, 16));
    head.writeUInt32LE(padded.length, 12);
    const before = Buffer.concat([head, padded, sums]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(before));
    return Buffer.concat([before, checksum, file.subarray(16 + length + blocks * 4 + 4)]);
  }

  /** Bytes of the arrays of {@link TREE}, each up to a multiple of 8. */
  const TREE_BYTES = arraysOf(TREE).reduce((sum, { value }) => sum + Math.ceil(value.byteLength / 8) * 8, 0);

  test('gives back what was written, and leaves nothing else', async () => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    expect(await contentOf(path)).toEqual(TREE);
    expect(await readArrayFile(path, IDENTITY)).toEqual(TREE);
    expect(await isCurrentArrayFile(path, IDENTITY)).toBe(true);
    expect(existsSync(`${path}-part`)).toBe(false);
  });

  test('is read in parts, and into memory that threads can share', async () => {
    const path = scratchFile('arrays');
    // More than is read at once, from arrays of other memory than that of their own.
    const bytes = Int8Array.from({ length: 3_000_001 }, (_, i) => i % 127);
    const mean = new Float32Array(new SharedArrayBuffer(40)).subarray(3);
    mean.set([0.5, 1.5]);
    const written = { before: Uint8Array.of(9), codes: { bytes, mean, count: 7 }, behind: TREE.words };
    writeArrayFile(path, IDENTITY, written);
    const all = (await readArrayFile(path, IDENTITY, { shared: true })) as never as typeof written;
    expect(bytesOf(all.codes.bytes).equals(bytesOf(bytes))).toBe(true);
    // Comparing so many elements one by one takes long.
    const withoutBytes = ({ codes, ...others }: typeof written): object => ({
      ...others,
      ...codes,
      bytes: undefined,
    });
    expect(withoutBytes(all)).toEqual(withoutBytes(written));
    for (const { value } of arraysOf(all)) expect(value.buffer).toBeInstanceOf(SharedArrayBuffer);
    const some = await readArrayFile(path, IDENTITY, { keeps: (name) => name === 'behind.long' });
    expect(some).toEqual({ codes: { count: 7 }, behind: { long: TREE.words.long } });
  });

  test('has every part of an array that was needed, in any order', () => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    const { long } = TREE.words;
    const part = fc.tuple(fc.nat(long.length), fc.nat(long.length)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const file = opened(path);
        const read = arrayIn(file, 'words.long');
        for (const [from, to] of parts) {
          file.need(read, from, to);
          expect(bytesOf(read.subarray(from, to)).equals(bytesOf(long.subarray(from, to)))).toBe(true);
        }
        file.close();
      }),
      { numRuns: 30 },
    );
  });

  test('is not believed where a byte was changed, or it was cut off', async () => {
    const path = scratchFile('arrays');
    const small = { size: 2, words: Uint32Array.of(1, 2, 3), bytes: new Uint8Array(9).fill(7) };
    writeArrayFile(path, IDENTITY, small);
    const good = readFileSync(path);
    expect(await contentOf(path)).toEqual(small);
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x10;
      writeFileSync(path, bad);
      expect(await contentOf(path), `byte ${at}`).toBeUndefined();
      expect(await isCurrentArrayFile(path, IDENTITY), `byte ${at}`).toBe(false);
    }
    for (const length of [0, 5, 20, good.length - 1]) {
      writeFileSync(path, good.subarray(0, length));
      expect(await contentOf(path), `${length} bytes`).toBeUndefined();
    }
  });

  test('tells damage of a block when it is needed, and not before', () => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    const bytes = readFileSync(path);
    bytes[bytes.length - 100_000] = (bytes[bytes.length - 100_000] as number) ^ 1;
    writeFileSync(path, bytes);
    const file = opened(path);
    const read = arrayIn(file, 'words.long');
    file.need(read, 0, 1000);
    expect(() => file.need(read)).toThrow(DamagedArrayFileError);
    expect(() => file.need(read)).toThrow(DamagedArrayFileError);
    file.close();
  });

  test('is not believed where it is of another kind, state or origin, or not there', async () => {
    const path = scratchFile('arrays');
    expect([PagedArrayFile.open(path, IDENTITY), await isCurrentArrayFile(path, IDENTITY)]).toEqual([undefined, false]);
    writeArrayFile(path, IDENTITY, TREE);
    for (const other of [
      identityWith('other'),
      { ...IDENTITY, origin: { ...IDENTITY.origin, wordRules: 4 } },
      { ...IDENTITY, origin: { ...IDENTITY.origin, model: 'm' } },
      { ...IDENTITY, kind: 'vectors' } as const,
    ]) {
      expect([PagedArrayFile.open(path, other), await isCurrentArrayFile(path, other)]).toEqual([undefined, false]);
      expect(await readArrayFile(path, other)).toBeUndefined();
    }
    expect(await isCurrentArrayFile(path, { kind: 'keywords', origin: { wordRules: 3 } })).toBe(true);
  });

  test.each<[string, (header: { numbers: unknown; sections: { path: unknown; length: number }[] }) => void]>([
    ['lengths below 0', ({ sections }) => Object.assign(sections[0]!, { length: -8 })],
    ['a length that is no integer', ({ sections }) => Object.assign(sections[0]!, { length: 1.5 })],
    ['an array without a path', ({ sections }) => Object.assign(sections[0]!, { path: 7 })],
    ['no numbers', (header) => Object.assign(header, { numbers: undefined })],
    ['a number that is none', (header) => Object.assign(header, { numbers: [{ path: 'size', value: {} }] })],
  ])('is not believed where its header says %s, with the right checksum', async (_, change) => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    writeFileSync(path, withHeader(readFileSync(path), change));
    expect(PagedArrayFile.open(path, IDENTITY)).toBeUndefined();
    expect(await readArrayFile(path, IDENTITY)).toBeUndefined();
  });

  test('changes no object of the process, whatever its paths are', async () => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    const numbers = [{ path: '__proto__.polluted', value: 1 }];
    writeFileSync(
      path,
      withHeader(readFileSync(path), (header: object) => Object.assign(header, { numbers })),
    );
    PagedArrayFile.open(path, IDENTITY)?.close();
    await readArrayFile(path, IDENTITY);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')(
    'is none where a pipe stands in its place, which nobody waits for',
    async () => {
      const path = scratchFile('arrays');
      execFileSync('mkfifo', [path]);
      expect([PagedArrayFile.open(path, IDENTITY), await isCurrentArrayFile(path, IDENTITY)]).toEqual([
        undefined,
        false,
      ]);
    },
  );

  test.runIf(process.platform === 'linux')('that the system does not let be read any more is damaged', async () => {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, TREE);
    for (const read of [
      (file: PagedArrayFile, array: NumberArray): unknown => file.need(array),
      (file: PagedArrayFile, array: NumberArray): unknown => file.load([array]),
    ]) {
      const file = opened(path);
      const leadsThere = (one: string) => orUndefined(() => readlinkSync(`/proc/self/fd/${one}`)) === path;
      const descriptor = readdirSync('/proc/self/fd').find(leadsThere);
      closeSync(Number(descriptor));
      const reading = async (): Promise<unknown> => read(file, arrayIn(file, 'words.long'));
      await expect(reading()).rejects.toThrow(DamagedArrayFileError);
    }
  });
});

describe('an array file with right checksums', () => {
  const IDENTITY = { kind: 'keywords', origin: { stamp: 'stamp' } } as const;

  /** `starts` fills several blocks of 64 KiB and points into `items`, whose values are below `size`. */
  const COUNT = 50_000;
  const TREE = {
    size: 10,
    starts: Uint32Array.from({ length: COUNT }, (_, i) => Math.floor(i / 2)),
    items: Uint32Array.from({ length: (COUNT - 2) / 2 }, (_, i) => i % 10),
  };

  const rulesOf: RulesOf = ({ lengthOf, numberOf }) => ({
    numbers: ['size'],
    arrays: {
      starts: { type: 'Uint32Array', risesTo: lengthOf('items') },
      items: { type: 'Uint32Array', below: numberOf('size') },
    },
  });

  /** Whether a file is believed by who reads all of it, and by who reads it block by block, in any order. */
  async function believes(tree: object): Promise<readonly boolean[]> {
    const path = scratchFile('arrays');
    writeArrayFile(path, IDENTITY, tree);
    const whole = await isCurrentArrayFile(path, { ...IDENTITY, rulesOf });
    return [whole, readInParts(path, false), readInParts(path, true)];
  }

  function readInParts(path: string, backwards: boolean): boolean {
    const file = PagedArrayFile.open(path, { ...IDENTITY, rulesOf });
    if (file === undefined) return false;
    try {
      for (const { value } of arraysOf(file.tree)) {
        const places = Array.from({ length: value.length / 1000 }, (_, i) => i * 1000);
        for (const place of backwards ? places.reverse() : places) file.need(value, place, place + 1);
        file.need(value);
      }
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedArrayFileError);
      return false;
    } finally {
      file.close();
    }
  }

  const ALL = [true, true, true];
  const NONE = [false, false, false];

  test('is believed while its arrays keep the rules', async () => {
    expect(await believes(TREE)).toEqual(ALL);
  });

  const falling = (at: number) => ({ ...TREE, starts: TREE.starts.with(at, TREE.starts[at - 1]! - 1) });

  test.each([
    ['a value that points outside at the beginning', { ...TREE, items: TREE.items.with(0, TREE.size) }],
    ['a value that points outside in the middle', { ...TREE, items: TREE.items.with(12_345, TREE.size) }],
    ['a value that points outside at the end', { ...TREE, items: TREE.items.with(24_998, TREE.size) }],
    ['starts that fall within a block', falling(20_000)],
    ['starts that fall from one block to the next', falling(1 << 14)],
    ['starts that fall at the last element', falling(COUNT - 1)],
    ['starts that do not begin at 0', { ...TREE, starts: TREE.starts.map((start) => Math.max(start, 1)) }],
    ['starts that end too soon', { ...TREE, starts: TREE.starts.map((start) => Math.max(0, start - 1)) }],
    ['starts that end too late', { ...TREE, starts: TREE.starts.map((start) => 2 * start) }],
    ['an array too few', { size: 10, starts: TREE.starts }],
    ['an array too many', { ...TREE, more: Uint8Array.of(1) }],
    ['an array of another type', { ...TREE, items: Uint8Array.from(TREE.items) }],
    ['no starts', { ...TREE, starts: new Uint32Array(), items: new Uint32Array() }],
    ['a number too few', { starts: TREE.starts, items: TREE.items }],
    ['a number below 0', { ...TREE, size: -1 }],
    ['a number that is no integer', { ...TREE, size: 10.5 }],
  ])('is not believed with %s', async (_, tree) => {
    expect(await believes(tree)).toEqual(NONE);
  });
});
