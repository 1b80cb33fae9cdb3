import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, type LoadProgress, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { inspectModel } from '../../src/semantic/choose-model.js';
import { vectorsOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { tinyModel } from './tiny-model.js';

const ROWS = Array.from({ length: 700 }, (_, i) => row(`s${i}`, { description: `number ${i}` }));
const SOURCES = [{ name: 'rows', rows: ROWS }];

/** A model, and its next version, which takes the vectors of the former if `compatible`. */
async function versions(compatible: boolean) {
  const former = tinyModel({ name: 'words' });
  const { id } = await inspectModel(former);
  const files = compatible ? { 'compatible.json': ['other@0123456789ab', id] } : {};
  return { former, id, next: tinyModel({ name: 'words', seed: 2, files }) };
}

async function opened(database: string, model: string): Promise<SkillSearch> {
  const search = await openSkillSearch({ database, model });
  onTestFinished(() => search.close());
  return search;
}

describe('the next version of a model', () => {
  test('answers from the vectors of the former until the next load, if its folder says that it may', async () => {
    const { former, id, next } = await versions(true);
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: SOURCES, model: former });
    const search = await opened(database, next);
    const { model, hits } = await search.semantic({ q: 'number 7', ranking: 'vector' });
    expect([hits.length, model, search.stats().model]).toEqual([10, (await inspectModel(next)).id, id]);

    expect(await buildCatalogue({ database, sources: SOURCES, model: next })).toMatchObject({
      unchanged: 700,
      embedded: 700,
    });
    const { id: idOfNext } = await inspectModel(next);
    expect(new Set(vectorsOf(database).map((vector) => vector.model))).toEqual(new Set([idOfNext]));
    expect((await (await opened(database, next)).semantic({ q: 'number 7' })).hits).toHaveLength(10);
    expect(await codeOf(async () => (await opened(database, former)).semantic({ q: 'number 7' }))).toBe(
      'MODEL_MISMATCH',
    );
  });

  test('counts as one that does not read what only its second model reads, until the next load', async () => {
    const former = tinyModel({ name: 'words', files: { 'languages.json': ['en'] } });
    const { id } = await inspectModel(former);
    const next = tinyModel({ name: 'words', seed: 2, files: { 'languages.json': ['en'], 'compatible.json': [id] } });
    tinyModel({ name: 'other-languages', seed: 3, files: { 'languages.json': ['de'] }, inside: next });
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('rechnung')]], model: former });
    const weightsBy = async (model: string) => {
      const q = 'wie kann ich bitte eine Rechnung schreiben';
      const { hits } = await (await opened(database, model)).semantic({ q, explain: true });
      return hits.map((hit) => new Map(hit.explain?.features?.map(({ feature, weight }) => [feature, weight])));
    };
    const unread = await weightsBy(former);
    expect(unread).toHaveLength(1);
    expect(await weightsBy(next)).toEqual(unread);

    await buildCatalogue({ database, sources: [[row('rechnung')]], model: next });
    expect(await weightsBy(next)).not.toEqual(unread);
  });

  test('is refused over the vectors of the former otherwise', async () => {
    const { former, next } = await versions(false);
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [ROWS.slice(0, 1)], model: former });
    expect(await codeOf(async () => (await opened(database, next)).semantic({ q: 'number' }))).toBe('MODEL_MISMATCH');
  });

  test('embeds anew in as many loads as it takes, while the vectors of the former answer', async () => {
    const { former, next } = await versions(true);
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: SOURCES, model: former });
    const running = await opened(database, next);
    const stop = new AbortController();
    const onProgress = ({ phase, done }: LoadProgress): void => {
      if (phase === 'embedding' && done >= 512) stop.abort(new Error('enough'));
    };
    const load = (options: object): ReturnType<typeof buildCatalogue> =>
      buildCatalogue({ database, sources: SOURCES, model: next, ...options });
    await expect(load({ signal: stop.signal, onProgress })).rejects.toThrow('enough');
    for (const search of [running, await opened(database, next)]) {
      expect((await search.semantic({ q: 'number 7', ranking: 'vector' })).hits).toHaveLength(10);
      expect(search.stats().vectors).toBe(700);
    }
    expect(await load({})).toMatchObject({ unchanged: 700, embedded: 700 - 512 });
    expect((await running.semantic({ q: 'number 7' })).hits).toHaveLength(10);
  });

  test('has the id that it would have without saying so', async () => {
    const { next } = await versions(false);
    const { id, compatible } = await inspectModel(next);
    expect(compatible).toEqual([]);
    writeFileSync(join(next, 'compatible.json'), '["words@0123456789ab"]');
    expect(await inspectModel(next)).toMatchObject({ id, compatible: ['words@0123456789ab'] });
  });

  test.each(['{}', '"a@0123456789ab"', '["a"]', '[1]', 'a'])('cannot say so by %s', async (text) => {
    const folder = tinyModel({ inside: scratchFolder() });
    writeFileSync(join(folder, 'compatible.json'), text);
    await expect(inspectModel(folder)).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringContaining(join(basename(folder), 'compatible.json')),
    });
  });
});
