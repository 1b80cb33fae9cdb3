import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  type KeywordResult,
  type LoadReport,
  type SemanticResult,
  writeSnapshot,
} from '../../src/index.js';
import { contentOf, filesBeside, vectorsOf } from '../catalogue-file.js';
import { projectWithout, projectWithPart } from '../project-copy.js';
import { row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { serveFolder } from '../share/snapshot/snapshots.js';
import { type Captured, linesOf, runCaptured } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';
import { SEARCH, startServing } from './serving.js';

describe('process.system', () => {
  describe('the command as a process', () => {
    test('loads from standard input, then searches', async () => {
      const database = scratchFile('skills.db');
      const rows = toJsonLines([row('a', { description: 'alpha' }), row('b', { description: 'beta' })]);

      const loaded = await runProcess(['load', '-', '--json', '--database', database, '--no-semantic'], rows);
      expect([loaded.status, loaded.error]).toEqual([0, '']);
      expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ added: 2 });

      const found = await runProcess(['search', 'beta', '--json', '--database', database]);
      expect([found.status, found.error]).toEqual([0, '']);
      expect((JSON.parse(found.out) as KeywordResult).hits.map(({ skill }) => skill.id)).toEqual(['b']);
    });

    test('ends with 2 where it was used wrongly', async () => {
      const { status, out, error } = await runProcess(['search', 'pdf', '--sort', 'newest']);
      expect([status, out, linesOf(error).length]).toEqual([2, '', 1]);
    });

    test('ends with 1 where it failed', async () => {
      const { status, out, error } = await runProcess(['show', 'a', '--database', scratchFile('none.db')]);
      expect([status, out, linesOf(error).length]).toEqual([1, '', 1]);
    });

    test('ends quietly when whoever reads its output has seen enough', async () => {
      const database = scratchFile('skills.db');
      const rows = Array.from({ length: 50 }, (_, i) => row(`s-${i}`, { description: 'alpha '.repeat(500) + i }));
      await buildCatalogue({ semantic: false, database, sources: [rows] });

      const child = startProcess(['search', 'alpha', '--json', '--limit', '50', '--database', database]);
      const output = catchOutput(child);
      child.stdout.destroy();
      await once(child, 'close');
      expect(output().error).toBe('');
    });

    const isFullThere = existsSync('/dev/full');
    test.skipIf(!isFullThere).each(['search', 'show', 'load', '--help'])(
      'ends with 1 and one line where the output of %s finds the disk full',
      async (command) => {
        const [database, source] = [scratchFile('skills.db'), scratchFile('rows.jsonl')];
        writeJsonLines(source, [row('a', { description: 'alpha' })]);
        await buildCatalogue({ semantic: false, database, sources: [source] });
        const words: Record<string, string[]> = {
          search: ['search', 'alpha', '--database', database],
          show: ['show', 'a', '--database', database],
          load: ['load', source, '--no-semantic', '--database', database],
          '--help': ['--help'],
        };

        const child = startProcess(words[command] ?? [], { stdout: openSync('/dev/full', 'w') });
        const output = catchOutput(child);
        await once(child, 'close');
        expect([child.exitCode, output().error]).toEqual([
          1,
          expect.stringMatching(/^error: the output cannot be written: ENOSPC.*\n$/),
        ]);
      },
    );

    test('stops a load at Ctrl+C with one line, and goes on with it later', async () => {
      const folder = scratchFolder();
      const database = join(folder, 'skills.db');
      const source = join(folder, 'rows.jsonl');
      writeJsonLines(
        source,
        Array.from({ length: 60_000 }, (_, i) => row(`s-${i}`)),
      );
      const child = startProcess(['load', source, '--database', database, '--no-semantic']);
      const output = catchOutput(child);
      while (!filesBeside(database).includes('skills.db.loading')) await new Promise((done) => setTimeout(done, 10));
      child.kill('SIGINT');
      await once(child, 'close');

      expect([child.exitCode, output().out]).toEqual([1, '']);
      expect(linesOf(output().error)).toEqual([expect.stringContaining('interrupted')]);
      expect(filesBeside(database)).toContain('skills.db.loading');

      writeJsonLines(source, [row('a')]);
      const { status, out } = await runProcess(['load', source, '--database', database, '--no-semantic']);
      expect([status, out]).toEqual([0, expect.stringMatching(/^added +1$/m)]);
      expect([...contentOf(database).keys()]).toEqual(['a']);
    });
  });
});

describe('home without room.system', () => {
  /** A process that waits for ever fails its test by this. */
  const PATIENCE = 60_000;

  const PROMPT = JSON.stringify({ prompt: 'Fill in the form fields of this PDF for each of our customers' });

  const OF_USER = ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME'];

  /** Runs the command line for a user whose own folders can be made nowhere: their home is /proc, or has a file there. */
  function runWithin(home: string, folder: string, words: readonly string[], input = ''): Promise<Captured> {
    const folders = Object.fromEntries(OF_USER.map((name) => [name, folder]));
    // Node 22 and later keep compiled code in such a folder, unless they are told not to.
    const env = { HOME: home, USERPROFILE: home, LOCALAPPDATA: folder, APPDATA: folder, ...folders };
    return runProcess(words, input, { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '' } });
  }

  describe.each([
    ['a file in the place of its folders', 'file'],
    ...(process.platform === 'linux' ? [['a home in /proc', 'proc'] as const] : []),
  ] as const)('with %s', (_, kind) => {
    const places = (): { readonly home: string; readonly folder: string } => {
      if (kind === 'proc') return { home: '/proc', folder: '' };
      const home = scratchFolder();
      writeFileSync(join(home, 'file'), '');
      return { home, folder: join(home, 'file', 'below') };
    };

    test('hook is silent and done', { timeout: PATIENCE }, async () => {
      const { home, folder } = places();
      expect(await runWithin(home, folder, ['hook'], PROMPT)).toEqual({ status: 0, out: '', error: '' });
    });

    test('load --installed says which folder cannot be made, and ends with 1', { timeout: PATIENCE }, async () => {
      const { home, folder } = places();
      const { status, out, error } = await runWithin(home, folder, ['load', '--installed', '--no-semantic']);
      expect([status, out]).toEqual([1, '']);
      expect(error).toMatch(/^error: the folder ".*skill-discovery" cannot be made: .+\n$/);
    });

    test('init --yes says which folder cannot be made, and ends with 1', { timeout: PATIENCE }, async () => {
      const { home, folder } = places();
      const words = ['init', '--agents', 'claude-code', '--yes', '--no-semantic'];
      const { status, error } = await runWithin(home, folder, words);
      expect(status).toBe(1);
      expect(error).toMatch(/^error: the folder ".*skill-discovery" cannot be made: .+\n$/);
      if (kind === 'file') expect(readdirSync(home)).toEqual(['file']);
    });
  });
});

describe('snapshot.system', () => {
  describe('snapshot', () => {
    test('writes what serve follows', async () => {
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('alpha')] }] });
      const folder = scratchFolder();
      const { status, out } = await runCaptured(['snapshot', '--database', database, '--to', folder]);
      expect([status, out]).toEqual([
        0,
        expect.stringMatching(/manifest\.json: \d\.\d MB in \d chunks, of which \d are new \(\d\.\d MB\)\.\n$/),
      ]);
      const { address } = await serveFolder(folder);
      const cache = scratchFolder();
      const state = ['--state', scratchFile('access.db')];
      const server = await startServing(['--database', address, '--cache', cache, '--look-every', '1', ...state]);
      expect(await (await fetch(`${server.url}${SEARCH}`)).json()).toMatchObject({
        data: { pagination: { total: 1 } },
      });
      expect(existsSync(join(cache, 'skills.db'))).toBe(true);
    });

    test('commands say what they wait for when a server takes long', async () => {
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('alpha')] }] });
      const folder = scratchFolder();
      await writeSnapshot({ database, to: folder });
      const server = await serveFolder(folder);
      server.instead = (_, response) => {
        server.instead = undefined;
        setTimeout(() => response.end(readFileSync(join(folder, 'manifest.json'))), 5000);
        return true;
      };
      const { status, error } = await runCaptured(['list', '--database', server.address, '--cache', scratchFolder()]);
      expect([status, error]).toEqual([0, expect.stringContaining(`waiting for the catalogue at ${server.address}: `)]);
    });

    test.each([
      ['without a folder', ['snapshot'], /required option '--to <folder>'/],
      [
        'of nothing',
        ['snapshot', '--database', '/nowhere/skills.db', '--to', 'x'],
        /no catalogue at \/nowhere\/skills\.db/,
      ],
      ['of a snapshot', ['snapshot', '--database', 'https://example.org/m.json', '--to', 'x'], /path of a file here/],
      [
        'that is not there',
        ['search', '--database', 'http://127.0.0.1:1/manifest.json', 'pdf'],
        /cannot fetch the snapshot/,
      ],
      ['with a cache that nothing uses', ['serve', '--cache', 'x'], /--cache is for a catalogue that is no file/],
      ['looked for too often', ['serve', '--look-every', '0'], /It must be from 1 to 86400/],
    ])('%s says what is wrong', async (_, words, message) => {
      const { status, error } = await runCaptured(words);
      expect(error).toMatch(message);
      expect(status).toBeGreaterThan(0);
    });
  });
});

describe('semantic.system', () => {
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
});
