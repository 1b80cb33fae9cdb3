import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { buildCatalogue, followCatalogue, watchSources } from '../../src/index.js';
import { FileLock } from '../../src/store/locks.js';
import { contentOf, stampOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row, writeJsonLines } from '../rows.js';
import { closing, scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { MadeUpHome } from '../sources/installed/made-up-home.js';
import { eventually, skillText, watching } from './watching.js';

// For a machine with twenty other things to do.
vi.setConfig({ testTimeout: 150_000 });

/** A folder with the skills `a` and `b`. */
function skills(): Promise<string> {
  return temporaryFolder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
}

describe.each([
  ['told by the system', {}],
  ['polled', { polling: true, pollInterval: 50 }],
])('a folder that is watched, %s,', (_, how) => {
  test('has a skill that is added', async () => {
    const folder = await skills();
    const { untilNames } = await watching({ ...how, sources: [folder] });
    await writeFiles(folder, { 'deep/below/c/SKILL.md': skillText('c') });
    await untilNames('a', 'b', 'c');
  });

  test('loses nothing while it is not there, and is read again when it is back', async () => {
    const parent = scratchFolder();
    const folder = join(parent, 'skills');
    await writeFiles(folder, { 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    const { heard, names, untilNames } = await watching({
      ...how,
      sources: [folder],
      database: join(parent, 'skills.db'),
    });
    await rename(folder, join(parent, 'away'));
    const { source, message } = await heard('source-missing');
    expect([source, message]).toEqual([
      folder,
      `the source ${folder} is not there or cannot be read: nothing of it is removed`,
    ]);
    await writeFiles(join(parent, 'away'), { 'c/SKILL.md': skillText('c') });
    expect(names()).toEqual(['a', 'b']);
    await rename(join(parent, 'away'), folder);
    await heard('source-back');
    await untilNames('a', 'b', 'c');
    await writeFiles(folder, { 'd/SKILL.md': skillText('d') });
    await untilNames('a', 'b', 'c', 'd');
  });

  test('goes on being watched when it is deleted and made again at once', async () => {
    const folder = join(scratchFolder(), 'skills');
    await writeFiles(folder, { 'a/SKILL.md': skillText('a') });
    const { untilNames } = await watching({ ...how, sources: [folder] });
    // The new one often gets the number of the old one in the file system.
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, 'b'), { recursive: true });
    writeFileSync(join(folder, 'b/SKILL.md'), skillText('b'));
    await untilNames('b');
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await untilNames('b', 'c');
  });

  test('loses nothing when an empty folder takes its place, as where a drive is not mounted', async () => {
    const parent = scratchFolder();
    const folder = join(parent, 'skills');
    await writeFiles(folder, { 'a/SKILL.md': skillText('a') });
    const { names, untilNames } = await watching({ ...how, sources: [folder], database: join(parent, 'skills.db') });
    await rename(folder, join(parent, 'away'));
    await mkdir(folder);
    await writeFiles(parent, { 'more/x': '' });
    await writeFiles(folder, { 'z/notes.txt': 'no skill' });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(names()).toEqual(['a']);
    await rm(folder, { recursive: true });
    await rename(join(parent, 'away'), folder);
    await writeFiles(folder, { 'b/SKILL.md': skillText('b') });
    await untilNames('a', 'b');
  });
});

describe('a folder that is watched', () => {
  test('is loaded first, without what is gone since the last load', async () => {
    const folder = await skills();
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [folder], semantic: false, git: false });
    await rm(join(folder, 'b'), { recursive: true });
    const { changes, names } = await watching({ database, sources: [folder] });
    expect(names()).toEqual(['a']);
    expect(changes).toMatchObject([{ kind: 'words', whole: true, report: { unchanged: 1, removed: 1 } }]);
  });

  test.skipIf(process.platform === 'win32')(
    'keeps a skill whose SKILL.md becomes a pipe or a folder, and says so',
    async () => {
      const folder = await skills();
      const { changes, names, untilNames } = await watching({ sources: [folder] });
      for (const name of ['a', 'b']) await rm(join(folder, name, 'SKILL.md'));
      execFileSync('mkfifo', [join(folder, 'a/SKILL.md')]);
      await mkdir(join(folder, 'b/SKILL.md'));
      const told = (): readonly string[] => changes.at(-1)!.report.rejected.map(({ reason }) => reason);
      await eventually(() =>
        expect(told()).toEqual([
          'SKILL.md is a pipe, a socket or a device, not a file',
          'SKILL.md is a folder, not a file',
        ]),
      );
      expect(names()).toEqual(['a', 'b']);
      await rm(join(folder, 'a'), { recursive: true });
      await untilNames('b');
    },
  );

  test('causes no loads by itself, with the catalogue in a skill of it', async () => {
    const folder = await skills();
    const database = join(folder, 'notes/skills.db');
    await mkdir(join(folder, 'notes'));
    const { changes, untilNames } = await watching({
      sources: [folder],
      database,
      semantic: true,
      embedder: new StandInEmbedder(),
    });
    await eventually(() => expect(changes).toHaveLength(2));
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await untilNames('a', 'b', 'c');
    await eventually(() => expect(changes.map(({ kind }) => kind)).toEqual(['words', 'vectors', 'words', 'vectors']));
    const stamp = stampOf(database);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([stampOf(database), changes.length]).toEqual([stamp, 4]);
  });

  test('is searchable by words first, and by meaning after', async () => {
    const folder = await skills();
    const { changes, database } = await watching({
      sources: [folder],
      semantic: true,
      embedder: new StandInEmbedder(),
    });
    await eventually(() => expect(changes).toHaveLength(2));
    await writeFile(join(folder, 'a/SKILL.md'), skillText('a', 'counts zebras'));
    await eventually(() => expect(changes).toHaveLength(4));
    expect(changes).toMatchObject([
      { kind: 'words', report: { added: 2, embedded: 0, warnings: [] } },
      { kind: 'vectors', report: { embedded: 2, warnings: [] } },
      { kind: 'words', report: { updated: 1, embedded: 0, warnings: [] } },
      { kind: 'vectors', report: { embedded: 1, warnings: [] } },
    ]);
    const search = closing(await followCatalogue({ database, embedder: new StandInEmbedder() }));
    const { hits } = await search.semantic({ q: 'a. counts zebras', ranking: 'vector' });
    expect(hits.map(({ skill }) => skill.name).sort()).toEqual(['a', 'b']);
  });

  test('waits for the load of somebody else, and says so', async () => {
    const folder = await skills();
    const { database, heard, names, untilNames } = await watching({ sources: [folder] });
    const lock = FileLock.ofLoad(database);
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await heard('load-waits');
    expect(names()).toEqual(['a', 'b']);
    lock.release();
    await untilNames('a', 'b', 'c');
  });

  test('goes on after a load that failed', async () => {
    const folder = await skills();
    const embedder = new StandInEmbedder();
    const failing = { model: embedder.model, embed: () => Promise.reject(new Error('no service')) };
    const { heard, untilNames } = await watching({ sources: [folder], semantic: true, embedder: failing });
    expect(await heard('load-failed')).toMatchObject({
      message: expect.stringMatching(/^a load failed, and is tried again in 1 s: .*no service/),
      error: { code: 'EMBEDDER_FAILED' },
    });
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await untilNames('a', 'b', 'c');
  });

  test('is loaded anew when the catalogue was deleted', async () => {
    const folder = await skills();
    const { database, untilNames } = await watching({ sources: [folder] });
    await rm(database);
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await eventually(() => untilNames('a', 'b', 'c'));
  });
});

describe('watched sources', () => {
  test('may be files, which are read when they were replaced or written to', async () => {
    const folder = scratchFolder();
    const source = join(folder, 'rows.jsonl');
    writeJsonLines(source, [row('a'), row('b')]);
    const { database } = await watching({ sources: [source], database: join(folder, 'skills.db') });
    const ids = (): string[] => [...contentOf(database).keys()];
    expect(ids()).toEqual(['a', 'b']);
    writeJsonLines(`${source}.new`, [row('b'), row('c')]);
    await rename(`${source}.new`, source);
    await eventually(() => expect(ids()).toEqual(['b', 'c']));
    writeJsonLines(source, [row('c'), row('d')]);
    await eventually(() => expect(ids()).toEqual(['c', 'd']));
    await rm(source);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(ids()).toEqual(['c', 'd']);
  });

  test.skipIf(process.platform === 'win32')(
    'are read anew after a rewrite of equal size whose time was set back, also where they are polled',
    async () => {
      const folder = await temporaryFolder({ 'skills/a/SKILL.md': skillText('a', 'counts apples') });
      const [file, source] = [join(folder, 'skills/a/SKILL.md'), join(folder, 'rows.jsonl')];
      writeJsonLines(source, [row('b', { description: 'counts apples' })]);
      for (const path of [file, source]) utimesSync(path, 1_700_000_000, 1_700_000_000);
      const how = { sources: [join(folder, 'skills'), source], polling: true, pollInterval: 50 };
      const { database } = await watching({ ...how, database: join(folder, 'skills.db') });
      const descriptions = (): unknown[] =>
        [...contentOf(database).values()].map(({ record }) => (record as { description: string }).description);
      for (const path of [file, source]) {
        const { ino, size, mtimeMs } = statSync(path);
        writeFileSync(path, readFileSync(path, 'utf8').replace('apples', 'grapes'));
        utimesSync(path, 1_700_000_000, 1_700_000_000);
        expect(statSync(path)).toMatchObject({ ino, size, mtimeMs });
      }
      await eventually(() => expect(descriptions()).toEqual(['counts grapes', 'counts grapes']));
    },
  );

  test.skipIf(process.platform === 'win32')('may be reached by a link, and have links inside', async () => {
    const folder = await temporaryFolder({ 'real/a/SKILL.md': skillText('a'), 'real/shared/text.md': skillText('b') });
    await symlink(join(folder, 'real'), join(folder, 'source'));
    await mkdir(join(folder, 'real/b'));
    await symlink('../shared/text.md', join(folder, 'real/b/SKILL.md'));
    const { untilNames } = await watching({ sources: [join(folder, 'source')], database: join(folder, 'skills.db') });
    await untilNames('a', 'b');
    await writeFiles(folder, { 'real/shared/text.md': skillText('changed') });
    await untilNames('a', 'changed');
    await mkdir(join(folder, 'real/c'));
    await symlink('../shared/other.md', join(folder, 'real/c/SKILL.md'));
    await writeFiles(folder, { 'real/shared/other.md': skillText('other') });
    await untilNames('a', 'changed', 'other');
  });

  test('are read anew after a commit, which changes dates', async () => {
    const folder = await skills();
    const { changes } = await watching({ sources: [folder] });
    await writeFiles(folder, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/index': 'x' });
    await writeFiles(folder, { 'a/SKILL.md': skillText('a', 'changed') });
    await eventually(() =>
      expect(changes.slice(1)).toMatchObject([{ whole: false, report: { updated: 1, unchanged: 1 } }]),
    );
  });

  test('are loaded as a whole when thousands of files change at once', async () => {
    const folder = await skills();
    // All of them together, also on a busy machine.
    const waits = { quiet: 1000, longestWait: 30_000 };
    const { untilNames, changes, names } = await watching({ sources: [folder], ...waits });
    const many = Array.from({ length: 510 }, (_, i) => [`m${i}/SKILL.md`, skillText(`m${i}`)] as const);
    await writeFiles(folder, Object.fromEntries(many));
    await eventually(() => expect(names()).toHaveLength(512));
    expect(changes.some(({ whole }, i) => whole && i > 0)).toBe(true);
    await Promise.all(many.map(([name]) => rm(join(folder, name, '..'), { recursive: true })));
    await untilNames('a', 'b');
  });

  test('may be watched in a thread', async () => {
    const folder = await skills();
    const { untilNames, changes, problems, watch, database, names } = await watching({
      sources: [folder],
      thread: true,
    });
    expect(names()).toEqual(['a', 'b']);
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await untilNames('a', 'b', 'c');
    await eventually(() =>
      expect(changes).toMatchObject([{ report: { added: 2 } }, { kind: 'words', report: { added: 1 } }]),
    );
    const lock = FileLock.ofLoad(database);
    await writeFiles(folder, { 'd/SKILL.md': skillText('d') });
    await eventually(() => expect(problems).toMatchObject([{ kind: 'load-waits' }]));
    lock.release();
    await untilNames('a', 'b', 'c', 'd');
    await watch.close();
    await writeFiles(folder, { 'e/SKILL.md': skillText('e') });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    expect(problems).toHaveLength(1);
  });

  test('end promptly when they are closed or their signal is aborted', async () => {
    const folder = await skills();
    const stop = new AbortController();
    const { database, watch, names } = await watching({ sources: [folder], signal: stop.signal });
    stop.abort();
    await watch.close();
    await watch.close();
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(names()).toEqual(['a', 'b']);

    const reason = new Error('enough');
    const aborted = watchSources({ database, sources: [folder], semantic: false, signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    const during = new AbortController();
    const starting = watchSources({ database, sources: [folder], semantic: false, signal: during.signal });
    setImmediate(() => during.abort(reason));
    await expect(starting).rejects.toBe(reason);
  });
});

test.each([
  ['no sources', { sources: [] }, 'INVALID_OPTION'],
  ['standard input', { sources: ['-'] }, 'INVALID_OPTION'],
  ['a source that is not there', { sources: ['/nowhere/at/all'] }, 'SOURCE_NOT_FOUND'],
  ['an option that there is not', { prune: true }, 'INVALID_OPTION'],
  ['a wait that is too long', { quiet: 60_001 }, 'INVALID_OPTION'],
  ['looks that are too frequent', { pollInterval: 49 }, 'INVALID_OPTION'],
  ['an embedder in a thread', { semantic: true, embedder: new StandInEmbedder(), thread: true }, 'INVALID_OPTION'],
  ['a model that is not there, in a thread', { semantic: true, model: '/nowhere', thread: true }, 'MODEL_NOT_FOUND'],
  ['a model that is not there', { semantic: true, model: '/nowhere' }, 'MODEL_NOT_FOUND'],
])('a watch is refused with %s', async (_, options, code) => {
  const given = { database: scratchFile('skills.db'), sources: [scratchFolder()], semantic: false, ...options };
  expect(await codeOf(() => watchSources(given as Parameters<typeof watchSources>[0]))).toBe(code);
});

// For a machine with twenty other things to do.
vi.setConfig({ testTimeout: 150_000 });

const CLAUDE = 'home/.claude';
const MARKET = `${CLAUDE}/plugins/cache/market`;

/** The list of plugins of Claude Code that has these. */
function listOf(made: MadeUpHome, ...names: readonly string[]): Readonly<Record<string, string>> {
  const plugins = names.map((name) => {
    const installPath = join(made.root, MARKET, name);
    return [`${name}@market`, [{ scope: 'user', installPath }]];
  });
  const list = JSON.stringify({ version: 2, plugins: Object.fromEntries(plugins) });
  return { [`${CLAUDE}/plugins/installed_plugins.json`]: list };
}

describe('what is installed, watched,', () => {
  test('loses the skills of a plugin that any settings disable, and has them again once they enable it', async () => {
    const made = await MadeUpHome.with(`${CLAUDE}/skills/a`, `${MARKET}/docs/skills/b`);
    await made.write(listOf(made, 'docs'));
    const { names, untilNames } = await watching({ sources: [{ installed: made.options }] });
    expect(names()).toEqual(['a', 'b']);
    const said = (isEnabled: boolean): string => JSON.stringify({ enabledPlugins: { 'docs@market': isEnabled } });
    await made.write({ [`${CLAUDE}/settings.json`]: said(false) });
    await untilNames('a');
    await made.write({ 'home/work/project/.claude/settings.json': said(true) });
    await untilNames('a', 'b');
    await made.write({ 'home/work/project/.claude/settings.local.json': said(false) });
    await untilNames('a');
    await rm(join(made.project, '.claude/settings.local.json'));
    await untilNames('a', 'b');
  });

  test('keeps the skills of plugins whose list cannot be read, and loses those that it lacks once it can', async () => {
    const made = await MadeUpHome.with(`${CLAUDE}/skills/a`, `${MARKET}/docs/skills/b`);
    await made.write(listOf(made, 'docs'));
    const { names, untilNames, changes } = await watching({ sources: [{ installed: made.options }] });
    await made.write({ [`${CLAUDE}/plugins/installed_plugins.json`]: '{"version": 2, "plu' });
    await made.add(`${CLAUDE}/skills/c`);
    await untilNames('a', 'b', 'c');
    const before = changes.length;
    // Long enough for the folders to be found anew.
    await new Promise((resolve) => setTimeout(resolve, 4500));
    expect([names(), changes.length]).toEqual([['a', 'b', 'c'], before]);
    await made.write(listOf(made));
    await eventually(() => expect(names()).toEqual(['a', 'c']));
  });
});
