import { copyFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLED_MODEL, inspectModel } from '../../src/semantic/choose-model.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { scratchFolder } from '../scratch-folder.js';
import { describeEmbedder } from './embedder-contract.js';
import { StandInEmbedder } from './stand-in-embedder.js';

let one: LocalEmbedder;
let two: LocalEmbedder;

beforeAll(async () => {
  const folder = await inspectModel(BUNDLED_MODEL);
  [one, two] = await Promise.all([LocalEmbedder.start(folder, 1), LocalEmbedder.start(folder, 2)]);
});

afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
});

describeEmbedder('of the bundled model in one thread', () => one);
describeEmbedder('of the bundled model in two threads', () => two);
describeEmbedder('that stands in for it in tests', () => new StandInEmbedder());

describe('the bundled model', () => {
  test('puts a request nearer to the skill it means than to others, without a common word', async () => {
    const [question, right, ...wrong] = (await one.embed([
      'what changed since the last version, for our users',
      'release-notes Turns the git history between two tags into a changelog.',
      'pdf-forms Fills in PDF forms.',
      'unit-tests Writes unit tests for Python functions.',
    ])) as [Float32Array, Float32Array, ...Float32Array[]];
    for (const other of wrong) expect(cosine(question, right)).toBeGreaterThan(cosine(question, other));
  });

  test('reads Latin letters, and says so', () => {
    expect(one.readableShare('release notes')).toBe(1);
    expect(two.readableShare('发布说明')).toBe(0);
  });

  test('gives the same vectors in one thread and in two', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `text number ${i}`);
    expect(await two.embed(texts)).toEqual(await one.embed(texts));
  });

  test('fails every call after it was closed', async () => {
    const closed = await LocalEmbedder.start(await inspectModel(BUNDLED_MODEL), 1);
    const pending = closed.embed(Array.from({ length: 100 }, (_, i) => `text ${i}`));
    pending.catch(() => {});
    await closed.close();
    await expect(pending).rejects.toMatchObject({ name: 'SkillSearchError' });
    await expect(closed.embed(['a'])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('a model folder', () => {
  test('is named by its folder and its content', async () => {
    const folder = modelFolder('my-model');
    const { id } = await inspectModel(folder);
    expect(id).toMatch(/^my-model@[0-9a-f]{12}$/);
    writeFileSync(join(folder, 'README.md'), 'not part of the model');
    expect((await inspectModel(folder)).id).toBe(id);
    writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
    expect((await inspectModel(folder)).id).not.toBe(id);
  });

  test('may be called anything, also what no hub would take', async () => {
    const embedder = await LocalEmbedder.start(await inspectModel(modelFolder('my own -- modèle')), 1);
    expect(await embedder.embed(['text'])).toEqual(await one.embed(['text']));
    await embedder.close();
  });

  test('that does not exist is told so', async () => {
    await expect(inspectModel('/no/such/model')).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: expect.stringContaining('/no/such/model'),
    });
    const file = join(scratchFolder(), 'file');
    writeFileSync(file, '');
    await expect(inspectModel(file)).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });

  test('that lacks files is told which', async () => {
    const folder = modelFolder('half');
    rmSync(join(folder, 'tokenizer.json'));
    rmSync(join(folder, 'onnx'), { recursive: true });
    await expect(inspectModel(folder)).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringMatching(/lacks tokenizer\.json, onnx\/model_quantized\.onnx$/),
    });
  });

  test.each([
    [
      'whose weights were cut off',
      (folder: string) => truncateSync(join(folder, 'onnx/model_quantized.onnx'), 100_000),
    ],
    [
      'whose weights are something else',
      (folder: string) => writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'x'),
    ],
    ['whose tokenizer is no JSON', (folder: string) => writeFileSync(join(folder, 'tokenizer.json'), '{"model":')],
    ['whose tokenizer is empty', (folder: string) => writeFileSync(join(folder, 'tokenizer.json'), '{}')],
  ])('%s cannot be loaded, and says so', async (_, damage) => {
    const folder = modelFolder('damaged');
    damage(folder);
    await expect(LocalEmbedder.start(await inspectModel(folder), 1)).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringContaining(folder),
    });
  });

  test('may have its weights under another name', async () => {
    const folder = modelFolder('fp32');
    renameSync(join(folder, 'onnx/model_quantized.onnx'), join(folder, 'onnx/model.onnx'));
    const inspected = await inspectModel(folder);
    expect(inspected.weights).toBe('onnx/model.onnx');
    const embedder = await LocalEmbedder.start(inspected, 1);
    expect(await embedder.embed(['text'])).toEqual(await one.embed(['text']));
    await embedder.close();
  });
});

function modelFolder(name: string): string {
  const folder = join(scratchFolder(), name);
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx']) {
    copyFileSync(join(BUNDLED_MODEL, file), join(folder, file));
  }
  return folder;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
}
