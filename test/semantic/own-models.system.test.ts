import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue, followCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { type Embedder, inspectModel, type LocalModel } from '../../src/semantic/index.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { loadModel, SentenceEncoder } from '../../src/semantic/onnx-model.js';
import { startModel } from '../../src/semantic/routed-embedder.js';
import { readModelSettings } from '../../src/semantic/settings.js';
import { vectorsOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { startedThreads } from '../processes.js';
import { row } from '../rows.js';
import { closing, scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeEmbedder } from './embedder-contract.js';
import { entryVectors, type TinyModel, tinyModel, tokenVectors } from './tiny-model.js';

const TEXT = 'writes release notes';

async function started(options: TinyModel): Promise<Embedder> {
  return closing((await startModel(await inspectModel(tinyModel(options)), 1)) as LocalModel);
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
  const model = await loadModel(runtime, { folder: path, weights, maxTokens: settings.maxTokens });
  return [...(await (await SentenceEncoder.of(model, settings.pooling)).embed([text])).values];
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

  test('may take positions, and what was read before: nothing', async () => {
    const tokens = tokenVectors(TEXT);
    const entries = entryVectors(tokens.length + 1);
    const from = (first: number): number[] =>
      mean(tokens.map((token, i) => token.map((value, d) => value + entries[first + i]![d]!)));
    const unused = [{ name: 'past_key_values.0.key', shape: ['batch', 2, 'past', 4] }];
    expectNear(await vectorOf({ positions: true, unused }), from(0));
    expectNear(await vectorOf({ positions: true, config: { model_type: 'gemma3_text' } }), from(1));
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

  test('has 64 to 1,024 values in its vectors, or is refused', async () => {
    expect(await vectorOf({ dimensions: 64 })).toHaveLength(64);
    await expect(started({ dimensions: 1025 })).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
    await expect(started({ dimensions: 63 })).rejects.toMatchObject({
      code: 'MODEL_NOT_READABLE',
      message: expect.stringMatching(/its vectors have 63 values, and 64 to 1,024 can be used$/),
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
    expect(await of('Snowflake/snowflake-arctic-embed-m-v2.0')).toMatchObject({
      question: 'query: ',
      pooling: 'cls',
    });
  });

  test('are told by sentence-transformers before the family, and by our own file before both, one by one', async () => {
    const name = 'e5-small';
    const told = {
      'config_sentence_transformers.json': { prompts: { query: 'q: ', passage: 'p: ' } },
      ...pooling({ pooling_mode: 'cls' }),
    };
    expect(await settingsOf({ name, files: told })).toMatchObject({
      question: 'q: ',
      document: 'p: ',
      pooling: 'cls',
    });
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

  test.each<[file: string, content: unknown, message: RegExp]>([
    ['skill-discovery.json', { prefix: '' }, /has an unknown setting prefix: there are question, document/],
    ['skill-discovery.json', { pooling: 'max' }, /must have as pooling one of mean, cls, last_token/],
    ['skill-discovery.json', { maxTokens: 513 }, /asks for 513 tokens, but the model reads 512 at most/],
    ['skill-discovery.json', 'query', /is no JSON object/],
    ['1_Pooling/config.json', { pooling_mode_max_tokens: true }, /asks for the pooling max_tokens/],
    [
      '1_Pooling/config.json',
      { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true },
      /only mean, cls or last token can be used/,
    ],
    ['modules.json', { type: 'Pooling' }, /is no array of modules/],
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
});

describe('routed embedder', () => {
  const GERMAN = 'wie kann ich bitte eine Rechnung schreiben und verschicken';
  const CHINESE = '把会议录音整理成纪要';
  const ENGLISH = 'how can I write the invoice and send it to a customer';

  /** A model that reads English, with one for German and Chinese. */
  function twoModels(other: TinyModel = {}, place: Pick<TinyModel, 'inside'> = {}): string {
    const folder = tinyModel({ files: { 'languages.json': ['en'] }, ...place });
    tinyModel({
      seed: 2,
      files: { 'languages.json': ['de', 'zh'] },
      ...other,
      name: 'other-languages',
      inside: folder,
    });
    return folder;
  }

  test('embeds the questions of other processes of the user, who load it when it has ended', async () => {
    vi.stubEnv('XDG_RUNTIME_DIR', scratchFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const [database, model] = [scratchFile('skills.db'), tinyModel({})];
    await buildCatalogue({
      database,
      model,
      sources: [[row('notes', { name: 'notes', description: 'writes release notes' })]],
    });
    const options = { database, model, sharedModel: true };
    const program = `
      const { openSkillSearch } = await import(${JSON.stringify(new URL('../../src/index.ts', import.meta.url))});
      await (await openSkillSearch(${JSON.stringify(options)})).semantic({ q: 'release' });
      process.stdout.write('ready');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const workers = startedThreads();
    const scores = async (search: SkillSearch) => {
      const { hits } = await search.semantic({
        q: 'release notes. writes them in a day. and all of it',
        explain: true,
      });
      return hits.map(({ score, explain }) => ({ score, explain }));
    };
    await using search = await openSkillSearch(options);
    const asked = await scores(search);
    expect(workers).toHaveLength(0);
    other.kill('SIGKILL');
    await once(other, 'close');
    expect(await scores(search)).toEqual(asked);
    expect(workers).toHaveLength(1);
    // A second search of this process uses the same.
    await using second = await openSkillSearch(options);
    await scores(second);
    await search.close();
    expect(await scores(second)).toEqual(asked);
    expect(workers).toHaveLength(1);
  });

  /** The embedder of a folder, and the threads that it starts. */
  async function started(folder = twoModels()) {
    const workers = startedThreads();
    return { embedder: closing((await startModel(await inspectModel(folder), 1)) as LocalModel), workers };
  }

  describe('a model with another for other languages', () => {
    const inside = mkdtempSync(join(tmpdir(), 'skill-discovery-test-'));
    /** Each of the models alone. */
    let [first, other]: LocalEmbedder[] = [];
    let both: LocalModel;
    beforeAll(async () => {
      const folder = await inspectModel(twoModels({}, { inside }));
      [first, other, both] = await Promise.all([
        LocalEmbedder.start(folder, 1),
        LocalEmbedder.start(folder.otherLanguages!, 1),
        startModel(folder, 2) as Promise<LocalModel>,
      ]);
    });
    afterAll(async () => {
      await Promise.all([first, other, both].map((embedder) => embedder?.close()));
      rmSync(inside, { recursive: true });
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

    test('embeds a sentence without a language by the model that reads the question it is part of', async () => {
      const [sentence, told] = ['PDF, CSV.', 'how can I send it to a customer?'];
      const question = `${GERMAN}. ${sentence} ${told}`;
      const vectors = await both.embed([sentence, told], { purpose: 'question', partOf: question });
      expect(vectors.slice(0, 1)).toEqual(await other!.embed([sentence]));
      expect(vectors.slice(1)).toEqual(await first!.embed([told]));
      expect(await both.embed([sentence], { purpose: 'question' })).toEqual(await first!.embed([sentence]));
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
  });

  test('the folder of such a model has one id for both, and that of the first alone without the other', async () => {
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

  test('a search that follows its catalogue has the second model ready after a reload if it had it before', async () => {
    const [database, model] = [scratchFile('skills.db'), twoModels()];
    const load = (...ids: string[]): Promise<unknown> =>
      buildCatalogue({ database, model, sources: [{ name: 'rows', rows: ids.map((id) => row(id)) }] });
    await load('a');
    await using search = await followCatalogue({ database, model, warmUp: true, interval: 1e6 });
    await search.warmUp({ otherLanguages: true });
    await load('a', 'b');
    const workers = startedThreads();
    await search.reload();
    expect(workers).toHaveLength(2);
    await search.semantic({ q: GERMAN });
    expect(workers).toHaveLength(2);
  });
});

describe('the next version of a model', () => {
  const ROWS = Array.from({ length: 700 }, (_, i) => row(`s${i}`, { description: `number ${i}` }));
  const SOURCES = [{ name: 'rows', rows: ROWS }];

  /** A model, and its next version, which takes the vectors of the former if `compatible`. */
  async function versions(compatible: boolean) {
    const former = tinyModel({ name: 'words' });
    const { id } = await inspectModel(former);
    const files = compatible ? { 'compatible.json': ['other@0123456789ab', id] } : {};
    return { former, id, next: tinyModel({ name: 'words', seed: 2, files }) };
  }

  async function opened(database: string, model: string, gloss = true): Promise<SkillSearch> {
    return closing(await openSkillSearch({ database, model, gloss }));
  }

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
      const { hits } = await (await opened(database, model, false)).semantic({ q, explain: true });
      return hits.map((hit) => new Map(hit.explain?.features?.map(({ feature, weight }) => [feature, weight])));
    };
    const unread = await weightsBy(former);
    expect(unread).toHaveLength(1);
    expect(await weightsBy(next)).toEqual(unread);

    await buildCatalogue({ database, sources: [[row('rechnung')]], model: next });
    expect(await weightsBy(next)).not.toEqual(unread);
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
