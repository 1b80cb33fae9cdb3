import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLED_MODEL, type Embedder, inspectModel } from '../../src/semantic/index.js';
import { LocalEmbedder } from '../../src/semantic/local-embedder.js';
import { startModel } from '../../src/semantic/routed-embedder.js';
import { startedThreads } from '../processes.js';
import { closing, scratchFolder } from '../scratch-folder.js';
import { describeEmbedder } from './embedder-contract.js';
import { StandInEmbedder } from './stand-in-embedder.js';

describe('local embedder', () => {
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

  test('the bundled model fails every call after it was closed', async () => {
    const closed = await LocalEmbedder.start(await inspectModel(BUNDLED_MODEL), 1);
    const pending = closed.embed(Array.from({ length: 100 }, (_, i) => `text ${i}`));
    pending.catch(() => {});
    await closed.close();
    await expect(pending).rejects.toMatchObject({ name: 'SkillSearchError' });
    await expect(closed.embed(['a'])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
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
  });

  function modelFolder(name: string): string {
    const folder = join(scratchFolder(), name);
    mkdirSync(join(folder, 'onnx'), { recursive: true });
    for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx']) {
      copyFileSync(join(BUNDLED_MODEL, file), join(folder, file));
    }
    return folder;
  }
});

describe('the bundled models', () => {
  const SKILLS = [
    'invoice-writer. Writes invoices and sends them to customers.',
    'meeting-notes. Turns the recording of a meeting into minutes with decisions and tasks.',
    'pdf-tables. Extracts tables from PDF files into spreadsheets.',
    'unit-tests. Writes unit tests for a code base and measures their coverage.',
    'kubernetes-deploy. Deploys containers to a Kubernetes cluster.',
    'translate-docs. Translates documents and keeps their layout.',
    'photo-retouch. Removes the background of photos and corrects their colours.',
    'travel-plan. Plans a journey with flights, hotels and daily routes.',
  ];

  /** Requests for the first, the second, … of the skills. */
  const REQUESTS: Readonly<Record<string, readonly (readonly [question: string, skill: number])[]>> = {
    English: [
      ['send the client a bill', 0],
      ['summarise what we agreed on in the call', 1],
    ],
    German: [
      ['Wie schreibe ich bitte eine Rechnung für meine Kunden?', 0],
      ['ich möchte den Hintergrund aus einem Foto entfernen', 6],
    ],
    Chinese: [
      ['把会议录音整理成纪要', 1],
      ['给我的代码写单元测试', 3],
    ],
    Japanese: [
      ['会議の録音から議事録を作りたい', 1],
      ['写真の背景を消したい', 6],
    ],
    Arabic: [['أريد التخطيط لرحلة مع رحلات جوية وفنادق', 7]],
    Hindi: [['पीडीएफ फाइल से तालिका निकालनी है', 2]],
  };

  let embedder: Embedder;
  let skills: readonly Float32Array[];
  beforeAll(async () => {
    embedder = await startModel(await inspectModel(BUNDLED_MODEL), 1);
    skills = await embedder.embed(SKILLS, { purpose: 'document' });
  }, 60_000);
  afterAll(() => embedder?.close?.());

  test.each(Object.entries(REQUESTS))(
    'put a request in %s nearest to the skill in English that serves it',
    async (_, requests) => {
      const vectors = await embedder.embed(
        requests.map(([question]) => question),
        { purpose: 'question' },
      );
      const nearest = vectors.map((vector) => {
        const cosines = skills.map((skill) => skill.reduce((sum, value, i) => sum + value * vector[i]!, 0));
        return cosines.indexOf(Math.max(...cosines));
      });
      expect(nearest).toEqual(requests.map(([, skill]) => skill));
    },
  );
});

const LONG = 'make a chart from a spreadsheet and tell our users what has changed. '.repeat(5);

describe('the time until a text is begun', () => {
  test('grows with the texts before it, and is nothing again once they are embedded', async () => {
    const { embedder } = await started();
    expect(embedder.expectedWait()).toBe(0);
    const waits: number[] = [];
    const embedded: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      embedded.push(embedder.embed([LONG]));
      waits.push(embedder.expectedWait());
    }
    expect(waits[0]).toBeGreaterThan(0);
    for (const [i, wait] of waits.slice(1).entries()) expect(wait).toBeGreaterThan(waits[i]! * 0.99);
    expect(waits.at(-1)).toBeGreaterThan(waits[0]! * 10);
    await Promise.all(embedded);
    expect(embedder.expectedWait()).toBe(0);
  });
});

describe('a model thread that ends', () => {
  test.each([
    ['is terminated', (worker: Worker) => worker.terminate()],
    ['fails', (worker: Worker) => worker.postMessage(null)],
  ])('because it %s is replaced for the next question', async (_, end) => {
    const { embedder, workers } = await started();
    const [before] = await embedder.embed(['release notes']);
    const ended = new Promise((resolve) => workers[0]?.once('exit', resolve));
    end(workers[0]!);
    await ended;
    expect(await embedder.embed(['release notes'])).toEqual([before]);
    expect(workers).toHaveLength(2);
  });

  test('fails the question that it was at, and answers those behind it by its successor', async () => {
    const { embedder, workers } = await started();
    const questions = Array.from({ length: 5 }, (_, i) => embedder.embed([`${i} ${LONG}`]));
    // It ends after the text that it is at, without an answer.
    workers[0]?.postMessage({ kind: 'close' });
    const endings = await Promise.allSettled(questions);
    expect(endings.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(endings.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'EMBEDDER_FAILED' },
    });
    expect(workers).toHaveLength(2);
  });

  test('while its model cannot be read fails each question with that, starts few threads, and recovers', async () => {
    const folder = join(scratchFolder(), 'model');
    cpSync(BUNDLED_MODEL, folder, { recursive: true });
    const { embedder, workers } = await started(folder);
    renameSync(folder, `${folder}-away`);
    await workers[0]?.terminate();
    for (let i = 0; i < 20; i++) {
      await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE' });
    }
    expect(workers.length).toBeLessThan(10);
    renameSync(`${folder}-away`, folder);
    for (;;) {
      const answer = await embedder.embed(['a']).catch(() => undefined);
      if (answer !== undefined) break;
      await setTimeout(100);
    }
  });
});

/** An embedder with one thread, and all threads that it starts. */
async function started(folder: string = BUNDLED_MODEL) {
  const workers = startedThreads();
  return { embedder: closing(await LocalEmbedder.start(await inspectModel(folder), 1)), workers };
}

const HANDLE = new URL('../../src/semantic/local-embedder.ts', import.meta.url).href;

// As in an installation without the model runtime: the first of several threads fails, and the others are closed
// before they have told that they failed, too.
test('a process outlives model threads that fail after they were closed', async () => {
  const program = `
    import { ModelThread } from ${JSON.stringify(HANDLE)};
    const thread = new ModelThread({
      path: '/nowhere', weights: 'none.onnx', settings: { pooling: 'mean', maxTokens: 256 }, languages: ['en'],
    });
    await thread.close();
    console.log('closed');`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type', 'module', '--eval', program],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)) },
  );
  expect(stdout).toBe('closed\n');
});
