import { expect, onTestFinished, test } from 'vitest';
import { RunningWatch } from '../../src/watch/running-watch.js';
import type { WatchedSource } from '../../src/watch/watched-source.js';
import { scratchFile } from '../scratch-folder.js';
import { temporaryFolder } from '../sources/folder/temporary-folder.js';
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
  const watch = new RunningWatch({
    database,
    load: { database, git: false, semantic: false },
    model: undefined,
    quiet: 50,
    longestWait: 100,
    onChange: () => {},
    onProblem: () => {},
  });
  onTestFinished(() => watch.close());
  const looks = { failing: 0, other: 0 };
  const failing = sourceOf(folder, async () => {
    looks.failing += 1;
    throw new Error('too many open files');
  });
  const other = sourceOf(folder, async () => {
    looks.other += 1;
  });
  await watch.start([failing, other]);
  await eventually(() => {
    expect(looks.failing).toBeGreaterThan(1);
    expect(looks.other).toBeGreaterThan(1);
  });
}, 120_000);
