import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BUNDLED_MODEL, inspectModel } from '../../src/semantic/choose-model.js';
import type { Embedder } from '../../src/semantic/embedder.js';
import { OnnxModel, sentenceVectors } from '../../src/semantic/onnx-model.js';
import { startModel } from '../../src/semantic/routed-embedder.js';
import { readModelSettings } from '../../src/semantic/settings.js';
import { entryVectors, type TinyModel, tinyModel, tokenVectors } from './tiny-model.js';

const TEXT = 'writes release notes';

async function started(options: TinyModel): Promise<Embedder> {
  const embedder = await startModel(await inspectModel(tinyModel(options)), 1);
  onTestFinished(() => embedder.close?.());
  return embedder;
}

/**
 * The vector that a model gives a text, in this process: starting a thread for each would take its time.
 *
 * @throws if the model has no output that its settings ask for
 */
async function vectorOf(options: TinyModel, text = TEXT): Promise<number[]> {
  process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
  const runtime = await import('onnxruntime-node');
  const { path, weights, settings } = await inspectModel(tinyModel(options));
  const model = await OnnxModel.load(runtime, { folder: path, weights, maxTokens: settings.maxTokens });
  return [...(await sentenceVectors(model, settings)(text))];
}

function settingsOf(options: TinyModel) {
  return readModelSettings(tinyModel(options));
}

/** The mean of vectors, or one of them, at unit length. */
function mean(vectors: readonly number[][]): number[] {
  return unit(vectors[0]!.map((_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0)));
}

function unit(vector: readonly number[]): number[] {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

function expectNear(vector: readonly number[], expected: readonly number[]): void {
  expect(vector).toHaveLength(expected.length);
  for (const [i, value] of vector.entries()) expect(value).toBeCloseTo(expected[i]!, 5);
}

const pooling = (mode: object): TinyModel['files'] => ({ '1_Pooling/config.json': mode });
const MODULES = ['Transformer', 'Pooling', 'Normalize'].map((name, idx) => ({
  idx,
  name: String(idx),
  path: idx === 0 ? '' : `${idx}_${name}`,
  type: `sentence_transformers.models.${name}`,
}));

describe('a model of somebody', () => {
  test('pools as its configuration says: mean, first or last token', async () => {
    const tokens = tokenVectors(TEXT);
    expectNear(await vectorOf({}), mean(tokens));
    const cls = await vectorOf({
      special: false,
      files: {
        'modules.json': MODULES,
        ...pooling({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }),
      },
    });
    expectNear(cls, unit(tokenVectors(TEXT, { special: false })[0]!));
    const last = await vectorOf({ special: false, files: { 'skill-discovery.json': { pooling: 'last_token' } } });
    expectNear(last, unit(tokenVectors(TEXT, { special: false }).at(-1)!));
  });

  test('puts its prefixes before questions and documents', async () => {
    const files = { 'skill-discovery.json': { question: 'ask: ', document: 'tell: ' } };
    const embedder = await started({ files });
    for (const [purpose, prefix] of [
      ['question', 'ask: '],
      ['document', 'tell: '],
    ] as const) {
      const [vector] = await embedder.embed([TEXT], { purpose });
      expectNear([...vector!], mean(tokenVectors(prefix + TEXT)));
    }
    expect(await embedder.embed([TEXT])).toEqual(await embedder.embed([TEXT], { purpose: 'document' }));
  });

  test('reads as many tokens as its configuration says, more than its tokenizer says if it can', async () => {
    const long = 'ab cd ef gh ij kl';
    const tokens = tokenVectors(long, { special: false });
    const files = { 'sentence_bert_config.json': { max_seq_length: 3 } };
    expectNear(await vectorOf({ special: false, files }, long), mean(tokens.slice(0, 3)));
    const more = { 'skill-discovery.json': { maxTokens: 5 } };
    const tokenizerConfig = { model_max_length: 2 };
    expectNear(await vectorOf({ special: false, files: more, tokenizerConfig }, long), mean(tokens.slice(0, 5)));
  });

  test('may have token types, or its weights in a file of their own', async () => {
    const expected = mean(tokenVectors(TEXT));
    expectNear(await vectorOf({ types: true, tokenizerConfig: { model_input_names: ['input_ids'] } }), expected);
    expectNear(await vectorOf({ types: true }), expected);
    expectNear(await vectorOf({ external: true }), expected);
  });

  test('may take positions, and what was read before: nothing', async () => {
    const tokens = tokenVectors(TEXT);
    const entries = entryVectors(tokens.length + 1);
    const from = (first: number): number[] =>
      mean(tokens.map((token, i) => token.map((value, d) => value + entries[first + i]![d]!)));
    const unused = [{ name: 'past_key_values.0.key', shape: ['batch', 2, 'past', 4] }];
    expectNear(await vectorOf({ positions: true, unused }), from(0));
    expectNear(await vectorOf({ positions: true, config: { model_type: 'gemma3_text' } }), from(1));
  });

  test('is refused if it takes what is not known', async () => {
    await expect(started({ unused: [{ name: 'task_id', shape: ['batch'] }] })).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringMatching(/it takes task_id, which is not known$/),
    });
  });

  test('may give vectors of sentences: where it gives no others, or does more than pooling', async () => {
    const sentence = mean(tokenVectors(TEXT)).map((value) => -value);
    expectNear(await vectorOf({ outputs: ['sentence_embedding'] }), sentence);
    const outputs = ['token_embeddings', 'sentence_embedding'] as const;
    expectNear(
      await vectorOf({ outputs }),
      sentence.map((value) => -value),
    );
    const dense = [...MODULES, { idx: 3, name: '3', path: '3_Dense', type: 'sentence_transformers.models.Dense' }];
    expectNear(await vectorOf({ outputs, files: { 'modules.json': dense } }), sentence);
    await expect(vectorOf({ files: { 'modules.json': dense } })).rejects.toThrow(
      'it has the outputs last_hidden_state, and sentence_embedding is needed',
    );
  });

  test('may take one text at a time only', async () => {
    const alone = await started({ alone: true });
    for (const vector of await alone.embed([TEXT, TEXT])) expectNear([...vector], mean(tokenVectors(TEXT)));
  });

  test('has 64 values in its vectors at least, or is refused', async () => {
    expect(await vectorOf({ dimensions: 64 })).toHaveLength(64);
    await expect(started({ dimensions: 63 })).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringMatching(/its vectors have 63 values, and 64 to 1,024 can be used$/),
    });
  });

  test('has 1,024 values in its vectors at most, or is refused', async () => {
    expect(await vectorOf({ dimensions: 1024 })).toHaveLength(1024);
    await expect(started({ dimensions: 1025 })).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringMatching(/its vectors have 1,025 values, and 64 to 1,024 can be used$/),
    });
  });
});

describe('the settings of a model', () => {
  test('are those of its family where its files do not say', async () => {
    const of = (name: string) => settingsOf({ config: { _name_or_path: name } });
    const e5 = { question: 'query: ', document: 'passage: ', pooling: 'mean' };
    expect(await of('intfloat/e5-small-v2')).toMatchObject(e5);
    expect(await settingsOf({ name: 'multilingual-e5-small' })).toMatchObject(e5);
    expect(await of('BAAI/bge-small-en-v1.5')).toMatchObject({
      question: 'Represent this sentence for searching relevant passages: ',
      document: '',
      pooling: 'cls',
    });
    for (const name of ['TaylorAI/bge-micro-v2', 'mixedbread-ai/mxbai-embed-xsmall-v1']) {
      expect(await of(name)).toMatchObject({ question: '', document: '', pooling: 'mean' });
    }
    expect(await of('BAAI/bge-m3')).toMatchObject({ question: '', pooling: 'cls' });
    expect(await of('thenlper/gte-small')).toMatchObject({ question: '', pooling: 'mean' });
    expect(await of('Alibaba-NLP/gte-base-en-v1.5')).toMatchObject({ question: '', pooling: 'cls' });
    expect(await of('jinaai/jina-embeddings-v2-small-en')).toMatchObject({ question: '', pooling: 'mean' });
    expect(await of('sentence-transformers/all-MiniLM-L6-v2')).toMatchObject({ question: '', pooling: 'mean' });
    expect(await of('Snowflake/snowflake-arctic-embed-m-v2.0')).toMatchObject({ question: 'query: ', pooling: 'cls' });
  });

  test('are told by sentence-transformers before the family, and by our own file before both, one by one', async () => {
    const name = 'e5-small';
    const told = {
      'config_sentence_transformers.json': { prompts: { query: 'q: ', passage: 'p: ' } },
      ...pooling({ pooling_mode: 'cls' }),
    };
    expect(await settingsOf({ name, files: told })).toMatchObject({ question: 'q: ', document: 'p: ', pooling: 'cls' });
    const own = { ...told, 'skill-discovery.json': { question: '' } };
    expect(await settingsOf({ name, files: own })).toMatchObject({ question: '', document: 'p: ', pooling: 'cls' });
    // Such prompts are written for models that were given none.
    const none = { 'config_sentence_transformers.json': { prompts: { query: '', document: '' } } };
    expect(await settingsOf({ name, files: none })).toMatchObject({ question: 'query: ' });
    const usual = { 'config_sentence_transformers.json': { prompts: { all: 'x ' }, default_prompt_name: 'all' } };
    expect(await settingsOf({ files: usual })).toMatchObject({ question: 'x ', document: 'x ' });
  });

  test('have a length that the tokenizer, sentence-transformers and the positions allow, at most 512 unless asked for', async () => {
    const length = async (options: TinyModel) => (await settingsOf(options)).maxTokens;
    expect(await length({})).toBeUndefined();
    expect(await length({ files: { 'sentence_bert_config.json': { max_seq_length: 128 } } })).toBe(128);
    expect(await length({ tokenizerConfig: { model_max_length: 1e30 } })).toBe(512);
    const roberta = { model_type: 'xlm-roberta', max_position_embeddings: 130 };
    expect(await length({ config: roberta })).toBe(128);
    const large = { config: { max_position_embeddings: 8192 }, tokenizerConfig: { model_max_length: 8192 } };
    expect(await length(large)).toBe(512);
    expect(await length({ ...large, files: { 'skill-discovery.json': { maxTokens: 2000 } } })).toBe(2000);
  });

  test('belong to the id of the model where its vectors depend on them, and only there', async () => {
    const folder = tinyModel();
    const id = async (file: string, content: object): Promise<string> => {
      writeFileSync(join(folder, file), JSON.stringify(content));
      return (await inspectModel(folder)).id;
    };
    const before = (await inspectModel(folder)).id;
    expect(await id('modules.json', MODULES)).toBe(before);
    expect(await id('sentence_bert_config.json', { max_seq_length: 256 })).toBe(before);
    const ids = [before];
    ids.push(await id('skill-discovery.json', { question: 'q: ' }));
    ids.push(await id('skill-discovery.json', { pooling: 'cls' }));
    ids.push(await id('skill-discovery.json', { maxTokens: 100 }));
    expect(new Set(ids).size).toBe(4);
    expect(await id('skill-discovery.json', { pooling: 'mean', maxTokens: 256 })).toBe(before);
    const external = tinyModel({ external: true });
    const whole = (await inspectModel(external)).id;
    writeFileSync(join(external, 'onnx/model.onnx_data'), 'other');
    expect((await inspectModel(external)).id).not.toBe(whole);
  });

  test('of the bundled model are the usual ones', async () => {
    expect(await readModelSettings(BUNDLED_MODEL)).toEqual({
      question: '',
      document: '',
      pooling: 'mean',
      maxTokens: undefined,
    });
  });

  test.each<[file: string, content: unknown, message: RegExp]>([
    ['skill-discovery.json', { prefix: '' }, /has an unknown setting prefix: there are question, document/],
    ['skill-discovery.json', { pooling: 'max' }, /must have as pooling one of mean, cls, last_token/],
    ['skill-discovery.json', { question: 1 }, /must have as question a text/],
    ['skill-discovery.json', { maxTokens: 513 }, /asks for 513 tokens, but the model reads 512 at most/],
    ['skill-discovery.json', 'query', /is no JSON object/],
    ['skill-discovery.json', [], /is no JSON object/],
    ['config.json', [], /is no JSON object/],
    ['1_Pooling/config.json', { pooling_mode_max_tokens: true }, /asks for the pooling pooling_mode_max_tokens/],
    [
      '1_Pooling/config.json',
      { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true },
      /only mean, cls or last token can be used/,
    ],
    ['modules.json', { type: 'Pooling' }, /is no array of modules/],
    ['modules.json', [null], /is no array of modules/],
    ['modules.json', [{ type: 'models.Pooling', path: '../up' }], /which is no folder of it/],
    ['config_sentence_transformers.json', { prompts: { query: 7 } }, /must have as prompt query a text/],
  ])('are refused where %s has %j', async (file, content, message) => {
    const folder = tinyModel({ files: { [file]: content } });
    await expect(inspectModel(folder)).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      path: folder,
      message: expect.stringMatching(message),
    });
  });

  test('are refused where the prompt is to be left out of the pooling', async () => {
    const files = {
      ...pooling({ pooling_mode_mean_tokens: true, include_prompt: false }),
      'config_sentence_transformers.json': { prompts: { query: 'Represent: ' } },
    };
    await expect(settingsOf({ files })).rejects.toThrow('leaves the prompt out of the pooling');
  });
});
