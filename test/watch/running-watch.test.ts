import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WatchedChange } from '../../src/index.js';
import { chooseModel } from '../../src/semantic/index.js';
import { RunningWatch } from '../../src/watch/running-watch.js';
import type { WatchedSource } from '../../src/watch/watched-sources.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { temporaryFolder } from '../sources/folders.js';
import { eventually, skillText } from './watching.js';

/** A source of which only the looks matter. */
function sourceOf(folder: string, look: () => Promise<void>): WatchedSource {
  return {
    name: folder,
    toLoad: folder,
    isThere: true,
    roots: [folder],
    isSame: async () => true,
    start: async () => {},
    look,
    close: () => {},
  };
}

test('a source that cannot be looked at is looked at again, and keeps no other from it', async () => {
  const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
  const database = scratchFile('skills.db');
  const parts = {
    place: { database, path: database, shown: database, folder: undefined },
    load: { database, git: false, semantic: false },
    model: undefined,
    quiet: 50,
    longestWait: 100,
    onChange: () => {},
    onProblem: () => {},
  };
  const looks = { failing: 0, other: 0 };
  const failing = sourceOf(folder, async () => {
    looks.failing += 1;
    throw new Error('too many open files');
  });
  const other = sourceOf(folder, async () => {
    looks.other += 1;
  });
  const watch = new RunningWatch(parts, () => [failing, other]);
  onTestFinished(() => watch.close());
  await watch.start();
  await eventually(() => {
    expect(looks.failing).toBeGreaterThan(1);
    expect(looks.other).toBeGreaterThan(1);
  });
}, 120_000);

test('vectors wait for changes, and get their turn though changes never end', async () => {
  const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
  // Time passes where this test lets it, however busy the machine is.
  let time = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => clock.mockRestore());
  const standIn = new StandInEmbedder();
  const attempts: ('stopped' | 'done')[] = [];
  const slow = {
    model: standIn.model,
    embed: async (...[texts, options]: Parameters<typeof standIn.embed>) => {
      const log = join(folder, 'b/log.txt');
      await appendFile(log, 'x');
      time += 1200;
      watch.onPath(source, log);
      // The change is due before this wait ends: its timer, which is shorter, was set first.
      await sleep(50);
      const isStopped = options?.signal?.aborted === true;
      attempts.push(isStopped ? 'stopped' : 'done');
      if (isStopped) throw options?.signal?.reason;
      return standIn.embed(texts, options);
    },
  };
  const changes: WatchedChange[] = [];
  const database = scratchFile('skills.db');
  const parts = {
    place: { database, path: database, shown: database, folder: undefined },
    load: { database, git: false, semantic: true },
    model: await chooseModel({ embedder: slow }),
    quiet: 0,
    longestWait: 0,
    onChange: (change: WatchedChange) => changes.push(change),
    onProblem: () => {},
  };
  const source = sourceOf(folder, async () => {});
  const watch = new RunningWatch(parts, () => [source]);
  onTestFinished(() => watch.close());
  await watch.start();
  const kinds = (): string[] => changes.slice(0, 5).map(({ kind }) => kind);
  // Changes go first, then wait for vectors, each time twice as long.
  await eventually(() => expect(kinds()).toEqual(['words', 'words', 'words', 'vectors', 'words']));
  expect(attempts.slice(0, 3)).toEqual(['stopped', 'stopped', 'done']);
}, 120_000);
