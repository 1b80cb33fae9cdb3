import { describe, expect, test } from 'vitest';
import type { RulesOf } from '../../../src/core/arrays/array-file-header.js';
import {
  arraysOf,
  DamagedArrayFileError,
  isCurrentArrayFile,
  PagedArrayFile,
  writeArrayFile,
} from '../../../src/core/index.js';
import { scratchFile } from '../../scratch-folder.js';

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

describe('an array file with right checksums', () => {
  test('is believed while its arrays keep the rules', async () => {
    expect(await believes(TREE)).toEqual(ALL);
  });

  test.each([
    ['at the beginning', 0],
    ['in the middle', 12_345],
    ['at the end', 24_998],
  ])('is not believed with a value that points outside %s', async (_, place) => {
    const items = TREE.items.slice();
    items[place] = TREE.size;
    expect(await believes({ ...TREE, items })).toEqual(NONE);
  });

  test.each([
    ['within a block', 20_000],
    ['from one block to the next', 1 << 14],
    ['at the last element', COUNT - 1],
  ])('is not believed with starts that fall %s', async (_, place) => {
    const starts = TREE.starts.slice();
    starts[place] = starts[place - 1]! - 1;
    expect(await believes({ ...TREE, starts })).toEqual(NONE);
  });

  test('is not believed with starts that do not begin at 0 or end elsewhere than what they point into', async () => {
    expect(await believes({ ...TREE, starts: TREE.starts.map((start) => Math.max(start, 1)) })).toEqual(NONE);
    expect(await believes({ ...TREE, starts: TREE.starts.map((start) => Math.max(0, start - 1)) })).toEqual(NONE);
    expect(await believes({ ...TREE, starts: TREE.starts.map((start) => 2 * start) })).toEqual(NONE);
  });

  test.each([
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
