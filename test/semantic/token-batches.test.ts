import type { FeatureExtractionPipeline, Tensor } from '@huggingface/transformers';
import { describe, expect, test } from 'vitest';
import { type TensorClass, TokenBatches } from '../../src/semantic/token-batches.js';

const DIMENSIONS = 3;
const KNOWN = ['input_ids', 'attention_mask'];

/** Texts of one to eleven words, in no order of length. */
const TEXTS = Array.from({ length: 210 }, (_, i) => `word${i} ${'more '.repeat((i * 7) % 11)}`.trim());

describe('a model whose vectors do not depend on their neighbours', () => {
  test('gets texts of nearly as many tokens together, and gives each the vector that it has alone', async () => {
    const { model, runs } = standIn();
    const batches = (await TokenBatches.of(model, StandInTensor))!;
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
    const { values } = (await (await TokenBatches.of(model, StandInTensor))!.embed(['a bb']))!;
    const mean = [1.5, (1 + 4) / 2, 1];
    const norm = Math.hypot(...mean);
    for (const [d, value] of mean.entries()) expect(values[d]).toBeCloseTo(value / norm, 6);
  });

  test('never gets more tokens than a text may have', async () => {
    const { model, runs } = standIn({ most: 10 });
    const batches = (await TokenBatches.of(model, StandInTensor))!;
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
    const batches = (await TokenBatches.of(model, StandInTensor))!;
    runs.length = 0;
    await batches.embed(TEXTS, () => runs.length === 1);
    expect(runs).toHaveLength(1);
  });

  test('gives nothing for no texts', async () => {
    const batches = (await TokenBatches.of(standIn().model, StandInTensor))!;
    expect(await batches.embed([])).toEqual({ values: new Float32Array(), dimensions: 0 });
  });
});

describe('a model whose vectors depend on their neighbours', () => {
  test('gets one text at a time, as it is', async () => {
    const { model, runs } = standIn({ dependent: true });
    const batches = (await TokenBatches.of(model, StandInTensor))!;
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
    const batches = (await TokenBatches.of(model, StandInTensor))!;
    expect(batches.together).toBe(false);
    await batches.embed(['one', 'two words']);
    expect(runs).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});

test('a model whose inputs have room for one text is not tried with more', async () => {
  const { model, runs } = standIn({ inputMetadata: [{ shape: [1, 'tokens'] }] });
  expect((await TokenBatches.of(model, StandInTensor))!.together).toBe(false);
  expect(runs).toEqual([]);
});

describe('a model', () => {
  test('that takes types of tokens gets them', async () => {
    const { model, seen } = standIn({ inputNames: [...KNOWN, 'token_type_ids'] });
    await TokenBatches.of(model, StandInTensor);
    expect(seen.has('token_type_ids')).toBe(true);
  });

  test.each([
    ['other inputs', { inputNames: [...KNOWN, 'task_id'] }],
    ['other outputs', { outputNames: ['sentence_embedding'] }],
  ])('with %s is left to the runtime', async (_, names) => {
    expect(await TokenBatches.of(standIn(names).model, StandInTensor)).toBeUndefined();
  });
});

interface StandIn {
  readonly model: FeatureExtractionPipeline;
  /** Texts and tokens of each run. */
  readonly runs: [texts: number, length: number][];
  /** Names of the inputs of all runs. */
  readonly seen: Set<string>;
}

/** A model whose tokens are words, and whose vector of a token is (length, its square, 1). */
function standIn({
  dependent = false,
  alone = false,
  most = 512,
  inputNames = KNOWN,
  outputNames = ['last_hidden_state'],
  inputMetadata = [] as { shape: (number | string)[] }[],
} = {}): StandIn {
  const runs: [number, number][] = [];
  const seen = new Set<string>();
  const run = async (inputs: object): Promise<Record<string, Tensor>> => {
    for (const name of Object.keys(inputs)) seen.add(name);
    const { data, shape } = (inputs as { input_ids: StandInTensor }).input_ids;
    if (alone && shape[0] !== 1) throw new Error('Got invalid dimensions for input: input_ids');
    runs.push(shape as [number, number]);
    const largest = dependent ? data.reduce((most, id) => (id > most ? id : most), 0n) : 0n;
    const output = Float32Array.from(data, Number);
    const values = new Float32Array(output.length * DIMENSIONS);
    for (const [i, id] of output.entries()) values.set([id, id * id + Number(largest), 1], i * DIMENSIONS);
    return { last_hidden_state: { data: values, normalize: unused, dispose: () => {} } };
  };
  const tokenizer = Object.assign(
    (text: string) => ({
      input_ids: text
        .split(' ')
        .slice(0, most)
        .map(({ length }) => length),
    }),
    { model_max_length: most },
  );
  const model = Object.assign(run, { sessions: { model: { inputNames, outputNames, inputMetadata } } });
  return { model: Object.assign(async () => ({}) as Tensor, { tokenizer, model }), runs, seen };
}

class StandInTensor implements InstanceType<TensorClass> {
  readonly data: BigInt64Array;
  readonly shape: readonly number[];
  constructor(_: 'int64', data: BigInt64Array, shape: readonly number[]) {
    this.data = data;
    this.shape = shape;
  }
  normalize = unused;
  dispose(): void {}
}

/** Batches work out the unit length themselves. */
function unused(): never {
  throw new Error('batches should not need this');
}
