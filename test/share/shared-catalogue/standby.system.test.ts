import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  buildCatalogue,
  type FollowedSearch,
  followCatalogue,
  openSkillSearch,
  type ReloadEvent,
  updateSkills,
} from '../../../src/index.js';
import { until } from '../../processes.js';
import { row } from '../../rows.js';
import { closing, scratchFolder } from '../../scratch-folder.js';
import { describeWithStandbys } from '../postgres/describe-with-postgres.js';
import type { PostgresStandby } from '../postgres/postgres-cluster.js';
import { SharedLoader } from './machines.js';

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
    const search = closing(await followCatalogue({ database, cache, interval: 20, snapshotInterval: 100, onReload }));
    return { search, cache, events };
  }

  /** The address of a primary and of its standby, so that both have one replica. */
  function bothOf(address: string, one: PostgresStandby, target: string): string {
    const primary = new URL(address).host;
    return `${address.replace(primary, `${primary},${new URL(one.addressOf(address)).host}`)}?target_session_attrs=${target}`;
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

  test('that is behind takes nothing back from a copy of its primary, and is followed once it is there', async () => {
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
