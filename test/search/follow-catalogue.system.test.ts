import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  buildCatalogue,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  type ReloadEvent,
  updateSkills,
} from '../../src/index.js';
import { storedRecords } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { until } from '../processes.js';
import { type Row, row } from '../rows.js';
import { closing, scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

describe('follow catalogue', () => {
  /** Longer than any test: the file is then looked at only when `reload()` says so. */
  const NEVER = 3_600_000;
  const SECOND = 1000;

  test('small changes are answered from though the file never rests', async () => {
    const database = await catalogueOf('first');
    const { search } = await following({ database });
    await updateSkills({ database, rows: [row('later')], semantic: false });
    let seconds = 1;
    const restless = setInterval(() => utimesSync(database, seconds, seconds++), 1);
    onTestFinished(() => clearInterval(restless));
    await until(() => search.get('later') !== undefined);
    expect(search.get('later')?.id).toBe('later');
  });

  describe('a load that is finished', () => {
    test('is answered from by every call', async () => {
      const database = await catalogueOf('first');
      const { search } = await following({ database, interval: NEVER });
      const row = { ...skill('later', 0), categories: ['testing'], occupations: ['writers-273043'] };
      await buildCatalogue({ database, semantic: false, prune: true, sources: [{ name: 'rows', rows: [row] }] });
      await search.reload();

      expect(search.keyword({ q: 'shared' }).hits.map((hit) => hit.skill.id)).toEqual(['later-0']);
      expect(storedRecords(search, { q: 'shared' })).toMatchObject({
        pagination: { total: 1 },
      });
      expect(search.get('later-0')).toBeDefined();
      expect(search.get('first-0')).toBeUndefined();
      expect(search.files('later-0')).toMatchObject([{ text: 'text of later' }]);
      expect(search.categories()).toEqual([{ slug: 'testing', count: 1 }]);
      expect(search.occupations()).toHaveLength(1);
      expect(search.stats()).toMatchObject({ skills: 1, files: 1 });
      expect(search.problems).toEqual({ rejected: [], warnings: [] });
      search.check();
    });

    test('is answered from when it is finished, its indexes included: not while its lock is there', async () => {
      const database = await catalogueOf('first');
      const next = await catalogueOf('second');
      const { search, events } = await following({ database, interval: 5 });
      writeFileSync(`${database}.loading-lock`, '');
      renameSync(next, database);
      await wait(200);
      expect([markersOf(search), events]).toEqual([['first'], []]);
      rmSync(`${database}.loading-lock`);
      await until(() => markersOf(search).includes('second'));
    });

    test('is followed through a link, also when the link leads elsewhere', async () => {
      const folder = scratchFolder();
      const [link, one, other] = [join(folder, 'current.db'), join(folder, 'one.db'), join(folder, 'other.db')];
      await load(one, 'one');
      await load(other, 'other');
      symlinkSync(one, link);
      const { search } = await following({ database: link, interval: 5 });

      symlinkSync(other, join(folder, 'next'));
      renameSync(join(folder, 'next'), link);
      await until(() => markersOf(search).includes('other'));
      await load(link, 'more');
      await until(() => markersOf(search).includes('more'));
      expect(markersOf(search)).toEqual(['more']);
    });
  });

  describe('reload()', () => {
    test('said many times at once opens the file twice: now, and once more for all who came later', async () => {
      const database = await catalogueOf('first');
      const { search, events } = await following({ database, interval: NEVER });
      await load(database, 'second');
      await Promise.all(Array.from({ length: 20 }, () => search.reload()));
      expect(events).toMatchObject([{ kind: 'reloaded' }, { kind: 'reloaded' }]);
      expect(markersOf(search)).toEqual(['second']);

      await search.reload();
      expect(events).toHaveLength(3);
    });

    test('said while another one runs answers from what was there when it was said', async () => {
      const database = await catalogueOf('first');
      const next = await catalogueOf('second');
      const { search } = await following({ database, interval: NEVER });
      for (let round = 0; round < 10; round++) {
        const running = search.reload();
        for (let turn = 0; turn < round; turn++) await nextTurn();
        renameSync(next, database);
        await search.reload();
        expect(markersOf(search)).toEqual(['second']);
        await running;
        expect(markersOf(search)).toEqual(['second']);
        await load(next, 'second');
        await load(database, 'first');
        await search.reload();
        expect(markersOf(search)).toEqual(['first']);
      }
    });

    test('fails for each who said it, if there is nothing to open, and succeeds afterwards', async () => {
      const database = await catalogueOf('first');
      const { search, events } = await following({ database, interval: NEVER });
      renameSync(database, `${database}.away`);
      const codes = await Promise.all([1, 2, 3].map(() => codeOf(() => search.reload())));
      expect(codes).toEqual(['DATABASE_NOT_FOUND', 'DATABASE_NOT_FOUND', 'DATABASE_NOT_FOUND']);
      expect(events.map(({ kind }) => kind)).toEqual(['failed', 'failed']);
      expect(markersOf(search)).toEqual(['first']);

      renameSync(`${database}.away`, database);
      await search.reload();
      expect(events.at(-1)).toMatchObject({ kind: 'reloaded' });
    });

    test.skipIf(!existsSync('/proc/self/fd'))('lets go of the files of former states', async () => {
      const database = await catalogueOf('first');
      const { search } = await following({ database, interval: NEVER });
      const opened = openFiles(dirname(database));
      expect(opened).toBeGreaterThan(0);
      for (const marker of ['second', 'third', 'fourth', 'fifth']) {
        await load(database, marker);
        await search.reload();
      }
      await until(() => openFiles(dirname(database)) <= opened);
      await search.close();
      expect(openFiles(dirname(database))).toBe(0);
    });
  });

  describe('a change to what cannot be opened', () => {
    const BAD: Record<string, { code: string; write: (path: string) => void }> = {
      'a text file': { code: 'NOT_A_CATALOGUE', write: (path) => writeFileSync(path, 'Dear diary,\n'.repeat(100)) },
      'an empty file': { code: 'NOT_A_CATALOGUE', write: (path) => writeFileSync(path, '') },
      'half a catalogue': {
        code: 'DATABASE_DAMAGED',
        write: (path) => writeFileSync(path, readFileSync(path).subarray(0, 8192)),
      },
    };

    test.each(Object.entries(BAD))('%s: the former state goes on, and onReload is told why', async (_, bad) => {
      const database = await catalogueOf('first', 300);
      const kept = readFileSync(database);
      const { search, events } = await following({ database, interval: 5 });
      writeFileSync(`${database}.next`, kept);
      bad.write(`${database}.next`);
      renameSync(`${database}.next`, database);
      await until(() => events.length > 0);

      expect(events).toEqual([
        { kind: 'failed', during: 'opening', error: expect.objectContaining({ code: bad.code }) },
      ]);
      expect(markersOf(search)).toEqual(['first']);
      expect(search.get('first-7')).toBeDefined();
      search.check();
      expect(await codeOf(() => search.reload())).toBe(bad.code);
      expect(markersOf(search)).toEqual(['first']);

      // Told once, not at every look. Then a good one comes.
      const told = events.length;
      await wait(100); // 20 looks at the file
      expect(events).toHaveLength(told);
      await load(`${database}.next`, 'second');
      renameSync(`${database}.next`, database);
      await until(() => markersOf(search).includes('second'));
      expect(events.slice(told)).toMatchObject([{ kind: 'reloaded' }]);
    });
  });

  describe('semantic search', () => {
    test('that runs while the catalogue is replaced ends well, from the former state', async () => {
      const database = await catalogueOf('first', SIZE, loadWithVectors);
      const embedder = new HeldEmbedder();
      const { search } = await following({ database, embedder, interval: NEVER });
      embedder.hold();
      const running = [search.semantic({ q: 'shared words' }), search.semantic({ q: 'first', ranking: 'vector' })];
      await until(() => embedder.held === 2);

      for (const marker of ['second', 'third']) {
        await loadWithVectors(database, marker);
        await search.reload();
        expect(markersOf(search)).toEqual([marker]);
      }
      embedder.release();
      for (const { hits } of await Promise.all(running)) {
        expect(hits.length).toBeGreaterThan(0);
        expect(hits.map(({ skill }) => markerOf(skill.id))).toEqual(hits.map(() => 'first'));
      }
      const { hits } = await search.semantic({ q: 'shared words' });
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.map(({ skill }) => markerOf(skill.id))).toEqual(hits.map(() => 'third'));
    });

    test.skipIf(!existsSync('/proc/self/fd'))('lets go of the former state when its last answer is there', async () => {
      const database = await catalogueOf('first', SIZE, loadWithVectors);
      const embedder = new HeldEmbedder();
      const { search } = await following({ database, embedder, interval: NEVER, warmUp: true });
      const opened = openFiles(dirname(database));
      embedder.hold();
      const running = [search.semantic({ q: 'shared' }), search.semantic({ q: 'words' })];
      await until(() => embedder.held === 2);
      await loadWithVectors(database, 'second');
      await search.reload();
      expect(openFiles(dirname(database))).toBeGreaterThan(opened);

      embedder.release();
      await Promise.all(running);
      await until(() => openFiles(dirname(database)) <= opened);
    });

    test('that is missing in a later state is told to who asks, and does not keep words from being found', async () => {
      const database = await catalogueOf('first', SIZE, loadWithVectors);
      const { search, events } = await following({
        database,
        embedder: new StandInEmbedder(),
        interval: NEVER,
        warmUp: true,
      });
      await load(`${database}.next`, 'second');
      renameSync(`${database}.next`, database);
      await search.reload();

      expect(events).toMatchObject([{ kind: 'reloaded' }]);
      expect(markersOf(search)).toEqual(['second']);
      expect(await codeOf(() => search.semantic({ q: 'shared' }))).toBe('NO_VECTORS');
      expect(await codeOf(() => search.warmUp())).toBe('NO_VECTORS');

      await loadWithVectors(database, 'third');
      await search.reload();
      expect((await search.semantic({ q: 'shared' })).hits.map(({ skill }) => markerOf(skill.id))).toContain('third');
    });

    test('never fails and never mixes states, however often the catalogue is loaded meanwhile', async () => {
      const database = await catalogueOf('0', SIZE, loadWithVectors);
      const { search } = await following({ database, embedder: new StandInEmbedder(), interval: 1, warmUp: true });
      const seen = new Set<string>();
      await whileLoading(
        async () => {
          const { hits } = await search.semantic({ q: 'shared words of everybody', limit: 100 });
          seen.add(oneMarkerOf(hits.map((hit) => hit.skill)));
        },
        async () => {
          for (let load = 1; load <= 8; load++) {
            await loadWithVectors(database, String(load), SIZE + load);
            await search.reload();
          }
        },
      );
      expect(seen.size).toBeGreaterThan(2);
    });
  });

  describe('keyword search', () => {
    test('never fails and never mixes states, however often the catalogue is loaded meanwhile', async () => {
      const database = await catalogueOf('0', SIZE);
      const { search, events } = await following({ database, interval: 1 });
      const seen = new Set<string>();
      await whileLoading(
        async () => {
          // A state has as many skills as its marker says.
          const { hits, pagination } = search.keyword({ q: 'shared', limit: 50 });
          const marker = oneMarkerOf(hits.map((hit) => hit.skill));
          expect(pagination.total).toBe(SIZE + Number(marker));
          expect(search.keyword({ q: `m${marker}`, limit: 50 }).pagination.total).toBe(SIZE + Number(marker));
          const { records } = storedRecords(search, { q: 'shared' });
          expect(new Set(records.map((record) => /of m(\d+)/.exec(JSON.stringify(record))?.[1]))).toEqual(
            new Set([marker]),
          );
          expect(search.get(`${marker}-0`)?.id).toBe(`${marker}-0`);
          expect(search.files(`${marker}-0`)).toMatchObject([{ text: `text of ${marker}` }]);
          expect(search.stats().skills).toBe(SIZE + Number(marker));
          seen.add(marker);
          await nextTurn();
        },
        async () => {
          for (let round = 1; round <= 25; round++) {
            await load(database, String(round), SIZE + round);
            // Some are found by looking at the file.
            if (round % 3 !== 0) await search.reload();
          }
          await until(() => markersOf(search).includes('25'));
        },
      );
      expect(seen.size).toBeGreaterThan(10);
      expect(events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    });
  });

  describe('closing', () => {
    test('ends everything: later calls fail', async () => {
      const database = await catalogueOf('first', SIZE, loadWithVectors);
      const { search } = await following({ database, embedder: new StandInEmbedder() });
      await search.close();
      for (const call of [
        () => search.keyword({ q: 'shared' }),
        () => storedRecords(search, { q: 'shared' }),
        () => search.semantic({ q: 'shared' }),
        () => search.stats(),
        () => search.check(),
        () => search.warmUp(),
        () => search.reload(),
      ]) {
        expect(await codeOf(call)).toBe('SERVICE_UNAVAILABLE');
      }
    });

    test('ends the questions that are being answered, from the present and from a former state', async () => {
      const database = await catalogueOf('first', SIZE, loadWithVectors);
      const embedder = new HeldEmbedder();
      const { search } = await following({ database, embedder, interval: NEVER });
      embedder.hold();
      const former = codeOf(() => search.semantic({ q: 'shared' }));
      await until(() => embedder.held === 1);
      await loadWithVectors(database, 'second');
      await search.reload();
      const present = codeOf(() => search.semantic({ q: 'shared' }));
      await until(() => embedder.held === 2);

      await search.close();
      expect(await Promise.all([former, present])).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
      embedder.release();
    });

    test.skipIf(!existsSync('/proc/self/fd'))('while a reload runs lets go of what that opens, too', async () => {
      const database = await catalogueOf('first', 300);
      for (let turns = 0; turns < 10; turns++) {
        const { search, events } = await following({ database, interval: NEVER });
        const reloads = [search.reload(), search.reload()].map((reload) => codeOf(() => reload));
        for (let turn = 0; turn < turns; turn++) await nextTurn();
        const before = events.length;
        await search.close();
        expect(openFiles(dirname(database))).toBe(0);
        expect(await codeOf(() => search.keyword({ q: 'shared' }))).toBe('SERVICE_UNAVAILABLE');
        for (const code of await Promise.all(reloads)) expect(['no error', 'SERVICE_UNAVAILABLE']).toContain(code);
        expect(openFiles(dirname(database))).toBe(0);
        expect(events).toHaveLength(before);
      }
    });
  });

  describe('following', () => {
    test('does not keep the process running', async () => {
      const database = await catalogueOf('first', 4);
      const script = fileURLToPath(new URL('following-process.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', script, database], {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 30 * SECOND,
      });
      const ended = once(child, 'exit');
      const said = await (child.stdout as Readable).toArray();
      expect(Buffer.concat(said).toString()).toBe('4\n');
      expect(await ended).toEqual([0, null]);
    });

    test('keeps its stop words from state to state, also where they can be read only once', async () => {
      const database = await catalogueOf('first');
      const { search } = await following({ database, interval: NEVER, stopWords: ['elsewhere'].values() });
      const asked = { q: 'shared elsewhere' };
      expect(search.keyword(asked).step).toBe('all-words');
      await search.reload();
      expect(search.keyword(asked).step).toBe('all-words');
    });

    test.each([
      ['no options', undefined],
      ['no database', {}],
      ['an interval of 0', { interval: 0 }],
      ['a negative interval', { interval: -5 }],
      ['half a millisecond', { interval: 0.5 }],
      ['an interval that no timer can wait for', { interval: 2 ** 31 }],
      ['an interval as text', { interval: '250' }],
      ['a listener that is none', { onReload: 'tell me' }],
      ['stop words that are no words', { stopWords: [1] }],
      ['a gloss that is no flag', { gloss: 1 }],
      ['a signal that is none', { signal: 'now' }],
    ])('is refused with %s', async (what, wrong) => {
      const database = await catalogueOf('first');
      const options = wrong === undefined || what === 'no database' ? wrong : { database, ...wrong };
      expect(await codeOf(() => followCatalogue(options as never))).toBe('INVALID_OPTION');
    });

    test('is not begun when it was aborted before, and not ended when it is aborted later', async () => {
      const database = await catalogueOf('first');
      const reason = new Error('not needed any more');
      await expect(followCatalogue({ database, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

      const stop = new AbortController();
      const { search } = await following({ database, interval: NEVER, signal: stop.signal });
      stop.abort(reason);
      await load(database, 'second');
      await search.reload();
      expect(markersOf(search)).toEqual(['second']);
    });
  });

  /** How many skills a state has, if nothing else is said. */
  const SIZE = 20;

  /** A skill that says which state of the catalogue it belongs to. */
  function skill(marker: string, number: number): Row {
    return row(`${marker}-${number}`, {
      description: `Shared words of m${marker}, number ${number}.`,
      files: [{ filename: 'SKILL.md', text: `text of ${marker}` }],
    });
  }

  /** Makes a catalogue whose skills are all of one state. */
  async function load(
    database: string,
    marker: string,
    size = SIZE,
    more: object = { semantic: false },
  ): Promise<void> {
    const rows = Array.from({ length: size }, (_, number) => skill(marker, number));
    await buildCatalogue({ database, prune: true, sources: [{ name: 'rows', rows }], ...more });
  }

  async function loadWithVectors(database: string, marker: string, size = SIZE): Promise<void> {
    await load(database, marker, size, { embedder: new StandInEmbedder() });
  }

  async function catalogueOf(marker: string, size = SIZE, make = load): Promise<string> {
    const database = scratchFile('skills.db');
    await make(database, marker, size);
    return database;
  }

  /** Follows a catalogue until the test ends, and keeps what onReload was told. */
  async function following(
    options: FollowOptions,
  ): Promise<{ readonly search: FollowedSearch; readonly events: ReloadEvent[] }> {
    const events: ReloadEvent[] = [];
    const search = closing(await followCatalogue({ onReload: (event) => events.push(event), ...options }));
    return { search, events };
  }

  function markerOf(id: string): string {
    return id.replace(/-\d+$/, '');
  }

  /** The states from which the answer to a question comes that all skills answer. */
  function markersOf(search: FollowedSearch): string[] {
    const { hits } = search.keyword({ q: 'shared', limit: 50 });
    return [...new Set(hits.map((hit) => markerOf(hit.skill.id)))];
  }

  /** The one state from which skills come, by their ids as by their texts. */
  function oneMarkerOf(skills: readonly { readonly id: string; readonly description: string }[]): string {
    const markers = new Set(
      skills.flatMap(({ id, description }) => [markerOf(id), /of m(\d+),/.exec(description)?.[1] ?? 'none']),
    );
    expect([...markers]).toHaveLength(1);
    return [...markers][0] as string;
  }

  /** Asks again and again until the loads are done. */
  async function whileLoading(ask: () => Promise<void>, loads: () => Promise<void>): Promise<void> {
    let loading = true;
    const asking = async () => {
      while (loading) await ask();
    };
    const finished = loads().finally(() => {
      loading = false;
    });
    await Promise.all([asking(), finished]);
  }

  /** How many files of a folder this process has open, deleted ones included. */
  function openFiles(folder: string): number {
    return readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${folder}/`);
      } catch {
        return false; // closed in the meantime
      }
    }).length;
  }

  /** An embedder that reads a question only when it is let go. */
  class HeldEmbedder extends StandInEmbedder {
    /** How many calls wait, or waited. */
    held = 0;
    #gate: Promise<void> = Promise.resolve();
    #open: () => void = () => {};

    hold(): void {
      this.#gate = new Promise((done) => {
        this.#open = done;
      });
    }

    release(): void {
      this.#open();
    }

    override async embed(...[texts, options]: Parameters<StandInEmbedder['embed']>): Promise<Float32Array[]> {
      this.held += 1;
      await this.#gate;
      return super.embed(texts, options);
    }
  }
});
