import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arraysOf, type NumberArray } from '../../src/arrays/array-tree.js';
import { DamagedImageError, imageIsCurrent, PagedImage } from '../../src/arrays/paged-image.js';
import { writeImage } from '../../src/arrays/write-image.js';
import { scratchFile } from '../scratch-folder.js';

/** Blocks are of 64 KiB: `long` has several, and ends in the middle of one. */
const TREE = {
  size: 3,
  words: {
    bytes: Uint8Array.from({ length: 1001 }, (_, i) => i % 251),
    long: Uint32Array.from({ length: 70_000 }, (_, i) => i * 7),
    none: new Uint32Array(),
  },
  dates: Float64Array.of(1.5, -2, 2 ** 40),
};

function opened(path: string, stamp = 'stamp'): PagedImage {
  const image = PagedImage.open(path, stamp);
  if (image === undefined) throw new Error('no image');
  return image;
}

function arrayIn(image: PagedImage, path: string): NumberArray {
  return arraysOf(image.tree).find((leaf) => leaf.path === path)?.value as NumberArray;
}

function linkedTo(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** All that an image holds, or undefined where it is not believed. */
async function contentOf(path: string): Promise<unknown> {
  const image = PagedImage.open(path, 'stamp');
  if (image === undefined) return undefined;
  try {
    await image.load(arraysOf(image.tree).map(({ value }) => value));
    return image.tree;
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedImageError);
    return undefined;
  } finally {
    image.close();
  }
}

describe('an image', () => {
  test('gives back what was written, and leaves nothing else', async () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    expect(await contentOf(path)).toEqual(TREE);
    expect(await imageIsCurrent(path, 'stamp')).toBe(true);
    expect(existsSync(`${path}-part`)).toBe(false);
  });

  test('has every part of an array that was needed, in any order', () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    const { long } = TREE.words;
    const part = fc.tuple(fc.nat(long.length), fc.nat(long.length)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const image = opened(path);
        const read = arrayIn(image, 'words.long');
        for (const [from, to] of parts) {
          image.need(read, from, to);
          expect(read.subarray(from, to)).toEqual(long.subarray(from, to));
        }
        image.close();
      }),
      { numRuns: 30 },
    );
  });

  test('is not read where nothing is needed', () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    const image = opened(path);
    const read = arrayIn(image, 'words.long');
    image.need(read, 10, 20);
    expect(read[15]).toBe(105);
    expect(read[60_000]).toBe(0);
    image.close();
  });

  test('is not believed where a byte was changed, or it was cut off', async () => {
    const path = scratchFile('image');
    const small = { size: 2, words: Uint32Array.of(1, 2, 3), bytes: new Uint8Array(9).fill(7) };
    writeImage(path, 'stamp', small);
    const good = readFileSync(path);
    expect(await contentOf(path)).toEqual(small);
    let padding = 0;
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x10;
      writeFileSync(path, bad);
      // Between the header and the arrays up to seven bytes mean nothing.
      const content = await contentOf(path);
      expect(await imageIsCurrent(path, 'stamp')).toBe(content !== undefined);
      if (content !== undefined) padding += 1;
    }
    expect(padding).toBeLessThan(8);
    for (const length of [0, 5, 20, good.length - 1]) {
      writeFileSync(path, good.subarray(0, length));
      expect(await contentOf(path), `${length} bytes`).toBeUndefined();
    }
  });

  test('tells damage of a block when it is needed, and not before', () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    const bytes = readFileSync(path);
    bytes[bytes.length - 100_000] = (bytes[bytes.length - 100_000] as number) ^ 1;
    writeFileSync(path, bytes);
    const image = opened(path);
    const read = arrayIn(image, 'words.long');
    image.need(read, 0, 1000);
    expect(() => image.need(read)).toThrow(DamagedImageError);
    expect(() => image.need(read)).toThrow(DamagedImageError);
    image.close();
  });

  test('is not believed where it is of another state, or not there', async () => {
    const path = scratchFile('image');
    expect([PagedImage.open(path, 'stamp'), await imageIsCurrent(path, 'stamp')]).toEqual([undefined, false]);
    writeImage(path, 'stamp', TREE);
    expect([PagedImage.open(path, 'other'), await imageIsCurrent(path, 'other')]).toEqual([undefined, false]);
  });

  test('goes on being read after another was put in its place', () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    const image = opened(path);
    writeImage(path, 'next', { words: Uint32Array.of(1) });
    const read = arrayIn(image, 'words.long');
    image.need(read);
    expect(read).toEqual(TREE.words.long);
    image.close();
    image.close();
  });

  test.skipIf(process.platform === 'win32')(
    'is none where a pipe stands in its place, which nobody waits for',
    async () => {
      const path = scratchFile('image');
      execFileSync('mkfifo', [path]);
      expect([PagedImage.open(path), await imageIsCurrent(path, 'stamp')]).toEqual([undefined, false]);
    },
  );

  test.runIf(process.platform === 'linux')('that the system does not let be read any more is damaged', async () => {
    const path = scratchFile('image');
    writeImage(path, 'stamp', TREE);
    for (const read of [
      (image: PagedImage, array: NumberArray): unknown => image.need(array),
      (image: PagedImage, array: NumberArray): unknown => image.load([array]),
    ]) {
      const image = opened(path);
      const file = readdirSync('/proc/self/fd').find((one) => linkedTo(`/proc/self/fd/${one}`) === path);
      closeSync(Number(file));
      const reading = async (): Promise<unknown> => read(image, arrayIn(image, 'words.long'));
      await expect(reading()).rejects.toThrow(DamagedImageError);
    }
  });

  test('stays as it was where a new one cannot be written', () => {
    expect(() => writeImage(scratchFile('none/image'), 'stamp', TREE)).toThrow(/ENOENT/);
  });
});
