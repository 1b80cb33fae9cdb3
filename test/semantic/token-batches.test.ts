import { describe, expect, test } from 'vitest';
import type { OutputName, TextModel } from '../../src/semantic/onnx-model.js';
import { TokenBatches } from '../../src/semantic/onnx-model.js';

const DIMENSIONS = 3;
const KNOWN = ['input_ids', 'attention_mask'];

/** Texts of one to eleven words, in no order of length. */
const TEXTS = Array.from({ length: 210 }, (_, i) => `word${i} ${'more '.repeat((i * 7) % 11)}`.trim());

describe('a model whose vectors do not depend on their neighbours', () => {
  test('gets texts of nearly as many tokens together, and gives each the vector that it has alone', async () => {
    const { model, runs } = standIn();
    const batches = (await TokenBatches.of(model))!;
    expect(batches.together).toBe(true);
    runs.length = 0;
    const { values, dimensions } = await batches.embed(TEXTS);
    // Texts of one to eleven tokens are filled up to 4, 8 or 12.
    expect(new Set(runs.map(([, length]) => length))).toEqual(new Set([4, 8, 12]));
    expect(runs).toHaveLength(5);
    expect(runs.reduce((sum, [texts]) => sum + texts, 0)).toBe(TEXTS.length);
    for (const [texts, length] of runs) expect(texts * length).toBeLessThanOrEqual(512);
    expect(dimensions).toBe(DIMENSIONS);
    for (const [i, text] of TEXTS.entries()) {
      expect(values.slice(i * dimensions, (i + 1) * dimensions)).toEqual((await batches.embed([text])).values);
    }
  });

  test('gives the direction of the mean of the tokens, without those that fill up', async () => {
    const { model } = standIn();
    const { values } = (await (await TokenBatches.of(model))!.embed(['a bb']))!;
    const mean = [1.5, (1 + 4) / 2, 1];
    const norm = Math.hypot(...mean);
    for (const [d, value] of mean.entries()) expect(values[d]).toBeCloseTo(value / norm, 6);
  });

  test('never gets more tokens than a text may have', async () => {
    const { model, runs } = standIn({ most: 10 });
    const batches = (await TokenBatches.of(model))!;
    runs.length = 0;
    const { values } = await batches.embed(TEXTS);
    expect(new Set(runs.map(([, length]) => length))).toEqual(new Set([4, 8, 10]));
    const longest = TEXTS.findIndex((text) => text.split(' ').length > 10);
    expect(values.slice(longest * DIMENSIONS, (longest + 1) * DIMENSIONS)).toEqual(
      (await batches.embed([TEXTS[longest]!.split(' ').slice(0, 10).join(' ')])).values,
    );
  });

  test('leaves out the remaining batches when it is told to stop', async () => {
    const { model, runs } = standIn();
    const batches = (await TokenBatches.of(model))!;
    runs.length = 0;
    await batches.embed(TEXTS, () => runs.length === 1);
    expect(runs).toHaveLength(1);
  });

  test('gives nothing for no texts', async () => {
    const batches = (await TokenBatches.of(standIn().model))!;
    expect(await batches.embed([])).toEqual({ values: new Float32Array(), dimensions: 0 });
  });
});

describe('a model whose vectors depend on their neighbours', () => {
  test('gets one text at a time, as it is', async () => {
    const { model, runs } = standIn({ dependent: true });
    const batches = (await TokenBatches.of(model))!;
    expect(batches.together).toBe(false);
    runs.length = 0;
    await batches.embed(['one', 'two words', 'and three words']);
    expect(runs).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
  });
});

describe('a model that takes one text at a time only', () => {
  test('gets one text at a time, as it is', async () => {
    const { model, runs } = standIn({ alone: true });
    const batches = (await TokenBatches.of(model))!;
    expect(batches.together).toBe(false);
    await batches.embed(['one', 'two words']);
    expect(runs).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});

test('a model that says that it takes one text at a time is not tried with more', async () => {
  const { model, runs } = standIn({ saysAlone: true });
  expect((await TokenBatches.of(model))!.together).toBe(false);
  expect(runs).toEqual([]);
});

describe('a model', () => {
  test('may take types of tokens', async () => {
    const { model } = standIn({ inputNames: [...KNOWN, 'token_type_ids'] });
    expect(await TokenBatches.of(model)).toBeInstanceOf(TokenBatches);
  });

  test.each<[string, Parameters<typeof standIn>[0]]>([
    ['other inputs', { inputNames: [...KNOWN, 'position_ids'] }],
    ['other outputs', { outputs: ['sentence_embedding'] }],
  ])('with %s is not for batches', async (_, names) => {
    expect(await TokenBatches.of(standIn(names).model)).toBeUndefined();
  });
});

interface StandIn {
  readonly model: TextModel;
  /** Texts and tokens of each run. */
  readonly runs: [texts: number, length: number][];
}

/** A model whose tokens are words, and whose vector of a token is (length, its square, 1). */
function standIn({
  dependent = false,
  alone = false,
  saysAlone = false,
  most = 512,
  inputNames = KNOWN,
  outputs = ['last_hidden_state'] as readonly OutputName[],
} = {}): StandIn {
  const runs: [number, number][] = [];
  const run: TextModel['run'] = async (texts, length) => {
    if (alone && texts.length !== 1) throw new Error('Got invalid dimensions for input: input_ids');
    runs.push([texts.length, length]);
    const largest = dependent ? Math.max(...texts.flat()) : 0;
    const data = new Float32Array(texts.length * length * DIMENSIONS);
    for (const [text, tokens] of texts.entries()) {
      for (let i = 0; i < length; i++) {
        const id = tokens[i] ?? 0;
        data.set([id, id * id + largest, 1], (text * length + i) * DIMENSIONS);
      }
    }
    return { last_hidden_state: { data, dims: [texts.length, length, DIMENSIONS] } };
  };
  const tokensOf = (text: string): number[] =>
    text
      .split(' ')
      .slice(0, most)
      .map(({ length }) => length);
  return { model: { inputNames, outputs, alone: saysAlone, most, tokensOf, run }, runs };
}
