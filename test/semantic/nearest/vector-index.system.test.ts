import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces, type VectorSet, writeArrayFile } from '../../../src/core/index.js';
import { buildVectorFiles, vectorFilesAreCurrent } from '../../../src/semantic/index.js';
import { encodeVectors, scanCodes, type VectorCodes } from '../../../src/semantic/nearest/vector-codes.js';
import { readVectorFile, type VectorFile } from '../../../src/semantic/nearest/vector-files.js';
import { VectorIndex } from '../../../src/semantic/nearest/vector-index.js';
import { filesBeside as filePaths } from '../../../src/store/files.js';
import { filesBeside, traceOf } from '../../catalogue-file.js';
import { scratchFile } from '../../scratch-folder.js';
import { cosineOf, exactNearest, questionNear, randomVectors, recallOf } from './random-vectors.js';

const STATE = { stamp: 'stamp', model: 'model' };

describe('the index of nearest vectors', () => {
  test('is written beside the catalogue and finds what the vectors in memory find', async () => {
    const { catalogue, vectors } = await built(randomVectors(500, 40));
    expect(filesBeside(catalogue).toSorted()).toEqual(['skills.db.vectors']);
    const index = await opened(catalogue);
    const inMemory = await VectorIndex.fromVectors(vectors);
    expect(index.keys).toEqual(vectors.keys);
    for (let place = 0; place < 500; place += 50) {
      const query = questionNear(vectors, place);
      expect(await index.nearest(query, 20)).toEqual(await inMemory.nearest(query, 20));
      expect((await index.nearest(query, 20))[0]).toBe(place);
    }
  });

  test('has no graph where it would not fit memory, and scans', async () => {
    const { catalogue, vectors } = await built(randomVectors(3000, 48), { graphFrom: 1000, graphBytes: 1_000_000 });
    expect(filesBeside(catalogue).toSorted()).toEqual(['skills.db.vectors']);
    const state = { files: filePaths(catalogue), ...STATE, graphFrom: 1000 };
    expect(await vectorFilesAreCurrent({ ...state, graphBytes: 1_000_000 })).toBe(true);
    expect(await vectorFilesAreCurrent(state)).toBe(false);
    const index = await opened(catalogue);
    const inMemory = await VectorIndex.fromVectors(vectors);
    const query = questionNear(vectors, 700);
    expect(index.hasGraph).toBe(false);
    expect(await index.nearest(query, 20)).toEqual(await inMemory.nearest(query, 20));
  });

  test('knows which skill has which vector if the file says it', async () => {
    const links = { skills: Float64Array.of(2, 5, 9), places: Uint32Array.of(499, 0, 499) };
    const { catalogue } = await built(randomVectors(500, 40), { links });
    for (const graph of [true, false]) {
      const index = await VectorIndex.open({ files: filePaths(catalogue), ...STATE, graph });
      expect({ ...index!.links }).toEqual(links);
    }
  });

  test.each<[string, NonNullable<VectorFile['links']>]>([
    ['leads to no vector', { skills: Float64Array.of(1), places: Uint32Array.of(500) }],
    ['is of no order', { skills: Float64Array.of(2, 1), places: Uint32Array.of(0, 1) }],
    ['is not whole', { skills: Float64Array.of(1, 2), places: Uint32Array.of(0) }],
  ])('is not opened from a file in which what a skill has %s', async (_, links) => {
    const { catalogue } = await built(randomVectors(500, 40), { links });
    expect(await VectorIndex.open({ files: filePaths(catalogue), ...STATE })).toBeUndefined();
  });

  test('gives the vectors of several graphs in the order of all, each once, as many as are wanted', async () => {
    const { catalogue, vectors } = await built(randomVectors(2000, 32), { graphFrom: 1000, slices: 4 });
    const index = await opened(catalogue);
    for (const k of [1, 2, 10, 100, 1500]) {
      const query = questionNear(vectors, k);
      const found = await index.nearest(query, k);
      expect(found).toHaveLength(k);
      expect(new Set(found).size).toBe(k);
      const cosines = [...found].map((place) => cosineOf(vectors, place, query));
      // hnswlib adds up in another order.
      for (let i = 1; i < k; i++) expect(cosines[i]!).toBeLessThanOrEqual(cosines[i - 1]! + 1e-5);
    }
  });

  test('lets a mask pass what it leaves, with a graph or without', async () => {
    const { catalogue, vectors } = await built(randomVectors(2000, 32), { graphFrom: 1000 });
    const index = await opened(catalogue);
    for (const every of [1, 3, 10, 100, 1999]) {
      const allows = (place: number): boolean => place % every === 0;
      const mask = Uint8Array.from({ length: 2000 }, (_, place) => (allows(place) ? 1 : 0));
      const query = questionNear(vectors, 600);
      const found = await index.nearest(query, 50, mask);
      expect([...found].filter((place) => !allows(place))).toEqual([]);
      expect(found).toHaveLength(Math.min(50, Math.ceil(2000 / every)));
      const expected = exactNearest(vectors, query, 10, allows);
      expect(recallOf(found, expected)).toBeGreaterThanOrEqual(0.9);
    }
    expect(await index.nearest(questionNear(vectors, 0), 5, new Uint8Array(2000))).toHaveLength(0);
  });
});

describe('a graph', () => {
  test('is brought up to date by what was added and taken away', async () => {
    const keys = Array.from({ length: 2000 }, (_, i) => i * 3 + 1);
    const { catalogue } = await built(randomVectors(keys, 32), { graphFrom: 1000 });
    const later = [...keys.filter((key) => key % 20 !== 0), ...[7001, 7005, 7009]];
    const vectors = randomVectors(later, 32);
    const progress: [number, number][] = [];
    await build(catalogue, vectors, {
      stamp: 'later',
      graphFrom: 1000,
      onProgress: (done, total) => progress.push([done, total]),
    });
    expect(progress.at(-1)).toEqual([3, 3]);
    const index = await opened(catalogue, 'later');
    expect(index.hasGraph).toBe(true);
    expect(await meanRecall(index, vectors)).toBeGreaterThanOrEqual(0.99);
    for (const key of [7001, 7005, 7009]) {
      const place = later.indexOf(key);
      expect((await index.nearest(questionNear(vectors, place), 5))[0]).toBe(place);
    }
  });

  test('of another catalogue that stood in the same place is not gone on with', async () => {
    const { catalogue } = await built(randomVectors(1500, 48, 1), { graphFrom: 1000 });
    const vectors = randomVectors(1500, 48, 2);
    const totals: number[] = [];
    const onProgress = (_: number, total: number): unknown => totals.push(total);
    await build(catalogue, vectors, { stamp: 'second', graphFrom: 1000, onProgress });
    expect(totals.at(-1)).toBe(1500);
    expect(await meanRecall(await opened(catalogue, 'second'), vectors)).toBeGreaterThanOrEqual(0.99);
  });

  test('finds vectors that were deleted and are back, as in a copy that was put back', async () => {
    const all = randomVectors(1500, 48);
    const { catalogue } = await built(all, { graphFrom: 1000 });
    const keys = [...all.keys].filter((key) => key % 10 !== 0);
    await build(catalogue, randomVectors(keys, 48), { graphFrom: 1000 });
    await build(catalogue, all, { graphFrom: 1000 });
    const index = await opened(catalogue);
    expect(index.hasGraph).toBe(true);
    for (let place = 9; place < 1500; place += 100) {
      expect((await index.nearest(questionNear(all, place), 100)).includes(place)).toBe(true);
    }
  });

  test('is built anew where much was taken away, or the model is another', async () => {
    const { catalogue } = await built(randomVectors(2000, 32), { graphFrom: 1000 });
    const totals: number[] = [];
    const onProgress = (_: number, total: number): unknown => totals.push(total);
    const half = Array.from({ length: 1100 }, (_, i) => i + 1);
    await build(catalogue, randomVectors(half, 32), { stamp: 'half', graphFrom: 1000, onProgress });
    expect(totals.at(-1)).toBe(1100);
    await build(catalogue, randomVectors(half, 32, 2), { stamp: 'x', model: 'other', graphFrom: 1000, onProgress });
    expect(totals.at(-1)).toBe(1100);
    expect(await VectorIndex.open({ files: filePaths(catalogue), stamp: 'x', model: 'model' })).toBeUndefined();
  });
});

describe('derived files', () => {
  test('in which a byte was changed, or that were cut off, are not believed', async () => {
    const { catalogue } = await built(randomVectors(20, 8));
    const path = `${catalogue}.vectors`;
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 0x10;
      writeFileSync(path, changed);
      expect([at, await VectorIndex.open({ files: filePaths(catalogue), ...STATE })]).toEqual([at, undefined]);
    }
    for (const length of [0, 5, 16, 100, whole.length - 1]) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      expect(await VectorIndex.open({ files: filePaths(catalogue), ...STATE })).toBeUndefined();
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.from('more')]));
    expect(await VectorIndex.open({ files: filePaths(catalogue), ...STATE })).toBeUndefined();
  });

  test.each<[string, (file: VectorFile) => object]>([
    ['more vectors than keys', ({ keys, codes }) => ({ keys, codes: { ...codes, count: 300_000_000 } })],
    ['fewer vectors than keys', ({ keys, codes }) => ({ keys, codes: { ...codes, count: 1 } })],
    ['other dimensions', ({ keys, codes }) => ({ keys, codes: { ...codes, dimensions: 7 } })],
    ['no keys', ({ codes }) => ({ codes })],
    ['no codes', ({ keys }) => ({ keys })],
    ['keys of another type', ({ keys, codes }) => ({ keys: Float32Array.from(keys), codes })],
    ['checksums of graphs that are no numbers', (file) => ({ ...file, graphs: { sizes: new Uint8Array(1) } })],
    ['keys that fall', ({ keys, codes }) => ({ keys: keys.toReversed(), codes })],
    ['keys that are no numbers', ({ keys, codes }) => ({ keys: keys.map(() => Number.NaN), codes })],
  ])('that have %s are not believed', async (_, change) => {
    const { catalogue } = await built(randomVectors(30, 8));
    const { vectors } = filePaths(catalogue);
    const file = (await readVectorFile(vectors, STATE))!;
    writeArrayFile(vectors, { kind: 'vectors', origin: { ...STATE } }, change(file));
    expect(await readVectorFile(vectors, STATE)).toBeUndefined();
    expect(await VectorIndex.open({ files: filePaths(catalogue), ...STATE })).toBeUndefined();
  });

  test('are read when they are needed beside a graph, and made anew where they are gone by then', async () => {
    const { catalogue, vectors } = await built(randomVectors(1500, 16), { graphFrom: 1000 });
    const mask = new Uint8Array(1500);
    mask[7] = 1;
    const read = await opened(catalogue);
    expect([...(await read.nearest(questionNear(vectors, 7), 5, mask))]).toEqual([7]);
    const [late, lost] = [
      await VectorIndex.open({ files: filePaths(catalogue), ...STATE }, async () => vectors),
      await VectorIndex.open({ files: filePaths(catalogue), ...STATE }),
    ];
    rmSync(`${catalogue}.vectors`);
    expect([...((await late?.nearest(questionNear(vectors, 7), 5, mask)) ?? [])]).toEqual([7]);
    await expect(lost?.nearest(questionNear(vectors, 7), 5, mask)).rejects.toThrow('can no longer be read');
  });

  test('whose graph is missing, damaged or of another build are scanned instead', async () => {
    const { catalogue, vectors } = await built(randomVectors(1500, 16), { graphFrom: 1000, slices: 2 });
    const path = `${catalogue}.vectors-graph`;
    const whole = readFileSync(path);
    const other = await built(randomVectors(1500, 16, 9), { graphFrom: 1000, slices: 2 });
    const damages: (() => void)[] = [
      () => rmSync(path),
      () => writeFileSync(path, whole.subarray(0, -1)),
      () => {
        const changed = Buffer.from(whole);
        changed[100_000] = (changed[100_000] as number) ^ 1;
        writeFileSync(path, changed);
      },
      () => renameSync(`${other.catalogue}.vectors-graph`, path),
      () => {
        writeFileSync(path, whole);
        rmSync(`${catalogue}.vectors-graph-2`);
      },
    ];
    for (const damage of damages) {
      damage();
      const index = await opened(catalogue);
      expect(index.hasGraph).toBe(false);
      expect(await meanRecall(index, vectors)).toBeGreaterThanOrEqual(0.99);
    }
    await build(catalogue, vectors, { graphFrom: 1000 });
    expect((await opened(catalogue)).hasGraph).toBe(true);
  });

  test('stay as they were when building is called off, and nothing is left beside them', async () => {
    const { catalogue } = await built(randomVectors(1200, 16), { graphFrom: 1000 });
    const before = filesBeside(catalogue).map((name) => traceOf(catalogue.replace(/skills\.db$/, name)));
    const reason = new Error('enough');
    const stop = new AbortController();
    const building = build(catalogue, randomVectors(6000, 64, 3), {
      stamp: 'later',
      graphFrom: 1000,
      signal: stop.signal,
      onProgress: () => stop.abort(reason),
    });
    await expect(building).rejects.toBe(reason);
    expect(filesBeside(catalogue).map((name) => traceOf(catalogue.replace(/skills\.db$/, name)))).toEqual(before);
    await expect(build(catalogue, randomVectors(1, 8), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('are current while nothing of them is missing, damaged or of another state', async () => {
    const { catalogue, vectors } = await built(randomVectors(1200, 16), { graphFrom: 1000 });
    const isCurrent = (more: Options = {}): Promise<boolean> =>
      vectorFilesAreCurrent({ files: filePaths(catalogue), ...STATE, graphFrom: 1000, ...more });
    expect(await isCurrent()).toBe(true);
    expect(await isCurrent({ stamp: 'other' })).toBe(false);
    expect(await isCurrent({ model: 'other' })).toBe(false);
    const graph = `${catalogue}.vectors-graph`;
    const whole = readFileSync(graph);
    writeFileSync(graph, whole.subarray(1));
    expect(await isCurrent()).toBe(false);
    rmSync(graph);
    expect(await isCurrent()).toBe(false);
    // As after a build where the package was not installed.
    await build(catalogue, vectors, { graphFrom: 5000 });
    expect([await isCurrent(), await isCurrent({ graphFrom: 5000 })]).toEqual([false, true]);
    rmSync(`${catalogue}.vectors`);
    expect(await isCurrent()).toBe(false);
  });
});

type Options = Partial<Parameters<typeof buildVectorFiles>[0]>;

async function built(vectors: VectorSet, options: Options = {}) {
  const catalogue = scratchFile('skills.db');
  await build(catalogue, vectors, options);
  return { catalogue, vectors };
}

function build(catalogue: string, vectors: VectorSet, options: Options = {}): Promise<void> {
  return buildVectorFiles({ files: filePaths(catalogue), vectors, ...STATE, ...options });
}

async function opened(catalogue: string, stamp = STATE.stamp): Promise<VectorIndex> {
  const index = await VectorIndex.open({ files: filePaths(catalogue), stamp, model: STATE.model });
  return index ?? expect.fail('the index cannot be opened');
}

/** Share of the true ten nearest among 100 candidates, over some questions. */
async function meanRecall(index: VectorIndex, vectors: VectorSet): Promise<number> {
  let sum = 0;
  let questions = 0;
  for (let place = 0; place < vectors.keys.length; place += 97) {
    const query = questionNear(vectors, place);
    sum += recallOf(await index.nearest(query, 100), exactNearest(vectors, query, 10));
    questions += 1;
  }
  return sum / questions;
}

describe('a scan of codes', () => {
  function scan(...asked: Parameters<typeof scanCodes>): Uint32Array {
    return allPieces(scanCodes(...asked));
  }

  test('does so where all vectors point one way, and where they have few dimensions', () => {
    for (const [dimensions, offset] of [
      [96, 0.4],
      [384, 0.3],
      [16, 0],
    ] as const) {
      const vectors = shifted(randomVectors(12_000, dimensions), offset);
      const codes = codesOf(vectors);
      let recall = 0;
      for (let i = 0; i < 10; i++) {
        const query = questionNear(vectors, i * 577);
        recall += recallOf(scan(codes, query, 100), exactNearest(vectors, query, 10)) / 10;
      }
      expect([dimensions, recall >= 0.99]).toEqual([dimensions, true]);
    }
  });

  test('finds exactly what it finds without its first pass, where all pass that', () => {
    const sets = fc.record({
      count: fc.nat(60),
      dimensions: fc.integer({ min: 1, max: 70 }),
      k: fc.integer({ min: 1, max: 70 }),
      seed: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(sets, fc.func(fc.boolean()), ({ count, dimensions, k, seed }, allowed) => {
        const vectors = randomVectors(count, dimensions, seed);
        const mask = Uint8Array.from({ length: count }, (_, place) => (allowed(place) ? 1 : 0));
        const query = randomVectors(1, dimensions, seed + 1).values;
        const found = scan(codesOf(vectors), query, k, mask);
        const places = [...mask.keys()].filter((place) => mask[place] === 1);
        expect(found).toHaveLength(Math.min(k, places.length));
        expect(new Set(found).size).toBe(found.length);
        for (const place of found) expect(mask[place]).toBe(1);
        // Bytes are not exact: what was left out may be nearer only by what they round.
        const cosine = (place: number): number => cosineOf(vectors, place, query);
        const least = Math.min(...[...found].map(cosine));
        for (const place of places) if (!found.includes(place)) expect(cosine(place)).toBeLessThan(least + 0.02);
      }),
      { numRuns: 200 },
    );
  });

  /** The same vectors with so much added to each value, of unit length again. */
  function shifted({ keys, dimensions, values }: VectorSet, offset: number): VectorSet {
    const moved = values.map((value) => value + offset);
    for (let at = 0; at < moved.length; at += dimensions) {
      const vector = moved.subarray(at, at + dimensions);
      const norm = Math.hypot(...vector);
      for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) / norm;
    }
    return { keys, dimensions, values: moved };
  }

  const codesOf = (vectors: VectorSet): VectorCodes => allPieces(encodeVectors(vectors));
});
