import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  differingValues,
  SIGNATURE_RULES,
  SKETCH_BYTES,
  signatureOf,
} from '../../../src/store/copies/text-signature.js';

describe('the signature of a text', () => {
  test('estimates which share of the runs of three words two texts have in common', () => {
    const word = fc.nat(5000).map((number) => `w${number}`);
    const anyText = fc.array(word, { minLength: 150, maxLength: 400 });
    const kept = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(anyText, anyText, kept, (a, other, percent) => {
        const b = [...a.slice(0, (a.length * percent) / 100), ...other];
        // Five standard deviations of 128 draws.
        expect(Math.abs(similarity(a.join(' '), b.join(' ')) - jaccard(a, b))).toBeLessThan(0.23);
      }),
    );
  });

  test.each([
    ['case', 'Release Notes, from the log', 'release notes, from THE LOG'],
    ['punctuation and white space', '# Notes\n\n- from *the* log!', 'notes from the   log'],
    ['case outside ASCII', 'Über Ärger und ΣΑΣ', 'über ärger und σασ'],
    ['a mark that stands alone', 'one + two # three', 'one two three'],
  ])('does not depend on %s', (_, a, b) => {
    expect(of(a)).toEqual(of(b));
  });

  test.each([
    ['the order of words', 'one two three four', 'four three two one'],
    ['a language that ends with a mark', 'written in C today', 'written in C++ today'],
    ['a character of Chinese', '生成发布说明文档', '生成发布说明文件'],
    ['a character outside the basic plane', 'the 𠀀 of it', 'the 𠀁 of it'],
    ['a word more', 'one two three', 'one two three four'],
  ])('depends on %s', (_, a, b) => {
    expect(of(a).text).not.toBe(of(b).text);
    expect(of(a).sketch).not.toEqual(of(b).sketch);
  });

  test('counts characters of scripts without blanks as words', () => {
    expect(of('写发布说明 for Git').words).toBe(7);
    expect(of('🚀 one-two 3.5').words).toBe(4);
    expect(of('🚀 — …').words).toBe(0);
  });

  test('has the name without case, blanks and punctuation', () => {
    const nameOf = (name: string): number => signatureOf({ name, description: 'd', text: '' }).name;
    expect(nameOf('pdf-forms')).toBe(nameOf('PDF  Forms'));
    expect(nameOf('pdf-forms')).toBe(nameOf('pdf_forms'));
    expect(nameOf('c')).not.toBe(nameOf('c++'));
    expect(nameOf('pdf-forms')).not.toBe(nameOf('pdf-form'));
  });

  test('belongs to the version of the rules that made it', () => {
    const texts = [
      "The user's guide: C, C++ and C# – issue#12, a + b; e-mail, RÉSUMÉ, ΣΑΣ, 3.5 🚀",
      '数据分析 データをテストする サーバー 데이터 분석 การวิเคราะห์ ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ၊ \u{20000}',
      'one two three four five six seven eight nine ten '.repeat(20),
      'one two',
      '',
    ];
    const names = ['pdf-forms', 'PDF  Forms', 'C++', 'Straße', 'हिन्दी', '数据分析'];
    const made = names.flatMap((name) =>
      texts.map((text) => {
        const signature = signatureOf({ name, description: 'Reads PDF forms.', text });
        return [signature.name, signature.text, signature.words, [...signature.sketch]];
      }),
    );
    const hash = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16);

    // Does this fail? Then the same texts have other signatures than before: raise SIGNATURE_RULES, and put both
    // values here.
    expect([SIGNATURE_RULES, hash]).toEqual([2, '50e847f504afdf0a']);
  });

  test('of a skill without files is that of its description', () => {
    expect(signatureOf({ name: 'n', description: 'one two', text: 'one two' }).words).toBe(2);
    expect(signatureOf({ name: 'n', description: 'one two', text: 'three' }).words).toBe(3);
  });

  test('of a long text does not tell on the next', () => {
    const before = of('one two three');
    of('long '.repeat(10_000));
    expect(of('one two three')).toEqual(before);
  });
});

function of(text: string): ReturnType<typeof signatureOf> {
  const signature = signatureOf({ name: 'n', description: text, text });
  return { ...signature, sketch: signature.sketch.slice() };
}

function similarity(a: string, b: string): number {
  const sketches = Uint8Array.from([...of(a).sketch, ...of(b).sketch]);
  return 1 - differingValues(sketches, 0, 1, SKETCH_BYTES) / SKETCH_BYTES;
}

function jaccard(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [shingles(a), shingles(b)];
  return [...left].filter((one) => right.has(one)).length / new Set([...left, ...right]).size;
}

function shingles(words: readonly string[]): Set<string> {
  return new Set(words.slice(2).map((_, i) => words.slice(i, i + 3).join(' ')));
}
