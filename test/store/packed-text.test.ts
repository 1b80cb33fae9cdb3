import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packText, TEXT_DICTIONARY, textOf, unpackText } from '../../src/store/packed.js';

const RECORD = JSON.stringify({
  id: 'a',
  name: 'release-notes',
  author: 'ada',
  description: 'Writes "release notes" from the commits of a repository.\nUse when the user asks what has changed.',
  codehostUrl: 'unknown',
  skillUrl: 'unknown',
  stars: 0,
  updatedAt: 0,
});
const DESCRIPTION = (JSON.parse(RECORD) as { description: string }).description;
const TEXT = `---\nname: release-notes\ndescription: ${DESCRIPTION}\n---\n\n## Instructions\n\n1. Read the commits.\n`;

test('a packed text is the text that it was', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .array(fc.constantFrom('## Usage\n', 'ö', '釉', '\0', '\uFEFF', '\uD800', '🙂', TEXT, DESCRIPTION))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(textOf(packText(given, RECORD), RECORD)).toBe(given);
    }),
  );
});

test('packing makes a text shorter, or leaves it as it is', () => {
  expect((packText(TEXT, RECORD) as Buffer).length).toBeLessThan(TEXT.length / 3);
  for (const short of ['', 'a', 'Wear gloves.']) expect(packText(short, RECORD)).toBe(short);
  const random = createHash('sha512').update('x').digest('base64');
  expect(packText(random, RECORD)).toBe(random);
});

test('the description of a skill is not stored again as its text', () => {
  expect(packText(DESCRIPTION, RECORD)).toHaveLength(1);
});

test('a text of a mebibyte, and a record longer than what counts of it, can be packed', () => {
  const long = 'A sentence of which there are many. '.repeat(30_000);
  const record = RECORD.replace('release notes', 'ü'.repeat(5000));
  for (const of of [RECORD, record]) expect(textOf(packText(long, of), of)).toBe(long);
});

test('a text that repeats what is as far away as a small window is wide, or farther, comes back', () => {
  const random = createHash('sha512').update('far').digest('hex');
  for (const between of [5000, 10_000, 10_900, 11_000, 12_000, 16_000, 33_000]) {
    const text = `${TEXT}${random}${'- another line\n'.repeat(between / 15)}${random}${TEXT}`;
    expect(textOf(packText(text, RECORD), RECORD)).toBe(text);
  }
});

test('what is no packed text, or claims another length than it has, is none', () => {
  const packed = packText(TEXT, RECORD) as Buffer;
  const shorter = Buffer.from(packed);
  shorter.writeUIntLE(10, 1, 3);
  const longer = Buffer.from(packed);
  longer.writeUIntLE(2 ** 24 - 1, 1, 3);
  const bomb = Buffer.concat([Buffer.of(1, 100, 0, 0), deflateRawSync(Buffer.alloc(2 ** 24))]);
  const others = [
    Buffer.alloc(0),
    Buffer.of(1),
    Buffer.of(9, 9, 9, 9, 9),
    packed.subarray(0, -3),
    shorter,
    longer,
    bomb,
  ];
  for (const stored of others) expect(unpackText(stored, RECORD)).toBeUndefined();
});

test('the dictionary is the one that stored texts were packed with', () => {
  expect(createHash('sha256').update(TEXT_DICTIONARY).digest('hex')).toBe(
    '6200e047e2bf9093baec9adf0b392a2e046f32323ae1eeae276508882f769744',
  );
});
