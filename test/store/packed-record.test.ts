import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BesideRecord, fieldsOf, packRecord, unpackRecord } from '../../src/store/packed.js';

/** The record and the columns of a skill. */
function skillOf(fields: Readonly<Record<string, string>>, place: string): { record: string; beside: BesideRecord } {
  const {
    id = 'i',
    name = 'n',
    author = 'a',
    description = 'd',
    codehostUrl = 'unknown',
    skillUrl = 'unknown',
  } = fields;
  const [stars, updatedAt] = [7, 1_700_000_000];
  const record = JSON.stringify({ id, name, author, description, codehostUrl, skillUrl, stars, updatedAt });
  return { record, beside: { id, stars, updatedAt, place } };
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.stringMatching(/^[\u0000-\u0005\u001f"\\,{}:a-c\n]*$/),
  fc.constantFrom(
    '","author":"',
    '"',
    '\\',
    '","stars":',
    '\u001f',
    '\u0001',
    'https://github.com/o/r/tree/HEAD/p',
    '',
  ),
);
const place = fc.oneof(
  text,
  fc.constantFrom(
    'o/r',
    'o/r/p',
    'o/r#n',
    'o/r/p\u001f../p',
    '\u001f0123456789abcdef0123456789abcdef\u001fp',
    'o',
    '/',
  ),
);
const address = fc.oneof(
  text,
  fc.constantFrom('https://github.com/o/r', 'https://github.com/o/r/tree/HEAD', 'https://github.com/o/r/tree/main/p'),
  text.map((id) => `https://skills.example/${id}`),
);

test('a packed record is the record that it was, whatever its texts say', () => {
  const fields = fc.record({
    id: text,
    name: text,
    author: text,
    description: text,
    codehostUrl: address,
    skillUrl: address,
  });
  fc.assert(
    fc.property(fields, place, (texts, of) => {
      const { record, beside } = skillOf(texts, of);
      const stored = packRecord(record, beside);
      expect(unpackRecord(stored, beside)).toBe(record);
      expect(fieldsOf(stored, beside)).toEqual(JSON.parse(record));
      expect(stored.length).toBeLessThanOrEqual(record.length);
    }),
  );
});

test('a record that was stored unpacked is read as it is', () => {
  const { record, beside } = skillOf({ description: 'says "no"' }, 'o/r');
  expect(unpackRecord(record, beside)).toBe(record);
  expect(fieldsOf(record, beside)).toEqual(JSON.parse(record));
});

test.each([
  ['the path of its place', 'https://github.com/o/r/tree/HEAD/skills/x', 'o/r/skills/x'],
  ['a repository', 'https://github.com/o/r/tree/HEAD', 'o/r#x'],
  ['another branch', 'https://github.com/o/r/tree/next/skills/x', 'o/r/skills/x'],
])('an address on GitHub is not stored again: %s', (_, codehostUrl, of) => {
  const { record, beside } = skillOf({ codehostUrl, id: 'o-r-x', skillUrl: 'https://skills.example/o-r-x' }, of);
  const stored = packRecord(record, beside);
  expect(stored).not.toMatch(/github|o-r-x/);
  expect(unpackRecord(stored, beside)).toBe(record);
});
