import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTokenizer, readWordPieces } from '../../src/core/index.js';
import { WordPieceTokenizer } from '../../src/core/tokenizer.js';
import { BUNDLED_MODEL } from '../../src/semantic/index.js';

type Json = Record<string, unknown>;

const read = (file: string): Json => JSON.parse(readFileSync(join(BUNDLED_MODEL, file), 'utf8'));
const [content, config] = [read('tokenizer.json'), read('tokenizer_config.json')];
const any = new Tokenizer(content, config);
const pieces = readWordPieces(BUNDLED_MODEL);

describe('the tokenizer of words in pieces', () => {
  test('reads each character as the package does, between letters', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x1ffff; code += 1) {
      const text = `Ab${String.fromCodePoint(code)}cd`;
      if (pieces.encode(text).ids.join() !== any.encode(text).ids.join()) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('looks for no piece that is longer than the longest entry, whatever the word', () => {
    let looked = 0;
    const model = content['model'] as Json & { vocab: Record<string, number> };
    const vocab = new Proxy(model.vocab, {
      getOwnPropertyDescriptor(target, entry) {
        looked += 1;
        return Reflect.getOwnPropertyDescriptor(target, entry);
      },
    });
    const counting = WordPieceTokenizer.of({ ...content, model: { ...model, vocab } }, config)!;
    counting.encode('a'.repeat(30));
    looked = 0;
    const word = 'zq'.repeat(50);
    expect(counting.tokenize(word)).toEqual(pieces.tokenize(word));
    // The longest entry has 18 letters.
    expect(looked).toBeLessThanOrEqual(18 * 100);
  });

  test('reads texts as the package does', () => {
    const parts = [
      'React',
      'testing',
      'naïve',
      'ÉCOLE',
      '技能',
      'unaffable',
      "don't",
      '[CLS]',
      '[MASK',
      ']',
      ' ',
      '  ',
      '\n',
    ];
    const others = [
      'İ',
      'ﬀ',
      '\u0301',
      '\ud800',
      '😀',
      '\u200d',
      '한국어',
      'ß',
      '##ing',
      '__proto__',
      '0',
      'x'.repeat(101),
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts, ...others), fc.string()), { maxLength: 12 }), (some) => {
        const text = some.join('');
        expect(pieces.encode(text).ids).toEqual(any.encode(text).ids);
        expect(pieces.tokenize(text)).toEqual(any.tokenize(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('has the entries of the package', () => {
    expect(pieces.vocabulary).toEqual(any.model?.vocab);
  });

  test('is left to the package where the files describe another', async () => {
    const model = content['model'] as Json;
    for (const other of [
      { ...content, normalizer: { ...(content['normalizer'] as Json), lowercase: false } },
      { ...content, normalizer: null },
      { ...content, pre_tokenizer: { type: 'Whitespace' } },
      { ...content, post_processor: null },
      { ...content, post_processor: { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '[NONE]' } }] } },
      { ...content, model: { ...model, type: 'BPE' } },
      { ...content, model: { ...model, max_input_chars_per_word: 20 } },
      { ...content, model: { ...model, unk_token: 'none such' } },
      { ...content, added_tokens: [{ id: 0, content: '[PAD]', normalized: true }] },
    ]) {
      expect(WordPieceTokenizer.of(other, config)).toBeUndefined();
    }
    expect(WordPieceTokenizer.of(content, { ...config, tokenizer_class: 'XLMRobertaTokenizer' })).toBeUndefined();
    const others = await readTokenizer(join(BUNDLED_MODEL, 'other-languages'));
    expect(others.tokenizer).toBeInstanceOf(Tokenizer);
  });
});
