import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentVectors } from '../../src/search/nearest-documents.js';

const DIMENSIONS = 3;

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function cosineOf(a: readonly number[], b: readonly number[]): number {
  return unit(a).reduce((sum, value, i) => sum + value * unit(b)[i]!, 0);
}

const vector = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((values) => values.some((value) => value !== 0));

/** Some vectors, and documents that each have one of them or none; several may have the same. */
const documents = fc.array(vector, { minLength: 1, maxLength: 5 }).chain((vectors) =>
  fc.record({
    vectors: fc.constant(vectors),
    indexes: fc.array(fc.option(fc.nat(vectors.length - 1), { nil: undefined }), { minLength: 1, maxLength: 8 }),
  }),
);

function vectorsOf(vectors: readonly (readonly number[])[], indexes: readonly (number | undefined)[]): DocumentVectors {
  const values = vectors.map((one) => Float32Array.from(unit(one)));
  const vectorOf = new Map(
    indexes.flatMap((index, document) => (index === undefined ? [] : [[document, values[index]!]])),
  );
  return new DocumentVectors({ dimensions: DIMENSIONS, vectorOf, damaged: [] });
}

describe('the vectors of some documents', () => {
  test('have the cosines with any others that a calculation by hand has, in the order of these', () => {
    fc.assert(
      fc.property(documents, fc.array(vector, { maxLength: 3 }), ({ vectors, indexes }, others) => {
        const found = vectorsOf(vectors, indexes).cosines(others.map((other) => Float32Array.from(unit(other))));
        for (const [document, index] of indexes.entries()) {
          const expected = index === undefined ? undefined : others.map((other) => cosineOf(vectors[index]!, other));
          expect(found.get(document)).toEqual(expected?.map((cosine) => expect.closeTo(cosine, 5)));
        }
      }),
    );
  });

  test('have the mean that a calculation by hand has, of unit length; documents without one do not count', () => {
    const weights = fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(documents, weights, ({ vectors, indexes }, weightOf) => {
        const mean = vectorsOf(vectors, indexes).mean(new Map(indexes.map((_, i) => [i, weightOf[i]!])));
        const sum = [0, 0, 0];
        for (const [document, index] of indexes.entries()) {
          if (index === undefined) continue;
          for (const [i, value] of unit(vectors[index]!).entries()) sum[i]! += weightOf[document]! * value;
        }
        // A shorter one loses most of its digits.
        fc.pre(Math.hypot(...sum) > 0.01 || sum.every((value) => value === 0));
        const expected = sum.every((value) => value === 0) ? undefined : unit(sum);
        expect(mean && [...mean]).toEqual(expected?.map((value) => expect.closeTo(value, 4)));
      }),
    );
  });

  test('have no mean where they cancel out, and where there are none', () => {
    const both = new Map([
      [0, 1],
      [1, 1],
    ]);
    expect(
      vectorsOf(
        [
          [1, 2, 3],
          [-1, -2, -3],
        ],
        [0, 1],
      ).mean(both),
    ).toBeUndefined();
    expect(vectorsOf([[1, 2, 3]], [undefined, undefined]).mean(both)).toBeUndefined();
    expect(vectorsOf([[1, 2, 3]], [0]).mean(new Map())).toBeUndefined();
    const none = { dimensions: 0, vectorOf: new Map(), damaged: [] };
    expect(new DocumentVectors(none).mean(both)).toBeUndefined();
  });
});
