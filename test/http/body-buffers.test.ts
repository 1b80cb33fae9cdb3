import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Body, wholeOf } from '../../src/http/call.js';
import { BodyBuffers } from '../../src/http/node-call.js';

/** Texts of all kinds: ASCII, other scripts, beyond the basic plane, halves of pairs. */
const text = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const body = fc.oneof(text, fc.record({ before: text, items: fc.array(text), after: text }));

test('bytes are those of the whole text in UTF-8, whatever was in the buffer before', () => {
  const buffers = new BodyBuffers();
  fc.assert(
    fc.property(body, fc.boolean(), (asked, reusable) => {
      const { bytes, lent } = buffers.encode(asked, reusable);
      expect(bytes.equals(Buffer.from(wholeOf(asked)))).toBe(true);
      if (lent !== undefined) buffers.giveBack(lent);
    }),
  );
});

test('a buffer is not used for another body before it was given back', () => {
  const buffers = new BodyBuffers();
  const bodies = Array.from({ length: 500 }, (_, i): Body => ({ before: '[', items: [String(i), 'ü'], after: ']' }));
  const encoded = bodies.map((one) => buffers.encode(one, true));
  expect(encoded.map(({ bytes }) => bytes.toString())).toEqual(bodies.map(wholeOf));
  const lent = encoded.map((one) => one.lent).filter((buffer) => buffer !== undefined);
  expect(new Set(lent).size).toBe(lent.length);
  for (const buffer of lent) buffers.giveBack(buffer);
  expect(lent).toContain(buffers.encode(bodies[0] as Body, true).lent);
});

test('no buffer is lent for a body that may not fit, nor where nobody gives it back', () => {
  const buffers = new BodyBuffers();
  const long = { before: '[', items: Array<string>(100).fill('語'.repeat(1000)), after: ']' };
  expect(buffers.encode(long, true)).toEqual({ bytes: Buffer.from(wholeOf(long)), lent: undefined });
  expect(buffers.encode({ before: '[', items: ['1'], after: ']' }, false).lent).toBeUndefined();
});
