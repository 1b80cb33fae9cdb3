import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { scratchFile } from '../scratch-folder.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { eventually, namesIn, skillText } from '../watch/watching.js';
import { linesOf, runCaptured } from './run-captured.js';
import { catchOutput, startProcess } from './run-process.js';
import { startServing } from './serving.js';

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

describe.each([['watch'], ['load']])('%s of a folder that changes', (command) => {
  test('prints what it loads, until it is ended', async () => {
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
});

test('watch --json prints an object a line', async () => {
  const folder = await skills();
  const { child, output } = started([
    'watch',
    folder,
    '--json',
    '--no-semantic',
    '--database',
    scratchFile('skills.db'),
  ]);
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

test.each([
  [['mcp', '--watch'], '--watch needs the sources to watch'],
  [['serve', '--poll'], 'add --watch'],
  [['load', 'a', '--poll-interval', '100'], 'add --watch'],
  [['load', 'a', '--watch', '--strict'], '--strict cannot be used with --watch'],
  [['load', 'a', '--watch', '--no-prune'], '--no-prune cannot be used with --watch'],
  [['watch'], "missing required argument 'source'"],
  [['watch', '-'], 'sources of a watch must be paths'],
  [['watch', '.', '--poll-interval', '1'], 'pollInterval must be an integer from 50'],
])('%j is wrong use', async (words, message) => {
  const { status, error } = await runCaptured([...words, '--database', scratchFile('skills.db')]);
  expect([status, error]).toEqual([2, expect.stringContaining(message)]);
});
