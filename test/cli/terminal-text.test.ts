import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manyLines, oneLine } from '../../src/cli/output.js';

describe('text of a catalogue', () => {
  test('becomes one line without anything that a terminal acts on', () => {
    expect(oneLine('  a\n\u001b[31mb\u009b\t\u202ec\u2028d  ')).toBe('a [31mb c d');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(oneLine(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u);
      }),
    );
  });

  test('over several lines keeps these and nothing else that a terminal acts on', () => {
    expect(manyLines('a\r\n\tb\u001b[2J\rc\u202e \n')).toBe('a\n  b [2J\nc\n');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(manyLines(text)).not.toMatch(/[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u);
      }),
    );
  });
});
