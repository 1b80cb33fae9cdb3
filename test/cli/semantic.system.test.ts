import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { LoadReport, SemanticResult } from '../../src/index.js';
import { vectorsOf } from '../catalogue-file.js';
import { projectWithout, projectWithPart } from '../project-copy.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';
import { runProcess } from './run-process.js';

const ROWS = toJsonLines([
  row('notes', { name: 'release-notes', description: 'Turns the git history between two tags into a changelog.' }),
  row('forms', { name: 'pdf-forms', description: 'Fills in PDF forms.', categories: ['documents'] }),
  row('birds', { name: 'bird-names', description: 'Tells birds by their song.' }),
]);
const QUESTION = ['search', '--mode', 'semantic', 'announce what is new since the last version'];

describe('the command line, by meaning', () => {
  test('loads with vectors, then finds what was meant, without leaving anything elsewhere', async () => {
    const database = scratchFile('skills.db');
    const elsewhere = scratchFolder();
    // The model runtime would keep an id of the machine, and a log of what it sends home.
    const folders = { HOME: elsewhere, XDG_CACHE_HOME: elsewhere, TMPDIR: elsewhere };
    const env = { ...folders, NODE_DISABLE_COMPILE_CACHE: '1' };
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, { env });
    expect([loaded.status, loaded.error]).toEqual([0, '']);
    expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ added: 3, embedded: 3, warnings: [] });

    const found = await runProcess([...QUESTION, '--json', '--database', database], '', { env });
    expect([found.status, found.error]).toEqual([0, '']);
    const { hits, model } = JSON.parse(found.out) as SemanticResult;
    expect(hits[0]).toMatchObject({ skill: { id: 'notes' }, fileId: 'notes/SKILL.md' });
    expect(model).toMatch(/^skill-minilm@/);
    // What runs the sources keeps its cache there.
    expect(readdirSync(elsewhere).filter((name) => !name.startsWith('tsx-'))).toEqual([]);

    const { out } = await runCaptured([...QUESTION, '--limit', '2', '--explain', '--database', database]);
    const lines = linesOf(out);
    expect(lines[0]).toMatch(/^0\.\d{3} {2}release-notes/);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      /Shown for its meaning \(100 % of the score: cosine 0\.\d\d\)\. It has none of the question's words\./,
    );
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      /(?:(?:cosine|feedback) \d\.\d{3} x \d+\.\d\d \(\d+ %\)[,;] ){2}file SKILL\.md/,
    );
    expect(lines.at(-1)).toBe('the best 2, by meaning and words');

    const byVector = await runCaptured([
      ...QUESTION,
      '--ranking',
      'vector',
      '--min-score',
      '0.2',
      '--database',
      database,
    ]);
    expect(linesOf(byVector.out).at(-1)).toMatch(/^the best (one|\d), by meaning$/);
    const none = await runCaptured([...QUESTION, '--category', 'nothing', '--database', database]);
    expect([none.status, none.out]).toEqual([0, 'No skill matches.\n']);
  });

  test('says what is missing where there are no vectors', async () => {
    const database = scratchFile('skills.db');
    await runProcess(['load', '-', '--no-semantic', '--database', database], ROWS);
    expect(vectorsOf(database)).toEqual([]);
    const { status, out, error } = await runCaptured([...QUESTION, '--database', database]);
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/^error: .*skills\.db has no vectors, .*or search by word/);
  });

  test('does without hnswlib-node', async () => {
    const database = scratchFile('skills.db');
    const options = { project: projectWithout('hnswlib-node') };
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, options);
    expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ embedded: 3, warnings: [] });
    const found = await runProcess([...QUESTION, '--json', '--database', database], '', options);
    expect((JSON.parse(found.out) as SemanticResult).hits[0]?.skill.id).toBe('notes');
  });

  test('does without the compiled part of hnswlib-node', async () => {
    const database = scratchFile('skills.db');
    const options = projectWithPart('hnswlib-node', ['package.json', 'lib']);
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, options);
    expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ embedded: 3, warnings: [] });
  });

  test('without the compiled part of the model runtime says what to install', async () => {
    const database = scratchFile('skills.db');
    const options = projectWithPart('onnxruntime-node', ['package.json', 'dist']);
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, options);
    const { embedded, warnings } = JSON.parse(loaded.out) as LoadReport;
    expect([embedded, warnings.length]).toEqual([0, 1]);
    expect(warnings[0]?.message).toMatch(/^none were made: .*npm install onnxruntime-node/);
    expect(warnings[0]?.message).not.toContain('--onnxruntime-node-install');
  });

  test('without the model runtime loads with a warning and says what to install when asked by meaning', async () => {
    const database = scratchFile('skills.db');
    const options = { project: projectWithout('onnxruntime-node') };
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, options);
    expect([loaded.status, loaded.error]).toEqual([0, '']);
    const report = JSON.parse(loaded.out) as LoadReport;
    expect(report).toMatchObject({ added: 3, embedded: 0 });
    expect(report.warnings).toEqual([
      {
        origin: 'vectors',
        message: expect.stringMatching(/^none were made: .*npm install onnxruntime-node/),
      },
    ]);

    const without = await runProcess([...QUESTION, '--database', database], '', options);
    expect([without.status, without.out]).toEqual([1, '']);
    expect(without.error).toMatch(
      /skills\.db has no vectors, and the package onnxruntime-node, .* is not installed: install it with `.*npm install onnxruntime-node`, then load/,
    );
    expect(without.error).not.toContain('--no-semantic');

    await runProcess(['load', '-', '--database', database], ROWS);
    const asked = await runProcess([...QUESTION, '--database', database], '', options);
    expect([asked.status, asked.out]).toEqual([1, '']);
    expect(asked.error).toMatch(/^error: semantic search needs the package onnxruntime-node, .*npm install/);
    const byWord = await runProcess(['search', 'birds', '--json', '--database', database], '', options);
    expect(byWord.status).toBe(0);
  });

  test('refuses options of the other mode, and values that make no sense', async () => {
    const database = scratchFile('none.db');
    const wrong: [string[], RegExp][] = [
      [['--mode', 'semantic', '--page', '2'], /'--page' needs --mode keyword/],
      [['--mode', 'semantic', '--sort', 'recent'], /'--sort' needs --mode keyword/],
      [['--min-score', '0.5'], /'--min-score' needs --mode semantic/],
      [['--ranking', 'vector'], /'--ranking' needs --mode semantic/],
      [['--model', 'folder'], /'--model' needs --mode semantic/],
      [['--mode', 'semantic', '--min-score', 'high'], /decimal number/],
      [['--mode', 'semantic', '--min-score', '2'], /minScore must be a number from 0 to 1/],
      [['--mode', 'semantic', '--limit', '101'], /limit must be an integer from 1 to 100/],
      [['--mode', 'magic'], /Allowed choices are keyword, semantic/],
    ];
    for (const [words, message] of wrong) {
      const { status, out, error } = await runCaptured(['search', 'birds', ...words, '--database', database]);
      expect([words, status, out]).toEqual([words, 2, '']);
      expect(error).toMatch(message);
      expect(linesOf(error)).toHaveLength(1);
    }
  });

  test('tells of a model folder that is not there, before anything is written', async () => {
    const folder = scratchFolder();
    const database = `${folder}/skills.db`;
    const words = ['load', '-', '--model', `${folder}/no-model`, '--database', database];
    const { status, error } = await runProcess(words, ROWS);
    expect(status).toBe(1);
    expect(error).toMatch(/^error: no model folder at .*no-model/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
