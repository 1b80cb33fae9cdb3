import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packText, textOf } from '../../src/store/packing.js';

const RECORD = '{"id":"a","name":"Release notes","description":"Writes release notes from the log of git"}';
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom('release ', 'notes ', 'git ', '中文', '😀', '\n'), { maxLength: 200 })
    .map((w) => w.join('')),
);

describe('a packed text', () => {
  test('comes back as it was, whatever the record', () => {
    fc.assert(
      fc.property(text, fc.string({ maxLength: 9000 }), (original, record) => {
        expect(textOf(packText(original, record), record)).toBe(original);
      }),
    );
  });

  test('refers to what the record says, and stays as it is where packing does not help', () => {
    const description = 'Writes release notes from the log of git, in the words of those who read them. ';
    const stored = packText(description, `{"description":"${description}"}`);
    expect(stored.length).toBeLessThan(20);
    expect(packText('short', RECORD)).toBe('short');
    const noise = Array.from({ length: 80 }, (_, i) => String.fromCharCode(0x100 + ((i * 7919) % 5000))).join('');
    expect(packText(noise, RECORD)).toBe(noise);
  });

  test('that is damaged is none, and takes no more memory than it says', () => {
    const stored = packText('release notes '.repeat(100), RECORD) as Buffer;
    fc.assert(
      fc.property(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(stored);
        damaged[at]! ^= change;
        expect(() => textOf(damaged, RECORD)).not.toThrow();
      }),
    );
    const bomb = Buffer.from(stored);
    bomb.writeUInt32LE(10);
    expect(textOf(bomb, RECORD)).toBeUndefined();
    expect(textOf(Buffer.alloc(3), RECORD)).toBeUndefined();
  });
});
