import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, isWithinEdits } from '../../../src/keyword/edit-distance.js';

const word = (letters: string): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 0, maxLength: 14 });

/** A word, and another made of it by a few edits or by chance. */
const pairs = fc.oneof(
  fc.tuple(word('ab'), word('ab')),
  fc
    .tuple(word('abc'), fc.array(fc.tuple(fc.nat(3), fc.nat(14), word('abc')), { maxLength: 3 }))
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

test('says of any two words whether one is at most one or two edits away from the other', () => {
  fc.assert(
    fc.property(pairs, fc.constantFrom(1, 2), ([a, b], limit) => {
      const bytes = Buffer.from(`xx${b}yy`);
      const found = isWithinEdits(Buffer.from(a), bytes, 2, 2 + b.length, limit);
      expect(found, `${a} ${b} ${limit}`).toBe(editDistance(a, b, limit) <= limit);
    }),
    { numRuns: 3000 },
  );
});

test('takes words of the greatest length there is', () => {
  const long = 'ab'.repeat(32);
  const bytes = Buffer.from(`x${long.slice(1)}`);
  expect(isWithinEdits(Buffer.from(long), bytes, 0, bytes.length, 2)).toBe(true);
  expect(isWithinEdits(Buffer.from(`zz${long.slice(2)}`), bytes, 0, bytes.length, 1)).toBe(false);
});
