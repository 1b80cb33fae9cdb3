import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VectorSet } from '../../../src/semantic/index.js';
import { buildVectorFiles } from '../../../src/semantic/index.js';
import { Graph, keysBySlice, loadGraphLibrary, sliceOf, wantedOfSlice } from '../../../src/semantic/nearest/graph.js';
import { checkGraphFile } from '../../../src/semantic/nearest/graph-file.js';
import { VectorIndex } from '../../../src/semantic/nearest/vector-index.js';
import { filesBeside } from '../../../src/store/files.js';
import { scratchFile } from '../../scratch-folder.js';
import { exactNearest, questionNear, randomVectors, recallOf } from './random-vectors.js';

describe('graph file', () => {
  const COUNT = 300;
  const DIMENSIONS = 8;
  const EDGES = 20;
  const BREADTH = 100;
  const ELEMENT_BYTES = 4 + 8 * EDGES + 4 * DIMENSIONS + 8;
  const LEVELS = 96 + COUNT * ELEMENT_BYTES;

  /** A graph of as many vectors as there are keys, from 1; the second is deleted if asked for. */
  async function graphFile({ deleted = false } = {}): Promise<{ path: string; keys: Float64Array }> {
    const { keys, values } = randomVectors(COUNT, DIMENSIONS);
    const graph = Graph.empty((await loadGraphLibrary())!, DIMENSIONS);
    graph.grow(COUNT);
    for (const [i, key] of keys.entries()) graph.add(key, values.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
    if (deleted) graph.remove(2);
    const path = scratchFile('graph');
    graph.write(path);
    return { path, keys: deleted ? keys.filter((key) => key !== 2) : keys };
  }

  async function isBelieved(path: string, keys: Float64Array, dimensions = DIMENSIONS): Promise<boolean> {
    return (await checkGraphFile(path, { keys, dimensions, edges: EDGES, breadth: BREADTH })) !== undefined;
  }

  /** Where the first element of a higher level has its links: the number of bytes, the number of links, the links. */
  function firstHigherLevel(bytes: Buffer): number {
    let at = LEVELS;
    while (bytes.readUInt32LE(at) === 0) at += 4;
    return at;
  }

  describe('the file of a graph', () => {
    test('is believed as hnswlib writes it, also with deleted vectors', async () => {
      for (const deleted of [false, true]) {
        const { path, keys } = await graphFile({ deleted });
        const bytes = readFileSync(path);
        const checksum = { size: bytes.length, crc: crc32(bytes) };
        expect(await Graph.checksumOf(path, keys, DIMENSIONS)).toEqual(checksum);
        expect(await Graph.isFile(path, { ...checksum, crc: checksum.crc ^ 1 }, keys, DIMENSIONS)).toBe(false);
      }
    });

    test('is not believed over other vectors', async () => {
      const { path, keys } = await graphFile();
      expect(await isBelieved(path, keys.slice(1))).toBe(false);
      expect(
        await isBelieved(
          path,
          keys.map((key) => key + 1),
        ),
      ).toBe(false);
      expect(await isBelieved(path, keys, DIMENSIONS + 1)).toBe(false);
      rmSync(path);
      expect(await isBelieved(path, keys)).toBe(false);
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
      expect(await isBelieved(path, keys)).toBe(false);
    });
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

describe('graph lineage', () => {
  test('the graph of another catalogue that stood in the same place is not gone on with', async () => {
    const catalogue = scratchFile('skills.db');
    await build(catalogue, 'first', randomVectors(3000, 48, 1));
    const vectors = randomVectors(3000, 48, 2);
    expect(await build(catalogue, 'second', vectors)).toBe(3000);
    expect(await recallOfGraph(catalogue, 'second', vectors)).toBeGreaterThanOrEqual(0.99);
  });

  test('vectors that were deleted and are back, as in a copy that was put back, are found', async () => {
    const catalogue = scratchFile('skills.db');
    const all = randomVectors(3000, 48);
    await build(catalogue, 'all', all);
    const keys = [...all.keys].filter((key) => key % 10 !== 0);
    await build(catalogue, 'fewer', randomVectors(keys, 48));
    await build(catalogue, 'all', all);
    expect(await recallOfGraph(catalogue, 'all', all)).toBeGreaterThanOrEqual(0.99);
  });

  /** @returns how many vectors were put into the graph */
  async function build(catalogue: string, stamp: string, vectors: VectorSet): Promise<number> {
    let added = 0;
    const onProgress = (_: number, total: number): void => {
      added = total;
    };
    await buildVectorFiles({
      files: filesBeside(catalogue),
      stamp,
      model: 'model',
      vectors,
      graphFrom: 1000,
      onProgress,
    });
    return added;
  }

  async function recallOfGraph(catalogue: string, stamp: string, vectors: VectorSet): Promise<number> {
    const index = await VectorIndex.open({ files: filesBeside(catalogue), stamp, model: 'model' });
    expect(index?.hasGraph).toBe(true);
    let recall = 0;
    // Ten divides the step, so that all of them are near to vectors that were gone for a while.
    for (let i = 0; i < 30; i++) {
      const query = questionNear(vectors, i * 100 + 9);
      recall += recallOf((await index?.nearest(query, 100)) ?? [], exactNearest(vectors, query, 10)) / 30;
    }
    return recall;
  }
});

describe('slices', () => {
  const MAX_LABEL = 2 ** 32 - 1;

  describe('slices', () => {
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

    test.each([1, 2, 3, 4, 8, 10, 256, 1000, 65_536])('are about equal where numbers are %i apart', (step) => {
      const keys = Float64Array.from({ length: 10_000 }, (_, i) => 1 + i * step);
      for (const slices of [2, 3, 4]) {
        for (const { length } of keysBySlice(keys, slices)) {
          expect([slices, Math.abs(length * slices - 10_000) < 1000]).toEqual([slices, true]);
        }
      }
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
});
