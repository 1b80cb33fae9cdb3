import { describe, expect, test } from 'vitest';
import { type OutputName, SentenceEncoder, type TextModel } from '../../src/semantic/onnx-model.js';

const DIMENSIONS = 3;
const KNOWN = ['input_ids', 'attention_mask'];

/** Texts of one to eleven words, in no order of length. */
const TEXTS = Array.from({ length: 210 }, (_, i) => `word${i} ${'more '.repeat((i * 7) % 11)}`.trim());

describe('a model whose vectors do not depend on their neighbours', () => {
  test('gets texts of nearly as many tokens together, and gives each the vector that it has alone', async () => {
    const { model, runs } = standIn();
    const batches = await SentenceEncoder.of(model, 'mean');
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

  test('leaves out the remaining batches when it is told to stop', async () => {
    const { model, runs } = standIn();
    const batches = await SentenceEncoder.of(model, 'mean');
    runs.length = 0;
    await batches.embed(TEXTS, () => runs.length === 1);
    expect(runs).toHaveLength(1);
  });
});

test('a model whose vectors depend on their neighbours gets one text at a time, as it is', async () => {
  const { model, runs } = standIn({ dependent: true });
  const batches = await SentenceEncoder.of(model, 'mean');
  expect(batches.together).toBe(false);
  runs.length = 0;
  await batches.embed(['one', 'two words', 'and three words']);
  expect(runs).toEqual([
    [1, 1],
    [1, 2],
    [1, 3],
  ]);
});

test('a model that takes one text at a time only gets one text at a time, as it is', async () => {
  const { model, runs } = standIn({ alone: true });
  const batches = await SentenceEncoder.of(model, 'mean');
  expect(batches.together).toBe(false);
  await batches.embed(['one', 'two words']);
  expect(runs).toEqual([
    [1, 1],
    [1, 2],
  ]);
});

test('a model that says that it takes one text at a time is not tried with more', async () => {
  const { model, runs } = standIn({ saysAlone: true });
  expect((await SentenceEncoder.of(model, 'mean')).together).toBe(false);
  expect(runs).toEqual([]);
});

test.each<[string, Parameters<typeof standIn>[0]]>([
  ['other inputs', { inputNames: [...KNOWN, 'position_ids'] }],
  ['other outputs', { outputs: ['token_embeddings'] }],
])('a model with %s gets one text at a time', async (_, names) => {
  expect((await SentenceEncoder.of(standIn(names).model, 'mean')).together).toBe(false);
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
    return data;
  };
  const tokensOf = (text: string): number[] =>
    text
      .split(' ')
      .slice(0, most)
      .map(({ length }) => length);
  return { model: { inputNames, outputs, alone: saysAlone, most, tokensOf, run }, runs };
}
