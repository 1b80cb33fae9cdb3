import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  copyCatalogue,
  type LoadReport,
  openSkillSearch,
  updateSkills,
  writeSnapshot,
} from '../../src/index.js';
import { connectShared } from '../../src/share/shared-catalogue/replica.js';
import { locationIn } from '../../src/store/places.js';
import { contentOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { runKilled } from '../processes.js';
import { type Row, row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { catalogueInPostgres } from '../share/shared-catalogue/machines.js';
import { serveFolder } from '../share/snapshot/snapshots.js';
import { keepsACatalogue } from './contract/loads.js';
import { writeSkill } from './whole-files.js';

describeWithPostgres('a catalogue in PostgreSQL', (server) => keepsACatalogue(catalogueInPostgres(server)));

describeWithPostgres('a load into PostgreSQL', (server) => {
  /** Loads into a database of PostgreSQL, from machines with a cache folder each. */
  const place = async () => {
    const database = await server.database();
    const machine = () => {
      const cache = scratchFolder();
      const load = (sources: BuildOptions['sources'], more: Partial<BuildOptions> = {}): Promise<LoadReport> =>
        buildCatalogue({ database, cache, sources, semantic: false, ...more });
      return { cache, copy: join(cache, 'skills.db'), load };
    };
    return { database, machine, contents: () => contentsOf(database), version: () => versionOf(database) };
  };

  test('knows folders by their path on the machine, wherever its copy lies', async () => {
    const { machine, contents } = await place();
    const skills = join(scratchFolder(), 'skills');
    writeSkill(join(skills, 'pdf'), 'reads PDF files');
    await machine().load([skills]);
    const report = await machine().load([skills], { prune: true });
    expect([report.unchanged, report.added, report.removed]).toEqual([1, 0, 0]);
    const [skill] = (await contents()).values();
    expect(skill!.sources).toEqual([`folder:${skills.slice(1)}`]);
    expect(skill!.place).toContain(join(skills, 'pdf').slice(1));
  });

  describe('at the same time as others', () => {
    test.each(['of one machine', 'of several machines'] as const)('%s adds its own skills to theirs', async (where) => {
      const { machine, contents, version } = await place();
      const shared = machine();
      const names = ['one', 'two', 'three', 'four'];
      const reports = await Promise.all(
        names.map((name) => {
          const { load } = where === 'of one machine' ? shared : machine();
          return load([{ name, rows: [row(name), row(`${name}-2`)] }]);
        }),
      );
      for (const report of reports) expect(report).toMatchObject({ added: 2, updated: 0 });
      expect([...(await contents()).keys()]).toEqual(names.flatMap((name) => [name, `${name}-2`]).sort());
      expect(await version()).toBe(4);
    });

    test('runs again where they were published meanwhile, and ends as if it had come after them', async () => {
      const { machine, contents } = await place();
      const [one, other] = [machine(), machine()];
      await one.load([{ name: 'mine', rows: [row('a'), row('b')] }]);
      let reads = 0;
      const rows = {
        async *[Symbol.asyncIterator]() {
          reads += 1;
          yield row('a', { stars: 1 });
          if (reads === 1) await other.load([{ name: 'theirs', rows: [row('a', { stars: 2 }), row('c')] }]);
          yield row('b');
        },
      };
      const report = await one.load([{ name: 'mine', rows }]);
      expect(reads).toBe(2);
      expect(report).toMatchObject({ added: 0, updated: 1, unchanged: 1 });
      const found = await contents();
      expect(found.get('a')).toMatchObject({ record: { stars: 1 }, sources: ['rows:mine', 'rows:theirs'] });
      expect([...found.keys()]).toEqual(['a', 'b', 'c']);
      // The replica has all of it.
      expect([...contentOf(one.copy).keys()]).toEqual(['a', 'b', 'c']);
    });

    test.each([
      ['rows that can be read only once', () => generate([row('a', { stars: 1 })]), undefined],
      ['standard input', () => '-', toJsonLines([row('a', { stars: 1 })])],
    ])('waits for its turn, and keeps it, where it loads %s', async (_, source, input) => {
      const { machine, contents, version } = await place();
      const [one, other] = [machine(), machine()];
      await one.load([[row('a')]]);
      let theirs: Promise<LoadReport> | undefined;
      const meanwhile = {
        async *[Symbol.asyncIterator]() {
          theirs = other.load([{ name: 'theirs', rows: [row('a', { stars: 2 })] }]);
          yield row('b');
        },
      };
      const stdin = input === undefined ? undefined : Readable.from([Buffer.from(input)]);
      await one.load([source(), { name: 'meanwhile', rows: meanwhile }], { stdin });
      await theirs;
      const found = await contents();
      expect([...found.keys(), await version()]).toEqual(['a', 'b', 3]);
      expect(found.get('a')).toMatchObject({ record: { stars: 2 } });
    });
  });

  const MOMENTS = [
    'reading',
    'embedding',
    'publishing',
    'staging-committed',
    'staging-renamed',
    'copy-committed',
    'copy-renamed',
  ] as const;

  test.each(MOMENTS)(
    'that is killed at the moment "%s" is all there or not at all, and is finished by the next',
    async (moment) => {
      const { machine, database, contents, version } = await place();
      const { load, cache } = machine();
      const source = scratchFile('rows.jsonl');
      writeJsonLines(source, [row('a'), row('b'), row('gone')]);
      await load([source], { semantic: true, embedder: new StandInEmbedder() });
      const before = comparable(await contents());
      writeJsonLines(source, [row('a'), row('b', { stars: 1 }), ...numbered(1500)]);
      await killed([database, source, moment, cache]);
      const after = await contents();
      if ((await version()) === 1) expect(comparable(after)).toEqual(before);
      else expect(after.size).toBe(1502);

      const embedder = new StandInEmbedder();
      const isPublished = (await version()) === 2;
      const report = await load([source], { semantic: true, embedder, prune: true });
      const counts = isPublished ? [0, 0, 1502, 0] : [1500, 1, 1, 1];
      expect([report.added, report.updated, report.unchanged, report.removed]).toEqual(counts);
      expect([await version(), (await contents()).size]).toEqual([2, 1502]);
      // What was embedded is not embedded again.
      const made = moment === 'reading' ? 1500 : moment === 'embedding' ? 1500 - 512 : 0;
      expect(report.embedded).toBeLessThanOrEqual(made);
      expect(embedder.asked).toHaveLength(report.embedded);
      expect(readdirSync(join(cache, 'load'))).toEqual([]);
    },
  );

  test('stops at its signal, and is finished by the next', async () => {
    const { machine, version } = await place();
    const { load } = machine();
    for (const phase of ['reading', 'embedding', 'publishing'] as const) {
      const stop = new AbortController();
      const loading = load([{ name: 'rows', rows: numbered(600, phase) }], {
        semantic: true,
        embedder: new StandInEmbedder(),
        signal: stop.signal,
        onProgress: (progress) => progress.phase === phase && stop.abort(new Error('enough')),
      });
      await expect(loading).rejects.toThrow('enough');
    }
    expect(await version()).toBe(0);
    const embedder = new StandInEmbedder();
    const report = await load([{ name: 'rows', rows: numbered(600, 'publishing') }], { semantic: true, embedder });
    expect([report.added, report.embedded]).toEqual([600, 0]);
  });

  test('stops at its signal while it stores vectors in a database that does not answer', async () => {
    const { machine, database } = await place();
    const { load } = machine();
    await load([[row('a')]], { semantic: true, embedder: new StandInEmbedder() });
    let isLocked = true;
    const locking = server
      .execute(database, `BEGIN; LOCK TABLE skill_discovery.vector IN EXCLUSIVE MODE; SELECT pg_sleep(60)`)
      .catch(() => {
        isLocked = false;
      });
    const waiting = (kind: string): Promise<unknown> =>
      server.execute(database, `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${kind}`);
    await expect.poll(() => waiting("wait_event = 'PgSleep'")).toEqual([{ n: 1 }]);
    const stop = new AbortController();
    const options = { semantic: true, embedder: new StandInEmbedder(), signal: stop.signal };
    const loading = load([{ name: 'more', rows: [row('b')] }], options);
    loading.catch(() => {});
    await expect.poll(() => waiting("wait_event_type = 'Lock'"), { timeout: 10_000 }).toEqual([{ n: 1 }]);
    stop.abort(new Error('enough'));
    await expect(loading).rejects.toThrow('enough');
    expect(isLocked).toBe(true);
    await server.execute(database, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    await locking;
  });

  test('ends where the database goes away, and is finished when it is back', async () => {
    const { machine, contents } = await place();
    const { load } = machine();
    await load([[row('a')]]);
    const rows = {
      async *[Symbol.asyncIterator]() {
        yield row('b');
        await server.stop('SIGQUIT');
      },
    };
    await expect(load([{ name: 'more', rows }])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await server.start();
    expect((await load([{ name: 'more', rows: [row('b')] }])).added).toBe(1);
    expect([...(await contents()).keys()]).toEqual(['a', 'b']);
  });

  test.each(['rows that can be read again', 'rows that can be read only once'] as const)(
    'makes a local copy anew that is damaged: %s',
    async (kind) => {
      const { machine, contents } = await place();
      const { load, copy, cache } = machine();
      const rows = numbered(2000);
      await load([{ name: 'rows', rows }]);
      const whole = readFileSync(copy);
      for (const share of [0.2, 0.5, 0.8]) {
        const at = Math.floor(whole.length * share);
        whole.fill(0x5a, at, at + 20_000);
      }
      writeFileSync(copy, whole);
      const more = [...rows, row('new')];
      const reading = kind === 'rows that can be read again' ? more : generate(more);
      const first = load([{ name: 'rows', rows: reading }]);
      if (reading === more) await first;
      else await expect(first).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
      await load([{ name: 'rows', rows: more }]);
      expect((await contents()).size).toBe(2001);
      expect([...contentOf(copy).keys()]).toEqual([...(await contents()).keys()]);
      expect(readdirSync(join(cache, 'load'))).toEqual([]);
    },
  );

  test('goes on from a database that was restored to an earlier version', async () => {
    const { machine, database, contents } = await place();
    const { load } = machine();
    await load([{ name: 'one', rows: [row('a')] }]);
    const name = new URL(database).pathname.slice(1);
    const administrator = await server.database('postgres');
    await server.execute(administrator, `CREATE DATABASE backup TEMPLATE ${name}`);
    await load([{ name: 'two', rows: [row('lost')] }]);
    await server.execute(administrator, `DROP DATABASE ${name}`);
    await server.execute(administrator, `ALTER DATABASE backup RENAME TO ${name}`);
    const report = await load([{ name: 'three', rows: [row('b')] }]);
    expect(report).toMatchObject({ added: 1, removed: 0 });
    expect([...(await contents()).keys()]).toEqual(['a', 'b']);
    expect((await load([{ name: 'two', rows: [row('lost')] }])).added).toBe(1);
  });

  test('has succeeded where no snapshot can be written: that is a warning, and the next load writes it', async () => {
    const { machine, database, contents } = await place();
    await machine().load([[row('a')]]);
    await server.execute(database, 'DELETE FROM skill_discovery.snapshot');
    await server.execute(database, FAULTY);
    const report = await machine().load([[row('a'), row('b')]]);
    expect([report.added, report.warnings]).toEqual([
      1,
      [{ origin: 'snapshot', message: expect.stringContaining('refuses a statement') }],
    ]);
    expect([...(await contents()).keys()]).toEqual(['a', 'b']);
    await server.execute(database, 'DROP TRIGGER faulty ON skill_discovery.snapshot');
    expect((await machine().load([[row('a')]])).warnings).toEqual([]);
    expect(await server.execute(database, 'SELECT version::int FROM skill_discovery.snapshot')).toEqual([
      { version: 2 },
    ]);
  });

  test('publishes nothing from a folder that holds another catalogue, and leaves that alone', async () => {
    const { database, version } = await place();
    const cache = scratchFolder();
    const file = join(cache, 'skills.db');
    await buildCatalogue({ database: file, sources: [[row('own')]], semantic: false });
    const before = readdirSync(cache);
    const loading = buildCatalogue({ database, cache, sources: [[row('a')]], semantic: false });
    await expect(loading).rejects.toMatchObject({ code: 'CATALOGUE_EXISTS' });
    expect([await version(), readdirSync(cache), [...contentOf(file).keys()]]).toEqual([0, before, ['own']]);
  });
});

describeWithPostgres('a small change in PostgreSQL', (server) => {
  /** A database with some skills, and the same in a file. */
  const place = async () => {
    const database = await server.database();
    const [file, cache] = [scratchFile('skills.db'), scratchFolder()];
    const sources = [{ name: 'mine', rows: [row('a'), row('b'), row('c')] }];
    const shared = { database, cache, embedder: new StandInEmbedder() };
    const own = { database: file, embedder: new StandInEmbedder() };
    await buildCatalogue({ ...shared, sources });
    await buildCatalogue({ ...own, sources });
    const both = () => [contentOf(join(cache, 'skills.db')), contentOf(file)] as const;
    return { database, cache, shared, own, both };
  };

  test('may be made many times at once', async () => {
    const { shared, both } = await place();
    const ids = ['p', 'q', 'r', 's'];
    const changes = ids.map((id) => updateSkills({ ...shared, rows: [row(id), row('a', { author: id })] }));
    for (const report of await Promise.all(changes)) expect(report.added).toBe(1);
    expect([...both()[0].keys()]).toEqual(['a', 'b', 'c', ...ids]);
  });
});

describeWithPostgres('a snapshot of a catalogue in PostgreSQL', (server) => {
  /** A database with some skills, and the cache of the machine that loaded them. */
  async function catalogue(
    rows: Iterable<Row> = Array.from({ length: 20 }, (_, i) => row(`skill-${i}`)),
  ): Promise<{ readonly database: string; readonly cache: string }> {
    const database = await server.database();
    const cache = scratchFolder();
    await buildCatalogue({ database, cache, semantic: false, sources: [{ name: 'rows', rows }] });
    return { database, cache };
  }
  const change = (database: string, id: string): Promise<unknown> =>
    updateSkills({ database, cache: scratchFolder(), semantic: false, rows: [row(id)] });

  test('is of the newest version, of which it brings the copy up to date, and can be followed', async () => {
    const { database, cache } = await catalogue();
    await change(database, 'later');
    const to = scratchFolder();
    const report = await writeSnapshot({ database, cache, to });
    expect(report).toMatchObject({ version: 2, written: report.chunks, pruned: 0 });
    const { address } = await serveFolder(to);
    await using followed = await openSkillSearch({ database: address, cache: scratchFolder() });
    await using searched = await openSkillSearch({ database, cache });
    expect(followed.stats().stamp).toBe(searched.stats().stamp);
    for (const q of ['later', 'skill']) expect(followed.keyword({ q })).toEqual(searched.keyword({ q }));
  });

  test('can be a single file, too: a copy of the newest version', async () => {
    const { database, cache } = await catalogue();
    await change(database, 'later');
    const to = scratchFile('skills.db');
    await copyCatalogue({ from: database, cache, to });
    await using search = await openSkillSearch({ database: to });
    expect(search.get('later')?.id).toBe('later');
    expect(await codeOf(() => copyCatalogue({ from: database, cache, to }))).toBe('CATALOGUE_EXISTS');
    await copyCatalogue({ from: database, cache, to, overwrite: true });
    // It is a catalogue of its own.
    await updateSkills({ database: to, semantic: false, rows: [row('mine')] });
    await using changed = await openSkillSearch({ database: to });
    expect(changed.stats().skills).toBe(22);
  });
});

/** Lets no snapshot be written. */
const FAULTY = `
  CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''out of order''; END';
  CREATE TRIGGER faulty BEFORE INSERT ON skill_discovery.snapshot FOR EACH ROW EXECUTE FUNCTION public.fault()`;

/** All skills of a database, as a machine gets them that has no copy yet. */
async function contentsOf(database: string) {
  return contentOf(await freshCopy(database));
}

async function freshCopy(database: string): Promise<string> {
  const { store, replica: copy } = await connectShared({ database, cache: scratchFolder() });
  try {
    await copy.bringUp({ index: 'nothing' });
    return copy.database;
  } finally {
    await store.close();
  }
}

async function versionOf(database: string): Promise<number> {
  const { store } = await connectShared({ database, cache: scratchFolder() });
  try {
    return (await store.head()).version;
  } finally {
    await store.close();
  }
}

/** Contents without the paths that depend on where a catalogue lies. */
function comparable(contents: ReturnType<typeof contentOf>) {
  return [...contents].map(([id, { place, sources, ...others }]) => [
    id,
    locationIn(place),
    sources.map((source) => basename(source)),
    others,
  ]);
}

function numbered(count: number, prefix = 'skill'): ReturnType<typeof row>[] {
  return Array.from({ length: count }, (_, i) => row(`${prefix}-${i}`));
}

function* generate(rows: readonly unknown[]): Generator<unknown> {
  yield* rows;
}

/** Runs a load that kills itself at a moment. */
function killed(words: readonly [database: string, source: string, moment: string, cache: string]): Promise<void> {
  return runKilled(new URL('killable-load.ts', import.meta.url), words);
}
