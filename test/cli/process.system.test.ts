import { once } from 'node:events';
import { existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue, type LoadReport, type SemanticResult } from '../../src/index.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { projectWithout } from '../project-copy.js';
import { row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { serveFolder } from '../share/snapshot/snapshots.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { eventually, namesIn, skillText } from '../watch/watching.js';
import { type Captured, linesOf, runCaptured } from './run-captured.js';
import { catchOutput, runProcess, SEARCH, startProcess, startServing } from './run-process.js';

describe('the command as a process', () => {
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

test('snapshot writes what serve follows', async () => {
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

describe('the command line, by meaning', () => {
  const ROWS = toJsonLines([
    row('notes', { name: 'release-notes', description: 'Turns the git history between two tags into a changelog.' }),
    row('forms', { name: 'pdf-forms', description: 'Fills in PDF forms.', categories: ['documents'] }),
    row('birds', { name: 'bird-names', description: 'Tells birds by their song.' }),
  ]);
  const QUESTION = ['search', '--mode', 'semantic', 'announce what is new since the last version'];

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
    expect(lines.find((line) => line.startsWith('0.'))).toMatch(/^0\.\d{3} {2}release-notes/);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      /Shown for its meaning \(100 % of the score: cosine 0\.\d\d\)\. It has none of the question's words\./,
    );
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      /(?:(?:cosine|feedback) \d\.\d{3} x \d+\.\d\d \(\d+ %\)[,;] ){2}file SKILL\.md/,
    );
    expect(lines.at(-1)).toBe('the best 2, by meaning and words');

    const vectors = ['--ranking', 'vector', '--min-score', '0.2'];
    const byVector = await runCaptured([...QUESTION, ...vectors, '--database', database]);
    expect(linesOf(byVector.out).at(-1)).toMatch(/^the best (one|\d), by meaning$/);
    const none = await runCaptured([...QUESTION, '--category', 'nothing', '--database', database]);
    expect([none.status, none.out]).toEqual([0, 'No skill matches.\n']);
  });

  test('does without hnswlib-node', async () => {
    const database = scratchFile('skills.db');
    const options = { project: projectWithout('hnswlib-node') };
    const loaded = await runProcess(['load', '-', '--json', '--database', database], ROWS, options);
    expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ embedded: 3, warnings: [] });
    const found = await runProcess([...QUESTION, '--json', '--database', database], '', options);
    expect((JSON.parse(found.out) as SemanticResult).hits[0]?.skill.id).toBe('notes');
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
});

// For a machine with twenty other things to do.
vi.setConfig({ testTimeout: 150_000 });

/** A folder with one skill. */
function skills(): Promise<string> {
  return temporaryFolder({ 'a/SKILL.md': skillText('a', 'counts zebras') });
}

/** The command as a process of its own, killed when the test ends. */
function started(words: readonly string[]) {
  const child = startProcess(words);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: catchOutput(child) };
}

test.each(['watch', 'load'])('%s of a folder that changes prints what it loads, until it is ended', async (command) => {
  const folder = await skills();
  const database = scratchFile('skills.db');
  const more = command === 'load' ? ['--watch'] : [];
  const { child, output } = started([command, folder, '--no-semantic', '--database', database, ...more]);
  await eventually(() => expect(output().error).toContain('Watching 1 source.'));
  expect(output().out).toContain('added             1\n');
  await writeFiles(folder, { 'b/SKILL.md': skillText('b') });
  await eventually(() => expect(output().out).toMatch(/\d\d:\d\d:\d\d {2}1 added \(\d+\.\d s\)\n/));
  expect(namesIn(database)).toEqual(['a', 'b']);
  await rm(join(folder, 'a'), { recursive: true });
  await eventually(() => expect(output().out).toContain('1 removed'));
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
});

test('watch --json prints an object a line', async () => {
  const folder = await skills();
  const database = scratchFile('skills.db');
  const { child, output } = started(['watch', folder, '--json', '--no-semantic', '--database', database]);
  await eventually(() => expect(output().error).toContain('Watching'));
  await writeFiles(folder, { 'b/SKILL.md': skillText('b') });
  await eventually(() => expect(linesOf(output().out)).toHaveLength(2));
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(linesOf(output().out).map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'words', whole: true, report: { added: 1 } },
    { kind: 'words', whole: false, report: { added: 1 } },
  ]);
});

test('serve --watch answers from what it loads, and from what changes', async () => {
  const folder = await skills();
  const database = scratchFile('skills.db');
  const { url, child, ended, heard, output, logged } = await startServing(['--watch', folder, '--database', database]);
  const found = async (q: string): Promise<number> => {
    const answer = await fetch(`${url}/api/v1/skills/search?q=${q}`);
    return ((await answer.json()) as { data: { pagination: { total: number } } }).data.pagination.total;
  };
  await heard('sources loaded');
  expect(await found('zebras')).toBe(1);
  // The vectors come after the words: that there are none yet is no fault.
  expect(output().out).toMatch(/, by word(, until vectors are made| and by meaning)\.\n/);
  await eventually(() => expect(logged().map(({ msg }) => msg)).toContain('semantic search is ready'));
  expect(logged().map(({ msg }) => msg)).not.toContain('semantic search is not available');
  await writeFiles(folder, { 'b/SKILL.md': skillText('b', 'counts quaggas') });
  await vi.waitFor(async () => expect(await found('quaggas')).toBe(1), { timeout: 100_000, interval: 7000 });
  child.kill('SIGTERM');
  expect(await ended()).toBe(0);
});

test('mcp --watch makes the catalogue that it answers from', async () => {
  const folder = await skills();
  const database = scratchFile('skills.db');
  const { child, output } = started(['mcp', '--no-semantic', '--database', database, '--watch', folder]);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await eventually(() => expect(output().error).toContain('sources loaded'));
  await eventually(() => expect(namesIn(database)).toEqual(['a']));
  await writeFiles(folder, { 'b/SKILL.md': skillText('b') });
  await eventually(() => expect(namesIn(database)).toEqual(['a', 'b']));
  child.stdin.end();
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
});

test('serve --watch ends with the error of a source that is not there', async () => {
  const database = scratchFile('skills.db');
  const { child, output } = started(['serve', '--port', '0', '--database', database, '--watch', '/nowhere/at/all']);
  await once(child, 'close');
  expect([child.exitCode, existsSync(database)]).toEqual([1, false]);
  expect(output().error).toContain('there is no file or folder /nowhere/at/all');
});
