import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Graph, loadGraphLibrary } from '../../../src/semantic/nearest/graph.js';
import { checkGraphFile } from '../../../src/semantic/nearest/graph-file.js';
import { scratchFile } from '../../scratch-folder.js';
import { randomVectors } from './random-vectors.js';

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
