import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue, type WatchedChange } from '../../src/index.js';
import { type ChosenModel, chooseModel, type Embedder } from '../../src/semantic/index.js';
import { KeptModel } from '../../src/watch/kept-model.js';
import { GatheredChanges } from '../../src/watch/plan-load.js';
import { RunningWatch } from '../../src/watch/running-watch.js';
import type { WatchedSource } from '../../src/watch/watched-sources.js';
import { closing, scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { temporaryFolder, writeFiles } from '../sources/folders.js';
import { eventually, skillText, watching } from './watching.js';

describe('gathered changes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function gathering() {
    const onDue = vi.fn();
    return { onDue, gathered: new GatheredChanges<string>({ quiet: 100, longest: 1000 }, onDue) };
  }

  test('are due when it is quiet', () => {
    const { gathered, onDue } = gathering();
    gathered.add('source', 'a');
    vi.advanceTimersByTime(90);
    gathered.add('source', 'b');
    vi.advanceTimersByTime(90);
    expect(onDue).not.toHaveBeenCalled();
    vi.advanceTimersByTime(11);
    expect(onDue).toHaveBeenCalledTimes(1);
    expect(gathered.take()).toEqual(
      new Map([['source', { paths: new Set(['a', 'b']), everything: false, events: 2 }]]),
    );
  });

  test('are due after the longest wait, though there are more', () => {
    const { gathered, onDue } = gathering();
    for (let i = 0; i < 10; i++) {
      gathered.add('source', String(i));
      vi.advanceTimersByTime(99);
    }
    expect(onDue).not.toHaveBeenCalled();
    gathered.add('source', 'last');
    vi.advanceTimersByTime(20);
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  test('are due once until they are taken, and again with the next ones', () => {
    const { gathered, onDue } = gathering();
    expect(gathered.firstAt).toBeUndefined();
    gathered.add('source', 'a');
    vi.advanceTimersByTime(5000);
    expect(onDue).toHaveBeenCalledTimes(1);
    gathered.take();
    expect(gathered.firstAt).toBeUndefined();
    vi.advanceTimersByTime(5000);
    expect(onDue).toHaveBeenCalledTimes(1);
    gathered.add('other', 'b');
    vi.advanceTimersByTime(101);
    expect(onDue).toHaveBeenCalledTimes(2);
    expect([...gathered.take().keys()]).toEqual(['other']);
  });

  test('that are put back wait with the new ones, and as long as they have waited', () => {
    const { gathered, onDue } = gathering();
    const first = performance.now();
    vi.advanceTimersByTime(950);
    gathered.add('source', 'b');
    gathered.putBack(new Map([['source', { paths: new Set(['a']), everything: false }]]), first);
    vi.advanceTimersByTime(101);
    expect(onDue).toHaveBeenCalledTimes(1);
    expect(gathered.take().get('source')?.paths).toEqual(new Set(['b', 'a']));
  });
});

describe('the model of a watch', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A model that notes with how many threads it was started, and how often it was stopped. */
  function model(start: () => Promise<void> = async () => {}) {
    const started: number[] = [];
    let stopped = 0;
    const embedder: Embedder = {
      model: 'stand-in@1',
      embed: async (texts) => texts.map((text) => Float32Array.of(text.length)),
    };
    const chosen: ChosenModel = {
      id: embedder.model,
      compatible: [],
      named: false,
      start: async (threads) => {
        started.push(threads);
        await start();
        return embedder;
      },
      stop: async () => {
        stopped += 1;
      },
    };
    return { kept: new KeptModel(chosen), started, stopped: () => stopped, embedder };
  }

  test('is started by the first text, and stays for the next ones', async () => {
    const { kept, started, stopped, embedder } = model();
    expect([kept.model, started]).toEqual([embedder.model, []]);
    expect(await kept.embed(['a'])).toEqual(await embedder.embed(['a']));
    await Promise.all([kept.embed(['b']), kept.embed(['c'])]);
    expect([started, stopped()]).toEqual([[1], 0]);
    await kept.close();
    await kept.close();
    expect(stopped()).toBe(1);
  });

  test('leaves a caller that is aborted at once, also while it is started', async () => {
    const { kept } = model(() => new Promise((resolve) => setTimeout(resolve, 200)));
    const stop = new AbortController();
    const reason = new Error('enough');
    const embedding = kept.embed(['a'], { signal: stop.signal });
    stop.abort(reason);
    await expect(embedding).rejects.toBe(reason);
    expect(await kept.embed(['a'])).toHaveLength(1);
    await kept.close();
  });
});

describe('running watch', () => {
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
    const watch = closing(new RunningWatch(parts, () => [failing, other]));
    await watch.start();
    await eventually(() => {
      expect(looks.failing).toBeGreaterThan(1);
      expect(looks.other).toBeGreaterThan(1);
    });
  }, 120_000);

  test('a new catalogue takes the vectors of another one, by the same model only', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    const vectorsFrom = scratchFile('skills.db');
    await buildCatalogue({ database: vectorsFrom, sources: [folder], embedder: new StandInEmbedder(), git: false });
    await writeFiles(folder, { 'c/SKILL.md': skillText('c') });
    for (const [model, embedded] of [
      ['stand-in', 1],
      ['other', 3],
    ] as const) {
      const embedder = new StandInEmbedder(model);
      const { changes } = await watching({ sources: [folder], semantic: true, embedder, vectorsFrom });
      await eventually(() => expect(changes.at(-1)).toMatchObject({ kind: 'vectors', report: { embedded } }));
    }
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
    const watch = closing(new RunningWatch(parts, () => [source]));
    await watch.start();
    const kinds = (): string[] => changes.slice(0, 5).map(({ kind }) => kind);
    // Changes go first, then wait for vectors, each time twice as long.
    await eventually(() => expect(kinds()).toEqual(['words', 'words', 'words', 'vectors', 'words']));
    expect(attempts.slice(0, 3)).toEqual(['stopped', 'stopped', 'done']);
  }, 120_000);
});
