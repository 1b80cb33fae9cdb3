import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { chooseModel } from '../../src/semantic/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { tinyModel } from './tiny-model.js';

describe('a model that loads while its files are read', () => {
  test('is the one that is started', async () => {
    const model = tinyModel();
    const early = await chooseModel({ model }, { early: true });
    const late = await chooseModel({ model });
    expect(early.id).toBe(late.id);
    const embedders = await Promise.all([early.start(1), late.start(1)]);
    onTestFinished(async () => void (await Promise.all(embedders.map((embedder) => early.stop(embedder)))));
    const [one, other] = await Promise.all(embedders.map((embedder) => embedder.embed(['number'])));
    expect(one).toEqual(other);
  });

  test('answers nothing if a byte of it has changed since vectors were made', async () => {
    const model = tinyModel();
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a', { name: 'number', description: 'Counts.' })]], model });
    const ask = async (): Promise<number> => {
      await using search = await openSkillSearch({ database, model });
      return (await search.semantic({ q: 'number' })).hits.length;
    };
    expect(await ask()).toBe(1);
    const weights = join(model, 'onnx/model.onnx');
    const bytes = readFileSync(weights);
    // In the values behind the name of the table: the model can still be run.
    const at = bytes.lastIndexOf('table') + 1000;
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(weights, bytes);
    expect(await codeOf(ask)).toBe('MODEL_MISMATCH');
  });
});
