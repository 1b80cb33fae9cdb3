import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvaluationSummary } from '../../src/evaluation/index.js';
import { BUNDLED_MODEL, buildCatalogue } from '../../src/index.js';
import { linesOf, runCaptured } from '../cli/run-captured.js';
import { toJsonLines } from '../rows.js';

const SCRIPTS = fileURLToPath(new URL('../../scripts/tune-model', import.meta.url));

/** The Python that trains. Without its packages nothing can be tested here, and the library needs none of them. */
const PYTHON = process.env['SKILL_DISCOVERY_PYTHON'] ?? 'python3';

/** What training needs and this Python lacks; undefined if it has all. */
function whatIsMissing(): string | undefined {
  const wanted = 'import torch, safetensors, tokenizers, transformers, onnx, onnxruntime';
  const { error, status, stderr } = spawnSync(PYTHON, ['-c', wanted], { encoding: 'utf8' });
  if (error !== undefined) return `there is no ${PYTHON}`;
  return status === 0 ? undefined : `${PYTHON} has not all packages: ${stderr.trim().split('\n').at(-1)}`;
}

const missing = whatIsMissing();

/** Skills that are tuned on, and questions that are measured with. */
const SKILLS = 60;

/** Runs a script of the folder to its end; fails with what it printed. */
function python(script: string, ...words: readonly string[]): string {
  const ran = spawnSync(PYTHON, [join(SCRIPTS, script), ...words], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (ran.status !== 0) throw new Error(`${script} ended with ${ran.status}:\n${ran.stdout}\n${ran.stderr}`);
  return ran.stdout;
}

/** What a Python expression about a script of the folder gives, by way of JSON. */
function evaluatePython(module: string, expression: string): unknown {
  const code = `import json, sys; sys.path.insert(0, sys.argv[1]); import ${module}; print(json.dumps(${expression}))`;
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', code, SCRIPTS], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.skipIf(missing !== undefined)('a batch of training', () => {
  test('has no request and no pair twice, however few there are', { timeout: 120_000 }, () => {
    const sizes = ['96, .6, 9000, 9000', '96, .6, 5, 9000', '96, .6, 9000, 5', '96, .6, 0, 9000', '96, .6, 30, 20'];
    expect(evaluatePython('train', `[${sizes.map((size) => `train.counts(${size})`).join()}]`)).toEqual([
      [58, 38],
      [5, 91],
      [91, 5],
      [0, 96],
      [30, 20],
    ]);
  });

  test('takes no skill for a negative of its own pair, or of one with the same text', { timeout: 120_000 }, () => {
    const pairs = [
      ['a', 'prune a tree'],
      ['b', 'Prune a tree'],
      ['a', 'plant a hedge'],
      ['c', 'mow'],
    ].map(([skill, text]) => ({ skill, text }));
    expect(evaluatePython('train', `train.known_right(${JSON.stringify(pairs)}, ['b', 'd']).int().tolist()`)).toEqual([
      [1, 1, 1, 0, 1, 0],
      [1, 1, 1, 0, 1, 0],
      [1, 0, 1, 0, 0, 0],
      [0, 0, 0, 1, 0, 0],
    ]);
  });
});

describe.skipIf(missing !== undefined)('a student for other languages', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'skill-discovery-distil-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is begun with a bridge, goes on without, and is exported', { timeout: 600_000 }, () => {
    const at = (name: string): string => join(folder, name);
    const rows = Array.from({ length: 24 }, (_, n) => ({
      language: 'de',
      text: `Wir schneiden heute den Baum Nummer ${n}`,
      english: `We prune the tree number ${n} today`,
    }));
    writeFileSync(at('parallel.jsonl'), toJsonLines(rows));
    writeFileSync(at('texts.txt'), rows.map(({ text }) => text).join('\n'));
    const distil = (student: string, out: string, ...more: readonly string[]): string =>
      python(
        'distil.py',
        BUNDLED_MODEL,
        student,
        at('parallel.jsonl'),
        at(out),
        '--steps',
        '2',
        '--batch',
        '4',
        ...more,
      );

    distil(BUNDLED_MODEL, 'first', '--bridge', '2,4');
    expect(() => distil(at('first'), 'second', '--bridge', '2,4')).toThrow(
      /first has a bridge already: leave --bridge/,
    );
    distil(at('first'), 'second');
    python('export.py', at('second'), at('other-languages'), '--texts', at('texts.txt'), '--words', '4');
    const config = JSON.parse(readFileSync(at('other-languages/config.json'), 'utf8')) as Record<string, number>;
    expect([config['num_hidden_layers'], config['bridge_layer']]).toEqual([4, 2]);
  });
});

describe.skipIf(missing !== undefined)(`a model tuned on the sample catalogue${missing ? ` (${missing})` : ''}`, () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'skill-discovery-tune-'));
    // A part of the sample, so that it is embedded twice in a few seconds.
    const rows = linesOf(readFileSync('data/sample/skills.jsonl', 'utf8')).slice(0, SKILLS);
    writeFileSync(at('skills.jsonl'), rows.join('\n'));
    await buildCatalogue({ database: at('skills.db'), sources: [at('skills.jsonl')] });
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(...words: readonly string[]): Promise<string> {
    const { status, out, error } = await runCaptured(words);
    expect(status, error).toBe(0);
    return out;
  }

  test('comes from pairs, is trained in a few steps, exported to the same bytes twice, loaded, searched and measured', {
    timeout: 900_000,
  }, async () => {
    const words = [
      '--import',
      'tsx',
      join(SCRIPTS, 'mine-pairs.ts'),
      '--database',
      at('skills.db'),
      '--negatives',
      '2',
    ];
    writeFileSync(at('pairs.jsonl'), execFileSync(process.execPath, words));

    const pairs = linesOf(readFileSync(at('pairs.jsonl'), 'utf8')).map((line) => {
      return JSON.parse(line) as {
        readonly text: string;
        readonly document: string;
        readonly kind: string;
        readonly skill: string;
      };
    });
    expect(pairs.length).toBeGreaterThan(150);
    const texts = pairs.slice(0, 100).map(({ document }) => document.replace(/\s+/g, ' '));
    writeFileSync(at('texts.txt'), texts.join('\n'));
    const asked = new Map(pairs.filter(({ kind }) => kind === 'words').map((pair) => [pair.skill, pair.text]));
    const questions = Array.from(asked, ([skill, query]) => ({ query, relevant: [skill] }));
    expect(questions.length).toBeGreaterThan(30);
    writeFileSync(at('questions.jsonl'), toJsonLines(questions));

    python('train.py', BUNDLED_MODEL, at('pairs.jsonl'), at('tuned'), '--steps', '5', '--batch', '8');
    python('export.py', at('tuned'), at('model'), '--texts', at('texts.txt'));
    python('check.py', at('tuned'), at('model'), '--texts', at('texts.txt'));
    python('export.py', at('tuned'), at('again'), '--texts', at('texts.txt'));
    const bytes = (folder: string): Buffer => readFileSync(at(`${folder}/onnx/model_quantized.onnx`));
    expect(bytes('again').equals(bytes('model'))).toBe(true);

    await run('load', at('skills.jsonl'), '--database', at('tuned.db'), '--model', at('model'));
    const evaluate = async (database: string, ...more: readonly string[]): Promise<number> => {
      const options = ['--database', database, '--mode', 'vector', '--json', ...more];
      const out = await run('evaluate', at('questions.jsonl'), ...options);
      return (JSON.parse(out) as EvaluationSummary).modes['vector']!['ndcg@10']!;
    };
    const [before, after] = [await evaluate(at('skills.db')), await evaluate(at('tuned.db'), '--model', at('model'))];
    // A few steps change little. A model that was broken on its way would find next to nothing.
    expect(after).toBeGreaterThan(before - 0.1);
  });
});
