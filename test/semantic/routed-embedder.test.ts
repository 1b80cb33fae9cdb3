import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, followCatalogue, openSkillSearch } from '../../src/index.js';
import { inspectModel } from '../../src/semantic/choose-model.js';
import type { LocalModel } from '../../src/semantic/index.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { startModel } from '../../src/semantic/routed-embedder.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { describeEmbedder } from './embedder-contract.js';
import { type TinyModel, tinyModel } from './tiny-model.js';

const GERMAN = 'wie kann ich bitte eine Rechnung schreiben und verschicken';
const CHINESE = '把会议录音整理成纪要';
const ENGLISH = 'how can I write the invoice and send it to a customer';

/** A model that reads English, with one for German and Chinese. */
function twoModels(other: TinyModel = {}, place: Pick<TinyModel, 'inside'> = {}): string {
  const folder = tinyModel({ files: { 'languages.json': ['en'] }, ...place });
  tinyModel({ seed: 2, files: { 'languages.json': ['de', 'zh'] }, ...other, name: 'other-languages', inside: folder });
  return folder;
}

/** The embedder of a folder, and the threads that it starts. */
async function started(folder = twoModels()) {
  const workers: Worker[] = [];
  const note = (worker: Worker): unknown => workers.push(worker);
  process.on('worker', note);
  const embedder = (await startModel(await inspectModel(folder), 1)) as Required<LocalModel>;
  onTestFinished(async () => {
    process.off('worker', note);
    await embedder.close();
  });
  return { embedder, workers };
}

describe('a model with another for other languages', () => {
  const inside = mkdtempSync(join(tmpdir(), 'skill-discovery-test-'));
  /** Each of the models alone. */
  let [first, other]: LocalEmbedder[] = [];
  let both: Required<LocalModel>;
  beforeAll(async () => {
    const folder = await inspectModel(twoModels({}, { inside }));
    [first, other, both] = await Promise.all([
      LocalEmbedder.start(folder, 1),
      LocalEmbedder.start(folder.otherLanguages!, 1),
      startModel(folder, 2) as Promise<Required<LocalModel>>,
    ]);
  });
  afterAll(async () => {
    await Promise.all([first, other, both].map((embedder) => embedder?.close()));
    rmSync(inside, { recursive: true });
  });

  test('reads what either reads', () => {
    expect(['en', 'de', 'zh', 'ru'].map((language) => both.readsLanguage(language))).toEqual([true, true, true, false]);
    expect([ENGLISH, GERMAN, CHINESE, 'отчёт о продажах'].map((text) => both.readableShare(text))).toEqual([
      1, 1, 1, 0,
    ]);
    expect(both.otherLanguagesWanted).toBe(false);
  });

  describeEmbedder('of two models', () => both);

  test('embeds each text by the model that reads its language, and keeps the order', async () => {
    const texts = [GERMAN, ENGLISH, CHINESE, ENGLISH.slice(0, 30), GERMAN.slice(0, 40)];
    const [german, english, chinese] = await both.embed(texts);
    expect(await first!.embed([ENGLISH])).toEqual([english]);
    expect(await other!.embed([GERMAN, CHINESE])).toEqual([german, chinese]);
    expect(await first!.embed([GERMAN])).not.toEqual([german]);
    const alone = await Promise.all(texts.map(async (text) => (await both.embed([text]))[0]));
    expect(await both.embed(texts)).toEqual(alone);
  });

  test('embeds names, code and words without a language by the first, unless it cannot read their letters', async () => {
    for (const text of ['kubernetes', 'npm i -g pdf-lib', 'docker helm', '', '42']) {
      expect(await both.embed([text])).toEqual(await first!.embed([text]));
    }
    for (const text of ['ኢትዮጵያ', '会']) expect(await both.embed([text])).toEqual(await other!.embed([text]));
  });

  test('embeds a sentence without a language by the model that reads the question it is part of', async () => {
    const [sentence, told] = ['PDF, CSV.', 'how can I send it to a customer?'];
    const question = `${GERMAN}. ${sentence} ${told}`;
    const vectors = await both.embed([question, sentence, told], { purpose: 'question' });
    expect(vectors.slice(0, 2)).toEqual(await other!.embed([question, sentence]));
    expect(vectors.slice(2)).toEqual(await first!.embed([told]));
    expect(await both.embed([sentence], { purpose: 'question' })).toEqual(await first!.embed([sentence]));
    expect((await both.embed([question, sentence]))[1]).toEqual((await first!.embed([sentence]))[0]);
  });

  test('tells the wait for the model that would get the text', async () => {
    const embedding = both.embed(Array.from({ length: 200 }, () => GERMAN));
    expect(both.expectedWait(GERMAN)).toBeGreaterThan(0);
    expect(both.expectedWait(ENGLISH)).toBe(0);
    await embedding;
    expect(both.expectedWait(GERMAN)).toBe(0);
  });
});

describe('the second of two models', () => {
  test('is loaded when the first text needs it; both are loaded again after their threads have died', async () => {
    const { embedder, workers } = await started();
    const [english] = await embedder.embed([ENGLISH, 'kubernetes']);
    expect([embedder.otherLanguagesWanted, workers.length]).toEqual([false, 1]);
    expect(embedder.expectedWait(GERMAN)).toBe(0);
    const [german] = await embedder.embed([GERMAN]);
    expect([embedder.otherLanguagesWanted, workers.length]).toEqual([true, 2]);

    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(await embedder.embed([ENGLISH, GERMAN])).toEqual([english, german]);
    expect(workers).toHaveLength(4);
  });

  test('is loaded when it is told to; what runs when it is closed fails, and so does every later call', async () => {
    const { embedder, workers } = await started();
    await embedder.loadOtherLanguages();
    expect(workers).toHaveLength(2);
    const running = embedder.embed(Array.from({ length: 500 }, () => GERMAN));
    running.catch(() => {});
    expect(workers).toHaveLength(2);
    await embedder.close();
    await expect(running).rejects.toMatchObject({ name: 'SkillSearchError' });
    for (const text of [ENGLISH, GERMAN]) {
      await expect(embedder.embed([text])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
  });

  test('is loaded when any call that was to load it returns', async () => {
    const { embedder, workers } = await started();
    let isLoaded = false;
    void embedder.loadOtherLanguages().then(() => {
      isLoaded = true;
    });
    await embedder.loadOtherLanguages();
    expect([isLoaded, workers.length]).toEqual([true, 2]);
  });

  test('is loaded by a later call after it could not be, and after its thread has died', async () => {
    const folder = twoModels();
    const { embedder, workers } = await started(folder);
    rmSync(join(folder, 'other-languages/tokenizer.json'));
    for (let call = 0; call < 2; call++) {
      await expect(embedder.loadOtherLanguages()).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
    }
    tinyModel({ seed: 2, name: 'other-languages', inside: folder });
    const load = (): Promise<boolean> =>
      embedder.loadOtherLanguages().then(
        () => true,
        () => false,
      );
    while (!(await load())) await new Promise((later) => setTimeout(later, 50));
    expect(await embedder.embed([GERMAN])).toHaveLength(1);
    const before = workers.length;
    await workers.at(-1)!.terminate();
    await embedder.loadOtherLanguages();
    expect(workers).toHaveLength(before + 1);
  });

  test('gets no more threads than many waiting texts need, and no more than it may have', async () => {
    const workers: Worker[] = [];
    const note = (worker: Worker): unknown => workers.push(worker);
    process.on('worker', note);
    const embedder = LocalEmbedder.startWhenUsed(await inspectModel(tinyModel()), 2);
    onTestFinished(async () => {
      process.off('worker', note);
      await embedder.close();
    });
    expect(workers).toHaveLength(0);
    await embedder.embed(['one', 'two']);
    expect(workers).toHaveLength(1);
    await embedder.embed(Array.from({ length: 600 }, (_, i) => `text ${i}`));
    expect(workers).toHaveLength(2);
  });

  test('fails texts in its languages alone while it cannot be loaded, and recovers', async () => {
    const folder = twoModels();
    const { embedder } = await started(folder);
    rmSync(join(folder, 'other-languages/tokenizer.json'));
    await expect(embedder.embed([ENGLISH, GERMAN])).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
    expect(await embedder.embed([ENGLISH])).toHaveLength(1);
    tinyModel({ seed: 2, name: 'other-languages', inside: folder });
    while ((await embedder.embed([GERMAN]).catch(() => undefined)) === undefined) {
      await new Promise((later) => setTimeout(later, 50));
    }
  });

  test('is refused if its vectors have another length', async () => {
    const { embedder } = await started(twoModels({ dimensions: 128 }));
    await embedder.embed([ENGLISH]);
    for (const embed of [() => embedder.loadOtherLanguages(), () => embedder.embed([ENGLISH, GERMAN])]) {
      await expect(embed()).rejects.toMatchObject({
        code: 'MODEL_NOT_READABLE',
        message: expect.stringMatching(
          /other-languages gives vectors of 128 values, and .* of 64: both must be as long$/,
        ),
      });
    }
  });
});

describe('the folder of such a model', () => {
  test('has one id for both, and that of the first alone without the other', async () => {
    const folder = twoModels();
    const ids = [(await inspectModel(folder)).id];
    expect((await inspectModel(folder)).otherLanguages?.id).toBe(ids[0]);
    writeFileSync(join(folder, 'other-languages/tokenizer_config.json'), '{}');
    ids.push((await inspectModel(folder)).id);
    // What goes where depends on this list.
    writeFileSync(join(folder, 'languages.json'), '["en", "sv"]');
    ids.push((await inspectModel(folder)).id);
    rmSync(join(folder, 'other-languages'), { recursive: true });
    ids.push((await inspectModel(folder)).id);
    expect(new Set(ids).size).toBe(4);
    rmSync(join(folder, 'languages.json'));
    expect((await inspectModel(folder)).id).toBe(ids[3]);
    expect((await inspectModel(folder)).otherLanguages).toBeUndefined();
  });

  test('must say what either reads, and lack no file', async () => {
    for (const file of ['languages.json', 'other-languages/languages.json', 'other-languages/config.json']) {
      const folder = twoModels();
      rmSync(join(folder, file));
      await expect(inspectModel(folder)).rejects.toMatchObject({
        code: 'MODEL_NOT_READABLE',
        message: expect.stringContaining(`${join(folder, file, '..')} lacks`),
      });
    }
    const empty = tinyModel({ files: { 'languages.json': ['en'] } });
    mkdirSync(join(empty, 'other-languages'));
    await expect(inspectModel(empty)).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
  });
});

test('a search in two languages finds skills in both by meaning', async () => {
  await using search = await openSkillSearch({
    skills: [row('rechnung', { name: 'Rechnung', description: GERMAN }), row('invoice', { description: ENGLISH })],
    model: twoModels(),
  });
  const found = async (q: string): Promise<string | undefined> =>
    (await search.semantic({ q, ranking: 'vector' })).hits[0]?.skill.id;
  expect(await found(`Rechnung. ${GERMAN}`)).toBe('rechnung');
  expect(await found(`name of invoice. ${ENGLISH}`)).toBe('invoice');
});

test('a search that follows its catalogue has the second model ready after a reload if it had it before', async () => {
  const [database, model] = [scratchFile('skills.db'), twoModels()];
  const load = (...ids: string[]): Promise<unknown> =>
    buildCatalogue({ database, model, sources: [{ name: 'rows', rows: ids.map((id) => row(id)) }] });
  await load('a');
  const workers: Worker[] = [];
  const note = (worker: Worker): unknown => workers.push(worker);
  await using search = await followCatalogue({ database, model, warmUp: true, interval: 1e6 });
  await search.warmUp({ otherLanguages: true });
  await load('a', 'b');
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  await search.reload();
  expect(workers).toHaveLength(2);
  await search.semantic({ q: GERMAN });
  expect(workers).toHaveLength(2);
});

test('options of warming up that do not exist are refused', async () => {
  await using search = await openSkillSearch({ skills: [row('a')] });
  for (const options of [{ otherLanguage: true }, { otherLanguages: 'all' }]) {
    await expect(search.warmUp(options as object)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  }
});
