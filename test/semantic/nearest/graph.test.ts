import { readFileSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyGraph,
  keysBySlice,
  loadGraphLibrary,
  sliceOf,
  wantedOfSlice,
} from '../../../src/semantic/nearest/graph.js';
import { checkGraphFile } from '../../../src/semantic/nearest/graph-file.js';
import { scratchFile } from '../../scratch-folder.js';
import { randomVectors } from './random-vectors.js';

describe('the file of a graph', () => {
  const COUNT = 300;
  const DIMENSIONS = 8;
  const EDGES = 20;
  const ELEMENT_BYTES = 4 + 8 * EDGES + 4 * DIMENSIONS + 8;
  const LEVELS = 96 + COUNT * ELEMENT_BYTES;

  /** A graph of as many vectors as there are keys, from 1; the second is deleted if asked for. */
  async function graphFile({ deleted = false } = {}): Promise<{ path: string; keys: Float64Array }> {
    const { keys, values } = randomVectors(COUNT, DIMENSIONS);
    const graph = emptyGraph((await loadGraphLibrary())!, DIMENSIONS);
    graph.resizeIndex(COUNT);
    for (const [i, key] of keys.entries())
      graph.addPoint([...values.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS)], key);
    if (deleted) graph.markDelete(2);
    const path = scratchFile('graph');
    graph.writeIndexSync(path);
    return { path, keys: deleted ? keys.filter((key) => key !== 2) : keys };
  }

  /** Where the first element of a higher level has its links: the number of bytes, the number of links, the links. */
  function firstHigherLevel(bytes: Buffer): number {
    let at = LEVELS;
    while (bytes.readUInt32LE(at) === 0) at += 4;
    return at;
  }

  test('is believed as hnswlib writes it, also with deleted vectors', async () => {
    for (const deleted of [false, true]) {
      const { path, keys } = await graphFile({ deleted });
      const bytes = readFileSync(path);
      expect(await checkGraphFile(path, keys, DIMENSIONS)).toEqual({ size: bytes.length, crc: crc32(bytes) });
      // Over other vectors it is not.
      expect(await checkGraphFile(path, keys.slice(1), DIMENSIONS)).toBeUndefined();
      expect(await checkGraphFile(path, keys, DIMENSIONS + 1)).toBeUndefined();
    }
  });

  test.each<[string, (bytes: Buffer) => Buffer | undefined]>([
    ['a link that leads outside', (bytes) => void bytes.writeUInt32LE(COUNT, 96 + 4)],
    ['a link that leads far outside', (bytes) => void bytes.writeUInt32LE(2 ** 32 - 1, 96 + 5 * ELEMENT_BYTES + 4)],
    ['more links than there is room for', (bytes) => void bytes.writeUInt16LE(2 * EDGES + 1, 96)],
    ['an unknown mark', (bytes) => void bytes.writeUInt8(2, 96 + 2)],
    ['a label twice', (bytes) => void bytes.writeUInt32LE(2, 96 + ELEMENT_BYTES - 8)],
    ['a label that is no key', (bytes) => void bytes.writeUInt32LE(COUNT + 1, 96 + ELEMENT_BYTES - 8)],
    ['a label of 64 bits', (bytes) => void bytes.writeUInt32LE(1, 96 + ELEMENT_BYTES - 4)],
    ['a key that is deleted', (bytes) => void bytes.writeUInt8(1, 96 + 2)],
    ['a start that is not there', (bytes) => void bytes.writeUInt32LE(COUNT, 52)],
    ['a level that nothing has', (bytes) => void bytes.writeInt32LE(bytes.readInt32LE(48) + 1, 48)],
    ['a negative level', (bytes) => void bytes.writeInt32LE(-1, 48)],
    ['room for any number', (bytes) => void bytes.writeBigUInt64LE(2n ** 40n, 8)],
    ['another size of elements', (bytes) => void bytes.writeUInt32LE(ELEMENT_BYTES + 4, 24)],
    ['another factor for levels', (bytes) => void bytes.writeDoubleLE(1e300, 80)],
    ['another breadth', (bytes) => void bytes.writeUInt32LE(2 ** 31, 88)],
    ['half a level', (bytes) => void bytes.writeUInt32LE(4, firstHigherLevel(bytes))],
    ['more links on a level than fit', (bytes) => void bytes.writeUInt32LE(EDGES + 1, firstHigherLevel(bytes) + 4)],
    ['a link on a level that leads outside', (bytes) => void bytes.writeUInt32LE(COUNT, firstHigherLevel(bytes) + 8)],
    ['a link to an element that is not on the level', linkToLowest],
    ['its end missing', (bytes) => bytes.subarray(0, -4)],
    ['half of it missing', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['more at its end', (bytes) => Buffer.concat([bytes, Buffer.alloc(4)])],
    ['nothing in it', () => Buffer.alloc(0)],
  ])('is not believed with %s, its checksum right', async (_, spoil) => {
    const { path, keys } = await graphFile();
    const bytes = readFileSync(path);
    writeFileSync(path, spoil(bytes) ?? bytes);
    expect(await checkGraphFile(path, keys, DIMENSIONS)).toBeUndefined();
  });

  /** Native code would read the links of that element behind the end of its memory. */
  function linkToLowest(bytes: Buffer): undefined {
    let [at, lowest] = [LEVELS, -1];
    for (let element = 0; lowest < 0; element++) {
      const levelBytes = bytes.readUInt32LE(at);
      if (levelBytes === 0) lowest = element;
      at += 4 + levelBytes;
    }
    const first = firstHigherLevel(bytes);
    bytes.writeUInt16LE(Math.max(1, bytes.readUInt16LE(first + 4)), first + 4);
    bytes.writeUInt32LE(lowest, first + 8);
  }
});

describe('slices', () => {
  const MAX_LABEL = 2 ** 32 - 1;

  test('have each key once, in order, the same whatever other keys there are', () => {
    const sets = fc.uniqueArray(fc.integer({ min: 1, max: MAX_LABEL }), { maxLength: 200 });
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 4 }), (some, slices) => {
        const keys = Float64Array.from(some).sort();
        const bySlice = keysBySlice(keys, slices);
        expect(bySlice).toHaveLength(slices);
        expect(Float64Array.from(bySlice.flatMap((one) => [...one])).sort()).toEqual(keys);
        for (const [slice, one] of bySlice.entries()) {
          expect(one.toSorted()).toEqual(one);
          for (const key of one) expect(sliceOf(key, slices)).toBe(slice);
        }
      }),
    );
  });

  test('are asked for as many as their share of the nearest can be, never for more than all', () => {
    expect([1, 5, 1000].map((k) => wantedOfSlice(k, 1))).toEqual([1, 5, 1000]);
    expect([1, 5, 100, 1000, 10_000].map((k) => wantedOfSlice(k, 4))).toEqual([1, 5, 55, 345, 2800]);
    for (let k = 1; k < 500; k++)
      for (const slices of [2, 3, 4]) {
        expect(wantedOfSlice(k, slices) * slices).toBeGreaterThanOrEqual(k);
      }
  });
});
