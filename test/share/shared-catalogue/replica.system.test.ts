import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../../src/core/index.js';
import { buildCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../../src/index.js';
import { stampOfKeywordFile } from '../../../src/indexing/keyword-file.js';
import { readManifest } from '../../../src/share/snapshot/manifest.js';
import { filesBeside } from '../../../src/store/files.js';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { SharedLoader } from './machines.js';

const EMBEDDER = new StandInEmbedder();

function manyRows(count: number): Row[] {
  return Array.from({ length: count }, (_, i) =>
    row(`skill-${i}`, {
      stars: i,
      files: [{ filename: 'SKILL.md', text: `# number ${i}\n${'word '.repeat(i % 40)}` }],
    }),
  );
}

describeWithPostgres('the copy of a shared catalogue', (server) => {
  /** A loader that has published 60 skills with vectors. */
  async function published(): Promise<SharedLoader> {
    const loader = await SharedLoader.open(await server.database());
    const sources = [{ name: 'rows', rows: manyRows(60) }];
    await buildCatalogue({ database: loader.database, embedder: EMBEDDER, sources });
    await loader.publish();
    return loader;
  }

  /** Publishes a change, a new skill, and a removal. */
  async function publishMore({ database, publish }: Pick<SharedLoader, 'database' | 'publish'>): Promise<void> {
    await updateSkills({ database, embedder: EMBEDDER, rows: [row('skill-7', { stars: 1000 }), row('later')] });
    await removeSkills({ database, ids: ['skill-3'] });
    await publish();
  }
  const more = (loader: SharedLoader): Promise<void> =>
    publishMore({ database: loader.database, publish: () => loader.publish() });

  async function expectSame(one: string, other: string): Promise<void> {
    await using here = await openSkillSearch({ database: one, embedder: EMBEDDER });
    await using there = await openSkillSearch({ database: other, embedder: EMBEDDER });
    expect({ ...there.stats(), writtenAt: 0 }).toEqual({ ...here.stats(), writtenAt: 0 });
    for (const q of ['skill', 'number 17', 'description of later', 'word']) {
      expect(there.keyword({ q, limit: 50 })).toEqual(here.keyword({ q, limit: 50 }));
      if (here.stats().vectors > 0) expect(await there.semantic({ q })).toEqual(await here.semantic({ q }));
    }
    for (const id of ['skill-7', 'later', 'skill-3']) {
      expect(there.get(id)).toEqual(here.get(id));
      expect(there.files(id)).toEqual(here.files(id));
    }
    there.check();
  }

  test('is made of all skills where there is no checkpoint, with the files that are derived', async () => {
    const loader = await published();
    const copy = loader.copyIn(scratchFolder());
    const state = await copy.bringUp({ index: 'words' });
    const told = readdirSync(copy.folder);
    await copy.index({});
    expect(await loader.store.head()).toMatchObject(state);
    expect(copy.revision).toEqual(state);
    // By words it can be searched before vectors are indexed.
    expect(told).toContain('skills.db.keyword');
    expect(told).not.toContain('skills.db.vectors');
    expect(existsSync(join(copy.folder, 'skills.db.vectors'))).toBe(true);
    await expectSame(loader.database, copy.database);
  });

  test('is made of a checkpoint, and of what has changed since', async () => {
    const loader = await published();
    await loader.snapshot();
    await more(loader);
    const copy = loader.copyIn(scratchFolder());
    const fetched: string[] = [];
    const { chunk } = loader.store.snapshot;
    loader.store.snapshot.chunk = (digest, signal) => {
      fetched.push(digest);
      return chunk.call(loader.store.snapshot, digest, signal);
    };
    await copy.bringUp();
    expect(fetched.length).toBeGreaterThan(0);
    expect(copy.revision?.version).toBe(2);
    await expectSame(loader.database, copy.database);
  });

  test('is led on by changes, and fetches no file for that', async () => {
    const loader = await published();
    await loader.snapshot();
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    loader.store.snapshot.chunk = () => Promise.reject(new Error('a chunk is fetched'));
    await more(loader);
    await copy.bringUp();
    await expectSame(loader.database, copy.database);
    const before = readFileSync(copy.database);
    await copy.bringUp();
    expect(readFileSync(copy.database).equals(before)).toBe(true);
  });

  test.each([
    ['emptied', (path: string) => writeFileSync(path, '')],
    ['overwritten', (path: string) => writeFileSync(path, 'something else '.repeat(1000))],
  ])('is made again when it was %s, with a checkpoint and without', async (_, harm) => {
    const loader = await published();
    const copy = loader.copyIn(scratchFolder());
    for (const prepare of [async () => {}, () => loader.snapshot()]) {
      await prepare();
      await copy.bringUp();
      harm(copy.database);
      await copy.bringUp();
      await expectSame(loader.database, copy.database);
    }
  });

  test.each([
    ['with a checkpoint', true],
    ['without', false],
  ])('stays as it is while what has changed is damaged in the database, %s', async (_, hasCheckpoint) => {
    const address = await server.database();
    const loader = await SharedLoader.open(address);
    await buildCatalogue({
      database: loader.database,
      embedder: EMBEDDER,
      sources: [{ name: 'rows', rows: manyRows(60) }],
    });
    await loader.publish();
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    if (hasCheckpoint) await copy.storeSnapshot(scratchFolder());
    await more(loader);
    const good = await copy.bringUp();
    await updateSkills({ database: loader.database, embedder: EMBEDDER, rows: [row('broken', { stars: 5 })] });
    await loader.publish();
    await server.execute(
      address,
      `UPDATE skill_discovery.skill SET image = replace(image, '"stars":5', '"stars":6') WHERE id = 'broken'`,
    );
    for (const _ of [1, 2]) {
      const error = await copy.bringUp().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'DATABASE_DAMAGED', skill: 'broken', path: loader.store.shown });
      expect((error as Error).message).toMatch(/the skill broken did not come .* restore it from a backup/);
      expect(copy.revision).toEqual(good);
    }
    await server.execute(
      address,
      `UPDATE skill_discovery.skill SET image = replace(image, '"stars":6', '"stars":5') WHERE id = 'broken'`,
    );
    expect((await copy.bringUp()).version).toBe(good.version + 1);
  });

  test('is made anew when the database was restored from a backup', async () => {
    const address = await server.database();
    const first = await SharedLoader.open(address);
    const sources = [{ name: 'rows', rows: manyRows(20) }];
    await buildCatalogue({ database: first.database, semantic: false, sources });
    await first.publish();
    await first.store.close();
    const name = new URL(address).pathname.slice(1);
    const administrator = await server.database('postgres');
    await server.execute(administrator, `CREATE DATABASE backup_of_${name} TEMPLATE ${name}`);
    const loader = await SharedLoader.open(address);
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    // Version 2 is lost, and another version 2 is published.
    const change = (id: string): Promise<unknown> =>
      updateSkills({ database: first.database, semantic: false, rows: [row(id)] });
    const lost = await SharedLoader.open(address, first);
    await change('lost');
    await lost.publish();
    await copy.bringUp();
    await lost.store.close();
    await loader.store.close();
    await server.execute(administrator, `DROP DATABASE ${name} WITH (FORCE)`);
    await server.execute(administrator, `ALTER DATABASE backup_of_${name} RENAME TO ${name}`);
    const again = await SharedLoader.open(address, first);
    await removeSkills({ database: first.database, ids: ['lost'] });
    await change('kept');
    expect(await again.publish()).toMatchObject({ version: 2 });
    const restored = again.copyIn(copy.folder);
    await restored.bringUp();
    await expectSame(first.database, copy.database);
  });

  test('deletes a checkpoint that is damaged, so that the next load writes another', async () => {
    const loader = await published();
    await loader.snapshot();
    await server.execute(loader.address, `UPDATE skill_discovery.chunk SET bytes = bytes || '\\x00'`);
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    await expectSame(loader.database, copy.database);
    expect(await loader.store.snapshot.find()).toBeUndefined();
    await loader.snapshot();
    const next = loader.copyIn(scratchFolder());
    await next.bringUp();
    expect(await loader.store.snapshot.find()).toBeDefined();
  });

  test('is brought up by one of several at a time', async () => {
    const loader = await published();
    const folder = scratchFolder();
    const copies = [1, 2, 3].map(() => loader.copyIn(folder));
    const states = await Promise.all(copies.map((copy) => copy.bringUp()));
    expect(new Set(states.map(({ stamp }) => stamp)).size).toBe(1);
    await more(loader);
    await Promise.all(copies.map((copy) => copy.bringUp()));
    await expectSame(loader.database, copies[0]!.database);
  });

  test('is brought further while its files are stored for new servers', async () => {
    const loader = await published();
    const copy = loader.copyIn(scratchFolder());
    const before = await copy.bringUp();
    const { snapshot } = loader.store;
    const { store } = snapshot;
    snapshot.store = async (...given) => {
      await more(loader);
      await copy.bringUp();
      await store.apply(snapshot, given);
    };
    const folder = join(copy.folder, 'files');
    await copy.storeSnapshot(folder);
    expect([copy.revision?.version, existsSync(folder)]).toEqual([2, false]);
    const found = await snapshot.find();
    expect(before).toMatchObject(found!.revision);
    expect(readManifest(found!.manifest, 'it').files.map(({ name }) => name)).toContain('skills.db.vectors');
    snapshot.store = store;
    const other = loader.copyIn(scratchFolder());
    await other.bringUp();
    await expectSame(loader.database, other.database);
    // A later one takes its place, and an earlier one does not.
    await other.storeSnapshot(folder);
    expect((await snapshot.find())!.revision.version).toBe(2);
    await snapshot.store(loader.database, before);
    expect((await snapshot.find())!.revision.version).toBe(2);
    expect([await snapshot.fault(), await snapshot.changedSince()]).toEqual([undefined, 0]);
    await server.execute(loader.address, `UPDATE skill_discovery.chunk SET bytes = bytes || '\\x00'`);
    expect((await snapshot.fault())!.problem).toMatch(/^\d+ of its \d+ chunks are missing or not what/);
  });
});

describeWithPostgres('a copy whose words were not indexed before its maker ended', (server) => {
  /** The file is there, and it is of a former state from which no small changes lead on. */
  async function left(): Promise<{ readonly address: string; readonly database: string; readonly stamp: string }> {
    const loader = await SharedLoader.open(await server.database());
    const { address, database } = loader;
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: [row('first')] }] });
    await loader.publish();
    const copy = loader.copyIn(scratchFolder());
    await copy.bringUp();
    const rows = Array.from({ length: MAX_CHANGED_IN_PLACE + 1 }, (_, i) => row(`skill-${i}`));
    await updateSkills({ database, semantic: false, rows });
    await loader.publish();
    const { stamp } = await copy.bringUp({ index: 'nothing' });
    expect(stampOfKeywordFile(copy.database)).not.toBe(stamp);
    return { address, database: copy.database, stamp };
  }

  test('is finished by the next one that searches words there, and by no later one', async () => {
    const { address, database, stamp } = await left();
    const cache = dirname(database);
    const { keyword } = filesBeside(database);
    // What a killed process leaves of its lock.
    writeFileSync(`${database}.replica-lock`, '');
    await using search = await openSkillSearch({ database: address, cache });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    expect(search.keyword({ q: 'skill' }).pagination.total).toBe(MAX_CHANGED_IN_PLACE + 1);
    const { ino, mtimeNs } = statSync(keyword, { bigint: true });
    await (await openSkillSearch({ database: address, cache })).close();
    expect(statSync(keyword, { bigint: true })).toMatchObject({ ino, mtimeNs });
  });
});
