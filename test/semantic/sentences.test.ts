import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentencesOf } from '../../src/semantic/embedder.js';

describe('the sentences of a question', () => {
  test('are those of three words or more', () => {
    expect(sentencesOf('Hello there! Fill in my tax form. Then send it to the office by mail. Thanks!')).toEqual([
      'Fill in my tax form.',
      'Then send it to the office by mail.',
    ]);
  });

  test('may stand on lines of their own', () => {
    expect(sentencesOf('fill in my tax form\nsend it to the office')).toEqual([
      'fill in my tax form',
      'send it to the office',
    ]);
  });

  test('are none where there is one only', () => {
    expect(sentencesOf('Fill in my tax form.')).toEqual([]);
    expect(sentencesOf('Fill in node.js version 20.1 forms, e.g. of Acme')).toEqual([]);
    expect(sentencesOf('react')).toEqual([]);
  });

  test('end where Unicode says, whatever character stands between', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
    const wrong: string[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      const text = `Fill in my form${String.fromCharCode(code)} Then send it there`;
      const expected = [...segmenter.segment(text)].map(({ segment }) => segment.trim());
      if (sentencesOf(text).join('|') !== (expected.length > 1 ? expected.join('|') : ''))
        wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('are those that the system tells apart, whatever ends them', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
    const end = fc.constantFrom(
      '. ',
      '.',
      '! ',
      '?\n',
      '\r\n',
      '\u0085',
      '\u2028',
      '。',
      '．',
      '︒',
      '․ ',
      '﹒ ',
      ', ',
      '; ',
    );
    const sentence = fc.constantFrom(
      'Fill in my form',
      'send it off now',
      'one two three',
      'Hello',
      'e.g. of all that',
      '',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(sentence, end), { maxLength: 6 }), (parts) => {
        const question = parts.flat().join('');
        const all = Array.from(segmenter.segment(question), ({ segment }) => segment.trim());
        const long = all.filter((one) => one.split(/\s+/u).length >= 3);
        expect(sentencesOf(question)).toEqual(long.length < 2 ? [] : long);
      }),
    );
  });

  test('are eight at most', () => {
    expect(sentencesOf('This is a sentence. '.repeat(50))).toHaveLength(8);
  });
});
