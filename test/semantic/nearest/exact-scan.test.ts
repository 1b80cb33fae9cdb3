import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../../src/core/index.js';
import {
  addToMean,
  emptyCodes,
  encode,
  scanCodes,
  type VectorCodes,
  type VectorSet,
} from '../../../src/semantic/nearest/vector-codes.js';
import { ScanThread } from '../../../src/semantic/nearest/vector-index.js';
import { cosineOf, exactNearest, questionNear, randomVectors, recallOf } from './random-vectors.js';

function scan(...asked: Parameters<typeof scanCodes>): Uint32Array {
  return allPieces(scanCodes(...asked));
}

describe('codes', () => {
  test('keep each value within half of their unit, and whether it is above the mean', () => {
    const vectors = randomVectors(50, 45);
    const { bytes, scales, signs, mean } = codesOf(vectors);
    for (let place = 0; place < 50; place++) {
      for (let i = 0; i < 45; i++) {
        const value = vectors.values[place * 45 + i] as number;
        const scale = scales[place] as number;
        expect(Math.abs((bytes[place * 45 + i] as number) * scale - value)).toBeLessThanOrEqual(scale * 0.501);
        expect(((signs[place * 2 + (i >> 5)] as number) >>> (i & 31)) & 1).toBe(value > (mean[i] as number) ? 1 : 0);
      }
    }
  });

  test('of a vector of zeros are zeros', () => {
    const { bytes, scales } = codesOf({ dimensions: 4, keys: Float64Array.of(1), values: new Float32Array(4) });
    expect([...bytes, ...scales]).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('a scan of codes', () => {
  test('comes in pieces, between which something else can be done', () => {
    const few = [...scanCodes(codesOf(randomVectors(20_000, 8)), randomVectors(1, 8).values, 10)];
    expect(few.length).toBeGreaterThan(10);
    // Of so many dimensions most vectors are left to the signs.
    const many = [...scanCodes(codesOf(randomVectors(40_000, 64)), randomVectors(1, 64).values, 10)];
    expect(many.length).toBeGreaterThan(15);
  });

  test('finds nearly all of what a scan of the vectors themselves finds', () => {
    const vectors = randomVectors(12_000, 96);
    const codes = codesOf(vectors);
    let recall = 0;
    for (let i = 0; i < 20; i++) {
      const query = questionNear(vectors, i * 577);
      recall += recallOf(scan(codes, query, 100), exactNearest(vectors, query, 10)) / 20;
    }
    expect(recall).toBeGreaterThanOrEqual(0.99);
  });

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

  test('finds what a mask leaves, also where the mask leaves more than its first pass lets through', () => {
    const vectors = randomVectors(12_000, 64);
    const mask = Uint8Array.from({ length: 12_000 }, (_, place) => (place % 2 === 0 ? 1 : 0));
    const query = questionNear(vectors, 4321);
    const found = scan(codesOf(vectors), query, 100, mask);
    expect(found).toHaveLength(100);
    expect([...found].filter((place) => place % 2 === 1)).toEqual([]);
    const expected = exactNearest(vectors, query, 10, (place) => place % 2 === 0);
    expect(recallOf(found, expected)).toBeGreaterThanOrEqual(0.9);
  });

  test('puts equal vectors in the order of their places', () => {
    const one = randomVectors(1, 8).values;
    const values = new Float32Array(9000 * 8);
    for (let place = 0; place < 9000; place++) values.set(one, place * 8);
    const vectors = { dimensions: 8, keys: Float64Array.from({ length: 9000 }, (_, i) => i + 1), values };
    expect([...scan(codesOf(vectors), one, 5)]).toEqual([0, 1, 2, 3, 4]);
  });

  test('finds nothing among no vectors, and all where more are wanted than there are', () => {
    expect([...scan(emptyCodes(0, 8), randomVectors(1, 8).values, 10)]).toEqual([]);
    expect(scan(codesOf(randomVectors(3, 8)), randomVectors(1, 8).values, 10)).toHaveLength(3);
  });
});

describe('a scan in a thread', () => {
  test('finds the same, one question after the other', async () => {
    const vectors = randomVectors(5000, 40);
    const codes = codesOf(vectors);
    const mask = Uint8Array.from({ length: 5000 }, (_, place) => (place % 3) & 1);
    const thread = new ScanThread(codes);
    const queries = Array.from({ length: 20 }, (_, i) => questionNear(vectors, i));
    const found = await Promise.all(
      queries.map((query, i) => thread.scan(query, 10 + i, i % 2 === 0 ? mask : undefined)),
    );
    expect(found).toEqual(queries.map((query, i) => scan(codes, query, 10 + i, i % 2 === 0 ? mask : undefined)));
    await thread.close();
  });

  test('fails what waits when it is closed, and what comes after', async () => {
    const vectors = randomVectors(2000, 40);
    const thread = new ScanThread(codesOf(vectors));
    const waiting = thread.scan(questionNear(vectors, 0), 10);
    waiting.catch(() => {});
    await thread.close();
    await expect(waiting).rejects.toThrow('ended');
    await expect(thread.scan(questionNear(vectors, 0), 10)).rejects.toThrow('ended');
  });
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

function codesOf({ keys, dimensions, values }: VectorSet): VectorCodes {
  const codes = emptyCodes(keys.length, dimensions);
  addToMean(codes, values, 0, keys.length);
  encode(codes, values, 0, keys.length);
  return codes;
}
