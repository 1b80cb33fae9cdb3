import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  type FollowedSearch,
  followCatalogue,
  openSkillSearch,
  type ReloadEvent,
  removeSkills,
  type SkillSearchError,
  updateSkills,
} from '../../../src/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { Replica, replicaFiles } from '../../../src/share/shared-catalogue/replica.js';
import { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { until } from '../../until.js';
import { describeWithStandbys } from '../postgres/describe-with-postgres.js';
import type { PostgresStandby } from '../postgres/postgres-cluster.js';
import { SharedLoader } from './shared-loader.js';

describeWithStandbys('a catalogue over a standby', (server) => {
  /** Of all tests that leave it a standby, and following. */
  let standby: PostgresStandby;
  beforeAll(async () => {
    // What is cleaned up on the primary is not waited for.
    standby = await server.standby(['max_standby_streaming_delay=0']);
  }, 60_000);

  async function published(count = 50): Promise<SharedLoader> {
    const loader = await SharedLoader.open(await server.database());
    const rows = Array.from({ length: count }, (_, i) => row(`skill-${i}`));
    await buildCatalogue({ database: loader.database, semantic: false, sources: [{ name: 'rows', rows }] });
    await loader.publish();
    return loader;
  }

  /** Publishes another version, with a skill of this id. */
  async function change(loader: SharedLoader, id: string): Promise<void> {
    await updateSkills({ database: loader.database, semantic: false, rows: [row(id)] });
    await loader.publish();
  }

  async function following(
    database: string,
    cache = scratchFolder(),
  ): Promise<{ readonly search: FollowedSearch; readonly cache: string; readonly events: ReloadEvent[] }> {
    const events: ReloadEvent[] = [];
    const onReload = (event: ReloadEvent): void => void events.push(event);
    const search = await followCatalogue({ database, cache, interval: 20, snapshotInterval: 100, onReload });
    onTestFinished(() => search.close());
    return { search, cache, events };
  }

  /** The address of a primary and of its standby, so that both have one replica. */
  function bothOf(address: string, one: PostgresStandby, target: string): string {
    const primary = new URL(address).host;
    return `${address.replace(primary, `${primary},${new URL(one.addressOf(address)).host}`)}?target_session_attrs=${target}`;
  }

  async function readerOf(address: string): Promise<SharedStore> {
    const store = await SharedStore.open(readPostgresAddress('database', address), { isReader: true });
    onTestFinished(() => store.close());
    return store;
  }

  test('is opened and followed as over its primary, from the files that a loader has left', async () => {
    const loader = await published();
    await loader.snapshot();
    await change(loader, 'since-then');
    await standby.caughtUp();
    const address = standby.addressOf(loader.address);
    await using once = await openSkillSearch({ database: address, cache: scratchFolder() });
    const { search, events } = await following(address);
    await using here = await openSkillSearch({ database: loader.database });
    for (const one of [once, search]) expect(one.keyword({ q: 'skill 17' })).toEqual(here.keyword({ q: 'skill 17' }));
    await change(loader, 'later');
    await until(() => search.get('later') !== undefined);
    await until(() => search.stats().copy?.version === 3);
    expect(failuresOf(events)).toEqual([]);
    expect(once.problems.warnings).toEqual([]);
  });

  test('that is empty is told as an empty one is, and opened once there is one', async () => {
    const address = await server.database();
    await standby.caughtUp();
    const database = standby.addressOf(address);
    const refusals = await Promise.all(
      [address, database].map((one) =>
        openSkillSearch({ database: one, cache: scratchFolder() }).catch((error: unknown) => error as SkillSearchError),
      ),
    );
    for (const error of refusals) expect(error).toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    const [there, here] = refusals.map((error) => (error as SkillSearchError).message);
    expect(here).toBe(standby.addressOf(there!));
    expect(await codeOf(() => followCatalogue({ database, cache: scratchFolder() }))).toBe('DATABASE_NOT_FOUND');
    const sources = [{ name: 'rows', rows: [row('first')] }];
    await buildCatalogue({ database: address, cache: scratchFolder(), semantic: false, sources });
    await standby.caughtUp();
    const { search } = await following(database);
    expect(search.get('first')).toBeDefined();
  });

  test('is not written to where a checkpoint is damaged: all skills are read', async () => {
    const loader = await published();
    await loader.snapshot();
    await server.execute(loader.address, `UPDATE skill_discovery.chunk SET bytes = bytes || '\\x00'`);
    await standby.caughtUp();
    const database = standby.addressOf(loader.address);
    const store = await readerOf(database);
    const copy = new Replica(replicaFiles(readPostgresAddress('database', database), scratchFolder()), store);
    expect(await copy.bringUp()).toMatchObject({ version: 1 });
    expect(await loader.store.snapshot.find()).toBeDefined();
  });

  test('is not loaded into, and who tries is told to give the primary', async () => {
    const loader = await published();
    await standby.caughtUp();
    const database = standby.addressOf(loader.address);
    const sources = [{ name: 'rows', rows: [row('another')] }];
    const cache = scratchFolder();
    for (const write of [
      () => buildCatalogue({ database, cache, semantic: false, sources }),
      () => updateSkills({ database, cache, semantic: false, rows: [row('another')] }),
      () => removeSkills({ database, cache, ids: ['skill-1'] }),
    ]) {
      await expect(write()).rejects.toMatchObject({
        code: 'DATABASE_NOT_WRITABLE',
        message: expect.stringMatching(/may only be read.*Give the address of the primary$/),
      });
    }
  });

  test('is asked again where it ends what is being read, because the primary has cleaned up', async () => {
    const loader = await published();
    await standby.caughtUp();
    const store = await readerOf(standby.addressOf(loader.address));
    const reading = store.withChangesSince(undefined, async (changes) => {
      await server.execute(loader.address, 'DELETE FROM skill_discovery.blob');
      await server.execute(loader.address, 'VACUUM skill_discovery.blob');
      await standby.caughtUp();
      for await (const _ of changes.images());
    });
    await expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
    await expect.poll(() => store.head().catch(() => undefined)).toMatchObject({ version: 1, isStandby: true });
  });

  describe('that is behind', () => {
    test('takes nothing back from a copy of its primary, and is followed once it is there', async () => {
      const loader = await published();
      const cache = scratchFolder();
      await standby.caughtUp();
      await standby.pause();
      onTestFinished(() => standby.resume());
      await change(loader, 'newer');
      const primary = await following(bothOf(loader.address, standby, 'primary'), cache);
      expect(primary.search.get('newer')).toBeDefined();
      await primary.search.close();
      const file = statSync(join(cache, 'skills.db'));
      const confirmed = Math.floor(Date.now() / 1000) - 3600;
      utimesSync(join(cache, 'skills.db.snapshot-of'), confirmed, confirmed);

      const database = bothOf(loader.address, standby, 'standby');
      await using once = await openSkillSearch({ database, cache });
      const { search, events } = await following(database, cache);
      for (let look = 0; look < 3; look++) await search.reload();
      for (const one of [once, search]) {
        expect([one.get('newer')?.id, one.stats().copy?.version]).toEqual(['newer', 2]);
      }
      expect(statSync(join(cache, 'skills.db'))).toMatchObject({ ino: file.ino, mtimeMs: file.mtimeMs });
      expect(failuresOf(events)).toEqual([]);
      expect(once.problems.warnings).toEqual([]);
      // That a standby is asked now says nothing of how old it is.
      for (const one of [once, search]) expect(one.stats().copy?.confirmedAt).toBe(confirmed);

      await standby.resume();
      await change(loader, 'newest');
      await until(() => search.get('newest') !== undefined);
    });

    test('is not compared with a copy of its primary, and checked itself all the same', async () => {
      const loader = await published();
      const cache = scratchFolder();
      await server.execute(
        loader.address,
        `UPDATE skill_discovery.skill SET image = replace(image, 'skill', 'other') WHERE id = 'skill-2'`,
      );
      await standby.caughtUp();
      await standby.pause();
      onTestFinished(() => standby.resume());
      await change(loader, 'newer');
      await removeSkills({ database: loader.database, ids: ['skill-2', 'skill-3'] });
      await loader.publish();
      await (await openSkillSearch({ database: bothOf(loader.address, standby, 'primary'), cache })).close();

      const database = bothOf(loader.address, standby, 'standby');
      const behind = await checkCatalogue({ database, cache });
      expect(behind.problems).toMatchObject([
        { skill: 'skill-2', problem: 'in the database it does not fit its hash' },
      ]);
      const { shown } = readPostgresAddress('database', database);
      expect(behind.outdated).toMatchObject([
        { part: 'database', path: shown, problem: expect.stringContaining('behind') },
      ]);
      await standby.resume();
      await standby.caughtUp();
      expect(await checkCatalogue({ database, cache })).toMatchObject({ skills: 49, problems: [], outdated: [] });
    });
  });

  test('of another catalogue does not get the copy', async () => {
    const [loader, other] = [await published(), await published()];
    await standby.caughtUp();
    const { search, cache } = await following(loader.address);
    await search.close();
    const database = standby.addressOf(other.address);
    expect(await codeOf(() => openSkillSearch({ database, cache }))).toBe('CATALOGUE_EXISTS');
    expect(await codeOf(() => followCatalogue({ database, cache }))).toBe('CATALOGUE_EXISTS');
  });

  describe('by a user', () => {
    async function asReader(loader: SharedLoader, role: string): Promise<string> {
      await server.execute(
        loader.address,
        `CREATE ROLE ${role} LOGIN PASSWORD 'pw'; GRANT USAGE ON SCHEMA skill_discovery TO ${role};
         GRANT SELECT ON ALL TABLES IN SCHEMA skill_discovery TO ${role}`,
      );
      return loader.address.replace(/\/\/[^@]+@/, `//${role}:pw@`);
    }

    test.each([
      ['who has no other rights', 'reader', ''],
      ['whose transactions only read', 'careful', 'ALTER ROLE careful SET default_transaction_read_only = on'],
    ])('%s is followed, as on the primary itself', async (_, role, more) => {
      const loader = await published();
      const database = await asReader(loader, role);
      await server.execute(loader.address, more);
      const { search, events } = await following(database);
      await change(loader, 'later');
      await until(() => search.get('later') !== undefined);
      expect(failuresOf(events)).toEqual([]);
    });
  });

  test('is followed while the primary is away, also by new servers, and when it is back', async () => {
    const loader = await published();
    await standby.caughtUp();
    const database = standby.addressOf(loader.address);
    const { search, events } = await following(database);
    await server.stop();
    await using later = await openSkillSearch({ database, cache: scratchFolder() });
    await search.reload();
    expect([search.stats().skills, later.stats().skills]).toEqual([50, 50]);
    await server.start();
    await change(await SharedLoader.open(loader.address, loader), 'later');
    await until(() => search.get('later') !== undefined);
    expect(failuresOf(events)).toEqual([]);
  });

  test('is followed on as a primary, which leads back a copy of what it has never got', async () => {
    const loader = await published();
    const next = await server.standby();
    await next.caughtUp();
    const database = next.addressOf(loader.address);
    const { search } = await following(database);
    await next.stop();
    await change(loader, 'lost');
    const cache = scratchFolder();
    const both = bothOf(loader.address, next, 'any');
    await (await openSkillSearch({ database: both, cache })).close();
    await server.stop();
    onTestFinished(() => server.start());
    await next.start();
    const { search: ahead } = await following(both, cache);
    expect(ahead.get('lost')).toBeDefined();
    await next.promote();
    await until(() => ahead.get('lost') === undefined);
    expect(ahead.stats().copy?.version).toBe(1);
    const sources = [{ name: 'more', rows: [row('kept')] }];
    await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources });
    await until(() => [search, ahead].every((one) => one.get('kept') !== undefined));
  });
});

function failuresOf(events: readonly ReloadEvent[]): readonly ReloadEvent[] {
  return events.filter(({ kind }) => kind === 'failed');
}
