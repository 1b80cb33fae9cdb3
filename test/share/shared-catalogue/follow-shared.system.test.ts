import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import {
  buildCatalogue,
  type FollowedSearch,
  followCatalogue,
  openSkillSearch,
  type ReloadEvent,
  removeSkills,
  SkillSearchError,
  updateSkills,
} from '../../../src/index.js';
import { followCopy } from '../../../src/share/follow-copy.js';
import { revisionIn } from '../../../src/share/shared-catalogue/replica.js';
import { derivedFiles, filesBeside, sqliteFiles } from '../../../src/store/files.js';
import { codeOf } from '../../error-code.js';
import { until } from '../../processes.js';
import { row } from '../../rows.js';
import { closing, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { damageNotes } from '../../store/foreign.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { SharedLoader, startFollowing } from './machines.js';

interface Following {
  readonly search: FollowedSearch;
  readonly cache: string;
  readonly events: ReloadEvent[];
}

const rowsOf = (count: number): unknown[] => Array.from({ length: count }, (_, i) => row(`skill-${i}`));

describeWithPostgres('a search over the address of a database', (server) => {
  async function published(count = 50): Promise<SharedLoader> {
    const loader = await SharedLoader.open(await server.database());
    const sources = [{ name: 'rows', rows: rowsOf(count) }];
    await buildCatalogue({ database: loader.database, semantic: false, sources });
    await loader.publish();
    return loader;
  }

  async function following({ address }: SharedLoader, cache = scratchFolder()): Promise<Following> {
    const events: ReloadEvent[] = [];
    const search = closing(
      await followCatalogue({
        ...{ database: address, cache, interval: 20, snapshotInterval: 100 },
        onReload: (event) => void events.push(event),
      }),
    );
    return { search, cache, events };
  }

  async function change({ database }: SharedLoader, id: string): Promise<void> {
    await updateSkills({ database, semantic: false, rows: [row(id)] });
  }

  test('answers as one over the catalogue does, and says which version that is', async () => {
    const loader = await published();
    const cache = scratchFolder();
    const before = Math.floor(Date.now() / 1000);
    await using there = await openSkillSearch({ database: loader.address, cache });
    await using here = await openSkillSearch({ database: loader.database });
    for (const q of ['skill', 'skill 17', 'description']) expect(there.keyword({ q })).toEqual(here.keyword({ q }));
    const { copy } = there.stats();
    expect(copy?.version).toBe(1);
    expect(copy?.confirmedAt).toBeGreaterThanOrEqual(before);
    expect(here.stats().copy).toBeUndefined();
    expect(there.problems.warnings).toEqual([]);
  });

  test('shows what a load has changed soon after', async () => {
    const loader = await published();
    const { search } = await following(loader);
    const rows = Array.from({ length: 100 }, (_, i) => row(`later-${i}`));
    await updateSkills({ database: loader.database, semantic: false, rows });
    await removeSkills({ database: loader.database, ids: ['skill-1'] });
    await loader.publish();
    await until(() => search.get('later-99') !== undefined);
    await until(() => search.stats().copy?.version === 2);
    expect(search.get('skill-1')).toBeUndefined();
    await using here = await openSkillSearch({ database: loader.database });
    expect(search.keyword({ q: 'later' })).toEqual(here.keyword({ q: 'later' }));
    expect(search.stats().stamp).toBe(here.stats().stamp);
  });

  test.each([['opened'], ['followed']])('mends a copy that is damaged when it is %s', async (how) => {
    const loader = await published();
    const cache = scratchFolder();
    await (await openSkillSearch({ database: loader.address, cache })).close();
    damageNotes(join(cache, 'skills.db'));
    const options = { database: loader.address, cache };
    await using search = await (how === 'opened' ? openSkillSearch(options) : followCatalogue(options));
    expect(search.get('skill-7')).toBeDefined();
    expect(search.problems.warnings).toEqual([]);
  });

  test('goes on from its copy while PostgreSQL is stopped, says so once, and follows again', async () => {
    const loader = await published();
    const { search, events, cache } = await following(loader);
    await server.stop();
    await until(() => events.length > 0);
    await wait(500);
    expect(events).toMatchObject([{ kind: 'failed', during: 'fetching', error: { code: expect.any(String) } }]);
    expect(search.keyword({ q: 'skill' }).pagination.total).toBe(50);
    expect(search.stats().copy).toMatchObject({ version: 1, confirmedAt: expect.any(Number) });
    // Whoever opens the copy now uses it at once.
    const { search: later, events: laterEvents } = await following(loader, cache);
    expect(later.stats()).toMatchObject({ skills: 50, copy: { version: 1, confirmedAt: expect.any(Number) } });
    await until(() => laterEvents.length > 0);
    await using once = await openSkillSearch({ database: loader.address, cache });
    expect(once.problems.warnings).toMatchObject([
      { origin: 'database', message: expect.stringMatching(/^answers are from the copy that is here: .*postgres/) },
    ]);
    await server.start();
    await vi.waitFor(() => loader.store.head(), { timeout: 30_000 });
    await change(loader, 'later');
    await loader.publish();
    await until(() => search.get('later') !== undefined && later.get('later') !== undefined);
    for (const told of [events, laterEvents]) {
      await until(() => told.some(({ kind }) => kind === 'reachable'));
      const again = told.filter(({ kind }) => kind === 'reachable');
      expect(again).toEqual([{ kind: 'reachable', milliseconds: expect.any(Number) }]);
    }
  });

  test('says what is wrong where there is no copy, and never the password', async () => {
    const loader = await published();
    const wrong = loader.address.replace(/:[^:@]+@/, ':wr0ng-zebra@');
    for (const database of [wrong, loader.address.replace(/:\d+\//, ':1/'), `${loader.address}_missing`]) {
      for (const open of [openSkillSearch, followCatalogue]) {
        const error = await open({ database, cache: scratchFolder() }).catch((failure: unknown) => failure);
        expect(error).toBeInstanceOf(SkillSearchError);
        expect((error as SkillSearchError).code).toBe('DATABASE_NOT_READABLE');
        expect((error as SkillSearchError).message).not.toMatch(/zebra/);
      }
    }
    const empty = await server.database();
    const cache = scratchFolder();
    expect(await codeOf(() => openSkillSearch({ database: empty, cache }))).toBe('DATABASE_NOT_FOUND');
    expect(await codeOf(() => followCatalogue({ database: empty, cache }))).toBe('DATABASE_NOT_FOUND');
    expect(await codeOf(() => openSkillSearch({ database: 'postgres:skills' }))).toBe('INVALID_OPTION');
  });

  test('makes the copy again that somebody has deleted under it', async () => {
    const loader = await published();
    const { search, cache } = await following(loader);
    // By force: what was listed may be gone, as the lock of the follower that works there.
    for (const name of readdirSync(cache)) rmSync(join(cache, name), { recursive: true, force: true, maxRetries: 5 });
    await until(() => existsSync(join(cache, 'skills.db.keyword')));
    expect(search.keyword({ q: 'skill' }).pagination.total).toBe(50);
    await change(loader, 'later');
    await loader.publish();
    await until(() => search.get('later') !== undefined);
  });

  test('writes the index of vectors again where the copy was made anew in the same state', async () => {
    const loader = await SharedLoader.open(await server.database());
    const sources = [{ name: 'rows', rows: rowsOf(50) }];
    await buildCatalogue({ database: loader.database, embedder: new StandInEmbedder(), sources });
    await loader.publish();
    const follower = closing(
      await followCopy({
        ...{
          address: loader.address,
          cache: scratchFolder(),
          passwordFile: undefined,
          interval: 20,
          signal: undefined,
        },
        // Files may be deleted while it looks.
        onProblem: () => {},
      }),
    );
    const { database } = follower;
    const vectors = (): Promise<void> =>
      expect.poll(() => existsSync(filesBeside(database).vectors), { timeout: 30_000 }).toBe(true);
    await vectors();
    for (const path of [...sqliteFiles(database), ...derivedFiles(database)]) rmSync(path, { force: true });
    await vectors();
    // There is no checkpoint, so it is made of all rows.
    const { ino } = statSync(database);
    await follower.mend();
    expect(statSync(database).ino).not.toBe(ino);
    await vectors();
    expect(revisionIn(database)?.version).toBe(1);
  });

  test('refuses a folder with another catalogue, and the copy of another database', async () => {
    const loader = await published();
    const other = await published();
    const { cache } = await following(other);
    const own = scratchFolder();
    await buildCatalogue({ database: join(own, 'skills.db'), semantic: false, sources: [{ name: 'own', rows: [] }] });
    const [meant, held] = [loader, other].map(({ store }) => store.shown);
    const whats: [string, string][] = [
      [cache, `the copy of ${held}, not of ${meant}`],
      [own, `a catalogue that is no copy of ${meant}`],
    ];
    for (const [folder, what] of whats) {
      const told = { code: 'CATALOGUE_EXISTS', message: `${folder} holds ${what}: give another folder as the cache` };
      const place = { database: loader.address, cache: folder };
      await expect(followCatalogue(place)).rejects.toMatchObject(told);
      await expect(openSkillSearch(place)).rejects.toMatchObject(told);
    }
  });

  test('keeps no process alive', async () => {
    const loader = await published();
    const cache = scratchFolder();
    // The first makes the copy, and the second finds it.
    for (const _ of [1, 2]) expect(await (await startFollowing(loader.address, cache, 'end')).ended()).toBe(0);
  });

  test('goes on in another process where one was killed while it wrote', async () => {
    const loader = await published(300);
    const cache = scratchFolder();
    for (let round = 0; round < 4; round++) {
      const program = await startFollowing(loader.address, cache);
      const rows = Array.from({ length: 200 }, (_, i) => row(`skill-${i}`, { stars: round + 1 }));
      await updateSkills({ database: loader.database, semantic: false, rows });
      await removeSkills({ database: loader.database, ids: [`skill-${250 + round}`] });
      await loader.publish();
      await wait(100 + round * 60);
      await program.kill();
    }
    await using search = await openSkillSearch({ database: loader.address, cache });
    await using here = await openSkillSearch({ database: loader.database });
    search.check();
    expect(search.stats().stamp).toBe(here.stats().stamp);
    const query = { sortBy: 'stars', limit: 50 } as const;
    expect(search.list(query)).toEqual(here.list(query));
    expect(search.keyword({ q: 'skill 7' })).toEqual(here.keyword({ q: 'skill 7' }));
  }, 120_000);
});
