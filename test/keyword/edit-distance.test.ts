import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithinEdits, unitsOf } from '../../src/keyword/index.js';
import { plainEditDistance } from './naive-keyword-search.js';

const word = (letters: string): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 0, maxLength: 12 });

/** A word, and another made of it by a few edits or by chance. */
const pairs = fc.oneof(
  fc.tuple(word('abé'), word('abé')),
  fc
    .tuple(word('abc'), fc.array(fc.tuple(fc.nat(3), fc.nat(12), word('abc')), { maxLength: 3 }))
    .map(([text, edits]) => {
      let edited = text;
      for (const [kind, at, [letter = 'c']] of edits) {
        const [head, tail] = [edited.slice(0, at), edited.slice(at)];
        if (kind === 0) edited = head + letter + tail;
        else if (kind === 1) edited = head + tail.slice(1);
        else if (kind === 2) edited = head + letter + tail.slice(1);
        else edited = head + (tail[1] ?? '') + (tail[0] ?? '') + tail.slice(2);
      }
      return [text, edited] as [string, string];
    }),
);

test('words are within as many edits as the definition of the edit distance says, as letters and as units', () => {
  fc.assert(
    fc.property(pairs, fc.constantFrom(1, 2), ([a, b], limit) => {
      const isWithin = plainEditDistance(a, b) <= limit;
      expect(isWithinEdits(unitsOf(a), unitsOf(`xx${b}yy`), 2, 2 + b.length, limit), `${a} ${b}`).toBe(isWithin);
      fc.pre(!`${a}${b}`.includes('é'));
      expect(isWithinEdits(Buffer.from(a), Buffer.from(b), 0, b.length, limit), `${a} ${b}`).toBe(isWithin);
    }),
    { numRuns: 500 },
  );
});

test('words of the greatest length there is are compared', () => {
  const long = 'ab'.repeat(32);
  const bytes = Buffer.from(`x${long.slice(1)}`);
  expect(isWithinEdits(Buffer.from(long), bytes, 0, bytes.length, 2)).toBe(true);
  expect(isWithinEdits(Buffer.from(`zz${long.slice(2)}`), bytes, 0, bytes.length, 1)).toBe(false);
});
