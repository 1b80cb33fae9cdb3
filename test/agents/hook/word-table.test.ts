import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WordTable, wordsIn } from '../../../src/agents/hook/word-table.js';

describe('the words of a text', () => {
  test('are in lower case, each once, without numbers and signs', () => {
    expect([...wordsIn('Fill the form: fill 12 forms, no_2!')]).toEqual(['fill', 'the', 'form', 'forms', 'no_2']);
    expect(wordsIn('12 + 7').size).toBe(0);
  });
});

describe('the table of words', () => {
  const table = WordTable.read();
  const cosine = (a: string, b: string): number => {
    const [of, other] = [table.vectorOf(a), table.vectorOf(b)];
    return of.reduce((sum, value, i) => sum + value * other[i]!, 0);
  };

  test('has vectors of unit length, which depend on neither case, order nor repetition', () => {
    expect(Math.hypot(...table.vectorOf('cook a meal'))).toBeCloseTo(1);
    expect(cosine('Meal: cook a meal', 'cook a MEAL')).toBeCloseTo(1);
  });

  test('brings texts about one matter near each other, without a word in common', () => {
    const other = cosine('what shall we eat for dinner', 'configures routers and firewalls');
    expect(cosine('what shall we eat for dinner', 'recipes and cooking of meals')).toBeGreaterThan(other + 0.2);
  });

  test('reads words as they are told from each other elsewhere', () => {
    const oneByOne = (text: string): Float32Array => {
      const joined = [...wordsIn(text)].join(' ');
      return table.vectorOf(joined);
    };
    for (const text of [
      'Fill 12forms_of PDF-files, naïve “tables” — and café_data2 for 東京 maps',
      '_leading 3d x1 É école; ALL CAPS Words words',
    ]) {
      expect(table.vectorOf(text), text).toEqual(oneByOne(text));
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(table.vectorOf(text)).toEqual(oneByOne(text));
      }),
    );
  });

  test('says nothing of words that it does not know', () => {
    expect(table.vectorOf('xqzvy')).toEqual(new Float32Array(64));
    expect(table.vectorOf('')).toEqual(new Float32Array(64));
    expect(table.vectorOf('a meal xqzvy')).toEqual(table.vectorOf('a meal'));
  });
});
