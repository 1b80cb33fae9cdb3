import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptDocuments } from '../../../src/store/read/catalogue-reader.js';

const SLOTS = 8192;

test('each slot gives the document that was kept there last, and no other', () => {
  // Few slots, each with several documents.
  const document = fc.tuple(fc.nat(3), fc.nat(3)).map(([slot, turn]) => slot + turn * SLOTS);
  const length = fc.constantFrom(0, 2048, 2049);
  fc.assert(
    fc.property(fc.array(fc.tuple(document, length)), document, (steps, asked) => {
      const kept = new KeptDocuments<string>();
      for (const [i, [one, characters]] of steps.entries()) kept.keep(one, `${one} at ${i}`, characters);
      const short = steps
        .map(([one, characters], i) => ({ one, characters, i }))
        .filter((step) => step.characters <= 2048);
      const last = short.findLast(({ one }) => one % SLOTS === asked % SLOTS);
      expect(kept.get(asked)).toBe(last?.one === asked ? `${asked} at ${last.i}` : undefined);
    }),
  );
});
