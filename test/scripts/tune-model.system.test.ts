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
