import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type LoadProgress,
  type LoadReport,
  removeSkills,
} from '../../src/index.js';
import { filesBeside, traceOf, vectorsOf } from '../catalogue-file.js';
import { type Row, row, writeJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const ROWS: readonly Row[] = [row('a'), row('b'), row('c')];

describe('a load with vectors', () => {
  test('embeds name and description of each skill', async () => {
    const { embedder, report, vectors } = await loaded([ROWS]);
    expect(report).toMatchObject({ added: 3, embedded: 3 });
    expect(embedder.asked.toSorted()).toEqual(['a', 'b', 'c'].map((id) => `name of ${id}. description of ${id}`));
    const expected = await new StandInEmbedder().embed(embedder.asked);
    expect(vectors.map(({ values }) => values)).toEqual(expected.map((vector) => [...vector]));
    expect(new Set(vectors.map(({ model }) => model))).toEqual(new Set(['stand-in']));
  });

  test('embeds a text once, however many skills have it', async () => {
    const twins = ['x', 'y', 'z'].map((id) => row(id, { name: 'twin', description: 'same', stars: 3 }));
    const { report, vectors } = await loaded([twins]);
    expect(report).toMatchObject({ added: 3, embedded: 1 });
    expect(vectors).toHaveLength(1);
  });

  test('of what has not changed embeds nothing and writes nothing', async () => {
    const { database, embedder } = await loaded([ROWS]);
    const files = ['', '.vectors'].map((suffix) => database + suffix);
    const before = files.map(traceOf);
    const again = await load(database, [ROWS], { embedder });
    expect(again).toMatchObject({ unchanged: 3, embedded: 0 });
    expect(embedder.asked).toHaveLength(3);
    expect(files.map(traceOf)).toEqual(before);
  });

  test('embeds what is new or says something else now, and forgets what no skill says any more', async () => {
    const { database, vectors: before } = await loaded([ROWS]);
    const changed = [row('a', { stars: 99 }), row('b', { description: 'something else' }), row('d')];
    const report = await load(database, [changed]);
    expect(report).toMatchObject({ added: 1, updated: 2, embedded: 2 });
    const after = vectorsOf(database);
    expect(after).toHaveLength(4);
    const numbers = new Set(before.map(({ number }) => number));
    expect(after.filter(({ number }) => numbers.has(number))).toHaveLength(2);
  });

  test('after one without makes up for it, and one without leaves those there are', async () => {
    const database = scratchFile('skills.db');
    expect(await load(database, [ROWS], { semantic: false, embedder: undefined })).toMatchObject({ embedded: 0 });
    expect(vectorsOf(database)).toEqual([]);
    expect(await load(database, [ROWS])).toMatchObject({ unchanged: 3, embedded: 3 });
    await load(database, [[row('a', { description: 'changed' }), row('d')]], { semantic: false, embedder: undefined });
    expect(vectorsOf(database)).toHaveLength(2);
  });

  test('by another model that is named replaces all vectors', async () => {
    const { database } = await loaded([ROWS]);
    const report = await load(database, [[row('d')]], { embedder: new StandInEmbedder('other', 16) });
    expect(report).toMatchObject({ added: 1, embedded: 4 });
    const vectors = vectorsOf(database);
    expect(vectors).toHaveLength(4);
    for (const { model, values } of vectors) expect([model, values.length]).toEqual(['other', 16]);
  });

  test('refuses to replace the vectors of another model by the bundled one unasked, before it reads anything', async () => {
    const { database } = await loaded([ROWS]);
    const before = traceOf(database);
    let read = 0;
    function* rows(): Generator<Row> {
      read += 1;
      yield* ROWS;
    }
    await expect(load(database, [rows()], { embedder: undefined })).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      message: expect.stringMatching(/vectors of the model stand-in, .*skill-minilm@/),
    });
    expect(read).toBe(0);
    expect(traceOf(database)).toEqual(before);
  });

  test('replaces the vectors of an earlier version of the bundled model', async () => {
    const database = scratchFile('skills.db');
    await load(database, [ROWS], { embedder: new StandInEmbedder('skill-minilm@0123456789ab') });
    expect(await load(database, [[row('d')]], { embedder: undefined })).toMatchObject({ added: 1, embedded: 4 });
    for (const { model, values } of vectorsOf(database)) {
      expect([model.split('@')[0], values.length]).toEqual(['skill-minilm', 384]);
      expect(model).not.toBe('skill-minilm@0123456789ab');
    }
  });
});

test('a load with wrong options is refused before anything is read or written', async () => {
  const wrong = [{ semantic: 'false' }, { prune: 'no' }, { onProgress: 1 }, { signal: 1 }, { semantic: null }];
  for (const options of wrong) {
    const database = scratchFile('skills.db');
    await expect(load(database, [ROWS], options as object)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(filesBeside(database)).toEqual([]);
  }
  await expect(removeSkills({ database: scratchFile('skills.db'), ids: 'abc' })).rejects.toThrow('array of ids');
});

describe('a load that ends while it embeds', () => {
  const rows = Array.from({ length: 1500 }, (_, i) => row(`s${i}`));

  test('because it was called off goes on where it was, and publishes nothing before', async () => {
    const database = scratchFile('skills.db');
    const stop = new AbortController();
    const embedder = new StandInEmbedder();
    const reason = new Error('enough');
    const onProgress = ({ phase, done }: LoadProgress): void => {
      if (phase === 'embedding' && done >= 512) stop.abort(reason);
    };
    const sources = [{ name: 'rows', rows }];
    await expect(load(database, sources, { embedder, signal: stop.signal, onProgress })).rejects.toBe(reason);
    expect(() => vectorsOf(database)).toThrow();

    const second = new StandInEmbedder();
    const report = await load(database, sources, { embedder: second });
    expect(report).toMatchObject({ added: 1500, embedded: 1500 - 512 });
    expect(second.asked).toHaveLength(1500 - 512);
    expect(vectorsOf(database)).toHaveLength(1500);
  });

  test('because the embedder fails leaves the catalogue as it was and keeps what was embedded', async () => {
    const { database } = await loaded([ROWS]);
    const before = traceOf(database);
    const good = new StandInEmbedder();
    let calls = 0;
    const failing = {
      model: 'stand-in',
      embed: (texts: readonly string[]) =>
        ++calls > 2 ? Promise.reject(new Error('out of order')) : good.embed(texts),
    };
    const sources = [{ name: 'more', rows }];
    await expect(load(database, sources, { embedder: failing })).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: 'the embedder of stand-in failed: out of order',
    });
    expect(traceOf(database)).toEqual(before);
    expect(await load(database, sources)).toMatchObject({ added: 1500, embedded: 1500 - 512 });
  });

  test('because the embedder changes its mind about the length of vectors keeps those of the first length', async () => {
    const database = scratchFile('skills.db');
    let calls = 0;
    const embedders = [new StandInEmbedder('moody', 8), new StandInEmbedder('moody', 9)];
    const moody = {
      model: 'moody',
      embed: (texts: readonly string[]) => (embedders[calls++ > 0 ? 1 : 0] as StandInEmbedder).embed(texts),
    };
    await expect(load(database, [{ name: 'rows', rows }], { embedder: moody })).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringMatching(/8 numbers before, and one of 9 now/),
    });
  });

  test('because the process was killed goes on where it was', async () => {
    const database = scratchFile('skills.db');
    const source = scratchFile('rows.jsonl');
    writeJsonLines(source, rows);
    const script = fileURLToPath(new URL('../load/killable-load.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, database, source, 'embed'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) {
      const [phase, , done] = line.split(' ');
      if (phase === 'embedding' && Number(done) >= 512) child.kill('SIGKILL');
    }
    expect(await ended).toEqual([null, 'SIGKILL']);

    const report = await load(database, [source]);
    expect(report).toMatchObject({ added: 1500, rejected: [] });
    expect(report.embedded).toBeLessThanOrEqual(1500 - 512);
    expect(vectorsOf(database)).toHaveLength(1500);
  });
});

async function loaded(sources: BuildOptions['sources']) {
  const database = scratchFile('skills.db');
  const embedder = new StandInEmbedder();
  const report = await load(database, sources, { embedder });
  return { database, embedder, report, vectors: vectorsOf(database) };
}

function load(
  database: string,
  sources: BuildOptions['sources'],
  options: Partial<BuildOptions> = {},
): Promise<LoadReport> {
  return buildCatalogue({ database, sources, embedder: new StandInEmbedder(), ...options });
}
