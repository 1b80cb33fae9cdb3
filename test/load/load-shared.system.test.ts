import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type BuildOptions,
  buildCatalogue,
  type LoadProgress,
  type LoadReport,
  updateSkills,
} from '../../src/index.js';
import { connectShared } from '../../src/share/shared-catalogue/replica.js';
import { locationIn } from '../../src/store/places.js';
import { contentOf, vectorsOf } from '../catalogue-file.js';
import { row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';

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

  test('reports the same as one into a file, load after load, and has the same skills then', async () => {
    const folder = scratchFolder();
    const [file, source, skills] = [scratchFile('skills.db'), join(folder, 'rows.jsonl'), join(folder, 'skills')];
    const { machine, contents } = await place();
    const [one, other] = [machine(), machine()];
    const [mine, theirs] = [new StandInEmbedder(), new StandInEmbedder()];
    const steps: readonly (readonly [write: () => void, options: Partial<BuildOptions>])[] = [
      [
        () => {
          writeJsonLines(source, [row('a', { stars: 1 }), row('b'), row('b', { stars: 2 }), row('c'), { id: 'bad' }]);
          writeSkill(join(skills, 'pdf'), 'reads PDF files');
          writeSkill(join(skills, 'csv'), 'reads tables');
        },
        {},
      ],
      [() => {}, {}],
      [
        () => {
          writeJsonLines(source, [row('a', { stars: 5, updatedAt: 'never' }), row('b'), row('d')]);
          writeSkill(join(skills, 'pdf'), 'reads and writes PDF files');
          rmSync(join(skills, 'csv'), { recursive: true });
        },
        {},
      ],
      [() => {}, { prune: true }],
      [() => {}, { prune: true }],
      [() => writeJsonLines(source, [row('e')]), { prune: true, contents: false, maxListedProblems: 1 }],
      [() => writeFileSync(source, 'nothing\n'), { prune: true }],
    ];
    for (const [i, [write, options]] of steps.entries()) {
      write();
      const sources = [source, skills];
      const phases: LoadProgress['phase'][][] = [[], []];
      const told = (which: number) => ({
        onProgress: ({ phase }: LoadProgress) => phases[which]!.at(-1) !== phase && phases[which]!.push(phase),
      });
      const expected = await buildCatalogue({ database: file, sources, embedder: mine, ...options, ...told(0) });
      const { load } = i % 2 === 0 ? one : other;
      const got = await load(sources, { semantic: undefined, embedder: theirs, ...options, ...told(1) });
      expect(withoutTimes(got)).toEqual(withoutTimes(expected));
      expect(phases[1]!.filter((phase) => phase !== 'indexing')).toEqual(
        phases[0]!.filter((phase) => phase !== 'indexing'),
      );
      expect(comparable(await contents())).toEqual(comparable(contentOf(file)));
    }
    expect(theirs.asked).toEqual(mine.asked);
  });

  test('that changes nothing publishes nothing', async () => {
    const { machine, version } = await place();
    const { load, cache } = machine();
    await load([[row('a')]]);
    expect(await version()).toBe(1);
    const report = await load([[row('a')]]);
    expect([report.unchanged, report.added]).toEqual([1, 0]);
    expect(await version()).toBe(1);
    expect(readdirSync(join(cache, 'load'))).toEqual([]);
  });

  test('of nothing makes an empty catalogue', async () => {
    const { machine, version, contents } = await place();
    const report = await machine().load([[]]);
    expect(report.warnings).toEqual([{ origin: 'rows 1', message: 'no skill in this source' }]);
    expect([await version(), (await contents()).size]).toEqual([1, 0]);
  });

  test('takes vectors that another machine has made, and makes those that nobody has', async () => {
    const { machine, database } = await place();
    const [one, other] = [new StandInEmbedder(), new StandInEmbedder()];
    const texts = [row('a'), row('b'), row('c')];
    await machine().load([{ name: 'one', rows: texts }], { semantic: true, embedder: one });
    // The same texts under other ids, and one that is new.
    const same = texts.map((skill) => ({ ...skill, id: `${skill.id}-2` }));
    const report = await machine().load([{ name: 'two', rows: [...same, row('d')] }], {
      semantic: true,
      embedder: other,
    });
    expect([report.added, report.embedded, other.asked.length]).toEqual([4, 1, 1]);
    const cache = await freshCopy(database);
    expect(vectorsOf(cache)).toHaveLength(4);
  });

  test('takes them also where it is to make none, so that its copy has the vectors that others get', async () => {
    const { machine, database } = await place();
    const [one, other] = [machine(), machine()];
    const [a, b] = [row('a'), row('b')];
    await one.load([{ name: 'one', rows: [a, b] }], { semantic: true, embedder: new StandInEmbedder() });
    await one.load([{ name: 'one', rows: [a] }], { prune: true });
    const report = await other.load([{ name: 'two', rows: [{ ...b, id: 'c' }] }], { semantic: false });
    expect([report.added, report.embedded]).toEqual([1, 0]);
    await updateSkills({ database, cache: other.cache, rows: [{ ...b, id: 'd' }, row('e')], semantic: false });
    const texts = (path: string) => vectorsOf(path).map(({ values }) => values.join());
    expect(texts(other.copy)).toHaveLength(2);
    expect(texts(await freshCopy(database)).sort()).toEqual(texts(other.copy).sort());
  });

  test('replaces the vectors of another model, where one is named', async () => {
    const { machine, database } = await place();
    await machine().load([[row('a'), row('c')]], { semantic: true, embedder: new StandInEmbedder('one') });
    const embedder = new StandInEmbedder('two');
    const report = await machine().load([[row('a'), row('b')]], { semantic: true, embedder });
    expect([report.added, report.embedded]).toEqual([1, 3]);
    const models = vectorsOf(await freshCopy(database)).map(({ model }) => model);
    expect(models).toEqual(['two', 'two', 'two']);
  });

  test('prunes its own sources only, and keeps what another source has, whoever loads when', async () => {
    const { machine, contents } = await place();
    const [one, other] = [machine(), machine()];
    const [a, b] = [scratchFile('a.jsonl'), scratchFile('b.jsonl')];
    writeJsonLines(a, [row('only-a'), row('both'), row('stays')]);
    writeJsonLines(b, [row('only-b'), row('both')]);
    await one.load([a]);
    await other.load([b]);
    writeJsonLines(a, [row('stays')]);
    expect(await one.load([a], { prune: true })).toMatchObject({ removed: 1, unchanged: 1 });
    expect([...(await contents()).keys()]).toEqual(['both', 'only-b', 'stays']);
    writeJsonLines(b, [row('only-b')]);
    expect(await other.load([b], { prune: true })).toMatchObject({ removed: 1, unchanged: 1 });
    expect([...(await contents()).keys()]).toEqual(['only-b', 'stays']);
  });

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

    test('runs again while no other can publish', async () => {
      const { machine, contents } = await place();
      const [one, other] = [machine(), machine()];
      let theirs: Promise<LoadReport> | undefined;
      let reads = 0;
      const rows = {
        async *[Symbol.asyncIterator]() {
          reads += 1;
          const loading = other.load([{ name: 'theirs', rows: [row('a', { stars: reads })] }]);
          if (reads === 1) await loading;
          else theirs = loading;
          yield row('a', { stars: 1000 });
        },
      };
      await one.load([{ name: 'mine', rows }]);
      await theirs;
      expect(reads).toBe(2);
      expect((await contents()).get('a')).toMatchObject({
        record: { stars: 2 },
        sources: ['rows:mine', 'rows:theirs'],
      });
    });

    test('prunes nothing that another source has got meanwhile', async () => {
      const { machine, contents } = await place();
      const [one, other] = [machine(), machine()];
      await one.load([{ name: 'mine', rows: [row('a'), row('b')] }]);
      let reads = 0;
      const rows = {
        async *[Symbol.asyncIterator]() {
          reads += 1;
          if (reads === 1) await other.load([{ name: 'theirs', rows: [row('b')] }]);
          yield row('a');
        },
      };
      expect(await one.load([{ name: 'mine', rows }], { prune: true })).toMatchObject({ unchanged: 1, removed: 0 });
      const found = await contents();
      expect([...found.keys()]).toEqual(['a', 'b']);
      expect(found.get('b')!.sources).toEqual(['rows:theirs']);
    });

    test('of one source, which both prune, ends as if one had come after the other', async () => {
      const { machine, contents } = await place();
      const [one, other] = [machine(), machine()];
      await one.load([{ name: 'mine', rows: [row('a')] }]);
      let reads = 0;
      const rows = {
        async *[Symbol.asyncIterator]() {
          reads += 1;
          if (reads === 1) await other.load([{ name: 'mine', rows: [row('b')] }], { prune: true });
          yield row('a');
          yield row('c');
        },
      };
      expect(await one.load([{ name: 'mine', rows }], { prune: true })).toMatchObject({ added: 2, removed: 1 });
      expect([...(await contents()).keys()]).toEqual(['a', 'c']);
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

  describe('that is killed', () => {
    const MOMENTS = [
      'reading',
      'embedding',
      'publishing',
      'staging-committed',
      'staging-renamed',
      'copy-committed',
      'copy-renamed',
    ] as const;

    test.each(MOMENTS)('at the moment "%s" is all there or not at all, and is finished by the next', async (moment) => {
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
    });

    test('has left its vectors to all machines', async () => {
      const { machine, database } = await place();
      const source = scratchFile('rows.jsonl');
      writeJsonLines(source, numbered(1500));
      await killed([database, source, 'embedding', scratchFolder()]);
      const report = await machine().load([source], { semantic: true, embedder: new StandInEmbedder() });
      expect([report.added, report.embedded]).toEqual([1500, expect.any(Number)]);
      expect(report.embedded).toBeLessThanOrEqual(1500 - 512);
    });
  });

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

  test.each([
    ['asks for vectors', 'ACCESS EXCLUSIVE'],
    ['stores vectors', 'EXCLUSIVE'],
  ])('stops at its signal while it %s of a database that does not answer', async (_, mode) => {
    const { machine, database } = await place();
    const { load } = machine();
    await load([[row('a')]], { semantic: true, embedder: new StandInEmbedder() });
    let isLocked = true;
    const locking = server
      .execute(database, `BEGIN; LOCK TABLE skill_discovery.vector IN ${mode} MODE; SELECT pg_sleep(60)`)
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

  test('takes the password from a file, and never tells it', async () => {
    const { database } = await place();
    const withoutPassword = database.replace(/:[^:@]+@/, '@');
    const [passwordFile, cache] = [scratchFile('password'), scratchFolder()];
    writeFileSync(passwordFile, 'wrong-zebra\n');
    const load = (): Promise<LoadReport> =>
      buildCatalogue({ database: withoutPassword, passwordFile, cache, sources: [[row('a')]], semantic: false });
    const error = await load().catch((refused: Error) => refused);
    expect(error).toMatchObject({ code: 'DATABASE_NOT_READABLE', message: expect.stringContaining('password') });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('zebra');
    const { PASSWORD } = await import('../share/postgres/postgres-cluster.js');
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    const report = await load();
    expect(report.added).toBe(1);
    expect(JSON.stringify(report)).not.toContain('zebra');
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

  test('is refused for installed skills, before anything is made', async () => {
    const { machine, version } = await place();
    const { load, cache } = machine();
    await expect(load([{ installed: {} }])).rejects.toMatchObject({ code: 'INVALID_OPTION', parameter: 'sources' });
    expect([await version(), existsSync(join(cache, 'load'))]).toEqual([0, false]);
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

function withoutTimes({ seconds: _, ...report }: LoadReport) {
  return report;
}

function writeSkill(folder: string, description: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${basename(folder)}\ndescription: ${description}\n---\nText\n`);
}

function numbered(count: number, prefix = 'skill'): ReturnType<typeof row>[] {
  return Array.from({ length: count }, (_, i) => row(`${prefix}-${i}`));
}

function* generate(rows: readonly unknown[]): Generator<unknown> {
  yield* rows;
}

/** Runs a load that kills itself at a moment. */
async function killed(
  words: readonly [database: string, source: string, moment: string, cache: string],
): Promise<void> {
  const script = fileURLToPath(new URL('killable-shared-load.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface(child.stdout!).on('line', () => {});
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
}
