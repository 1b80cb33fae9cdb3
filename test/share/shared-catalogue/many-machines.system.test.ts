import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../../src/core/index.js';
import {
  buildCatalogue,
  type FollowedSearch,
  followCatalogue,
  type LoadReport,
  openSkillSearch,
  removeSkills,
  updateSkills,
} from '../../../src/index.js';
import type { CataloguePlace } from '../../load/contract/catalogue-under-test.js';
import { type Row, row, writeJsonLines } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { PASSWORD } from '../postgres/postgres-cluster.js';
import { answersOf } from './random-steps.js';

describeWithPostgres('machines that share a catalogue', (server) => {
  /** Machines with caches of their own, over one new database. */
  async function machines(): Promise<() => CataloguePlace> {
    const database = await server.database();
    return () => ({ database, cache: scratchFolder() });
  }

  describe('and load it at once,', () => {
    test('skills that small changes change meanwhile, do it again on what these made of them', async () => {
      const machine = await machines();
      await load(machine(), 'first', [row('a'), row('b'), row('d')]);
      const slow = new RowsMeanwhile([row('a', { stars: 1 }), row('c')], async () => {
        await updateSkills({ ...machine(), rows: [row('a', { stars: 2 }), row('c')], semantic: false });
        await removeSkills({ ...machine(), ids: ['b'] });
      });
      expect(await load(machine(), 'first', slow)).toMatchObject({
        added: 0,
        updated: 1,
        unchanged: 1,
        removed: 1,
      });
      expect(slow.readings).toBe(2);
      expect(await seenAt(machine())).toEqual({ version: 4, ids: ['a', 'c'] });
    });

    test('skills of different places that would get one id, give them two', async () => {
      const machine = await machines();
      const at = (place: string): object => ({ name: place, description: 'd', place });
      await load(machine(), 'first', [row('first')]);
      const slow = new RowsMeanwhile([at('o/r-x')], () => load(machine(), 'other', [at('o-r/x')]));
      await load(machine(), 'slow', slow);
      await using search = await openSkillSearch(machine());
      expect(
        search
          .ids()
          .map((id) => search.get(id)!.name)
          .sort(),
      ).toEqual(['name of first', 'o-r/x', 'o/r-x']);
      expect(search.get('o-r-x')?.name).toBe('o-r/x');
    });

    test('all of the same sources, write nothing that is there already', async () => {
      const machine = await machines();
      const path = scratchFile('rows.jsonl');
      writeJsonLines(path, [row('a'), row('b')]);
      const all = [1, 2, 3].map(() => buildCatalogue({ ...machine(), sources: [path], semantic: false }));
      const counts = (await Promise.all(all)).map(({ added, unchanged }) => [added, unchanged]);
      expect(counts.sort()).toEqual([
        [0, 2],
        [0, 2],
        [2, 0],
      ]);
      expect(await seenAt(machine())).toEqual({ version: 1, ids: ['a', 'b'] });
    });
  });

  describe('and follow it', () => {
    test('answer the same, byte for byte, at one version, in whatever way they came to it', async () => {
      const machine = await machines();
      const [loader, embedder] = [machine(), new StandInEmbedder()];
      const rows = (from: number, to: number, more: Row = {}): Row[] =>
        Array.from({ length: to - from }, (_, i) => awkwardRow(from + i, more));
      await load(loader, 'rows', rows(0, 24), { embedder });
      const early = await following(machine());
      await updateSkills({ ...loader, rows: rows(10, 14, { stars: 7 }), embedder });
      await early.reload();
      const middle = await following(machine());
      await load(machine(), 'others', rows(20, 28, { license: 'MIT' }), { embedder });
      await removeSkills({ ...machine(), ids: ['skill-3', 'skill-12', 'skill-27'] });
      await load(loader, 'rows', rows(5, 24, { author: 'ann' }), { embedder });
      await updateSkills({ ...machine(), rows: rows(14, 16, { description: 'Other text.' }), embedder });

      for (const search of [early, middle]) await search.reload();
      // More than are changed in place come and go; who looks only now hears of both at once.
      await load(machine(), 'many', rows(100, 120 + MAX_CHANGED_IN_PLACE), { embedder });
      await early.reload();
      await load(machine(), 'many', rows(100, 101), { embedder });

      for (const search of [early, middle]) await search.reload();
      const searches = [early, middle, await following(machine()), await following(loader)];
      const { database } = loader;
      await server.execute(database, 'TRUNCATE skill_discovery.snapshot, skill_discovery.chunk');
      searches.push(await following(machine()));
      const answers = [];
      for (const search of searches) {
        expect(search.stats().copy?.version).toBe(8);
        answers.push(JSON.stringify([search.stats().stamp, await answersOf(search)]));
      }
      expect(new Set(answers).size).toBe(1);
    }, 120_000);

    test('show what others load soon, one version after the other', async () => {
      const machine = await machines();
      await load(machine(), 'rows', [row('skill-0')]);
      const search = await following(machine());
      for (let version = 2; version < 6; version++) {
        expect(search.stats().copy?.version).toBe(version - 1);
        await load(machine(), 'rows', [row(`skill-${version}`)]);
        await expect.poll(() => search.ids()).toEqual([`skill-${version}`]);
        expect(search.stats().copy?.version).toBe(version);
      }
    });

    test('never make vectors of skills', async () => {
      const machine = await machines();
      const embedder = new StandInEmbedder();
      await load(machine(), 'rows', [row('a'), row('b', { description: 'Tells birds by their song.' })], {
        embedder: new StandInEmbedder(),
      });
      await load(machine(), 'later', [row('c', { description: 'It comes without a vector.' })]);
      await using search = await openSkillSearch({ ...machine(), embedder });
      const { hits } = await search.semantic({ q: 'birds song', ranking: 'vector' });
      expect(hits.map(({ skill }) => skill.id)).toEqual(['b', 'a']);
      expect(embedder.asked).toEqual(['birds song']);
    });
  });

  test('read the password from a file, for whatever they do', async () => {
    const machine = await machines();
    const passwordFile = join(scratchFolder(), 'password');
    writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    const place = { ...machine(), passwordFile };
    const address = place.database.replace(/:[^:@]+@/, '@');
    const options = { ...place, database: address };
    await buildCatalogue({ ...options, sources: [[row('a'), row('b')]], semantic: false });
    await updateSkills({ ...options, rows: [row('c')], semantic: false });
    expect(await removeSkills({ ...options, ids: ['a'] })).toBe(1);
    await using search = await openSkillSearch({ ...options, cache: scratchFolder() });
    expect(search.ids().sort()).toEqual(['b', 'c']);
    await using follower = await followCatalogue({ ...options, cache: scratchFolder() });
    expect(follower.stats().copy?.version).toBe(3);
    writeFileSync(passwordFile, 'wrong\n');
    const refused = await buildCatalogue({ ...options, sources: [[row('a')]] }).catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'DATABASE_NOT_READABLE', message: expect.stringContaining('password') });
    expect(JSON.stringify([refused, (refused as Error).message])).not.toMatch(/zebra|wrong/);
  });
});

/** Rows that can be read any number of times; something else happens while they are read for the first time. */
class RowsMeanwhile implements AsyncIterable<unknown> {
  readings = 0;
  readonly #rows: readonly unknown[];
  readonly #meanwhile: () => Promise<unknown>;

  constructor(rows: readonly unknown[], meanwhile: () => Promise<unknown>) {
    this.#rows = rows;
    this.#meanwhile = meanwhile;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    this.readings += 1;
    if (this.readings === 1) await this.#meanwhile();
    yield* this.#rows;
  }
}

/** Loads a source and prunes it, without vectors unless there is an embedder. */
function load(
  place: CataloguePlace,
  name: string,
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  more: { readonly embedder?: StandInEmbedder } = {},
): Promise<LoadReport> {
  const model = more.embedder === undefined ? { semantic: false } : more;
  return buildCatalogue({ ...place, sources: [{ name, rows }], prune: true, ...model });
}

/** A server, closed when the test ends. It looks at the database as often as it may. */
async function following(place: CataloguePlace): Promise<FollowedSearch> {
  const embedder = new StandInEmbedder();
  const search = await followCatalogue({ ...place, interval: 20, snapshotInterval: 100, embedder });
  onTestFinished(() => search.close());
  return search;
}

async function seenAt(
  place: CataloguePlace,
): Promise<{ readonly version: number | undefined; readonly ids: string[] }> {
  await using search = await openSkillSearch(place);
  return { version: search.stats().copy?.version, ids: search.ids().sort() };
}

/** Few texts and times, so that many have the same score or date. */
function awkwardRow(i: number, more: Row): Row {
  const words = ['release notes', 'tests', 'data', 'react', 'Übersetzung'];
  return row(`skill-${i}`, {
    name: words[i % 5]!,
    description: `Writes ${words[i % 3]} and moves ${words[i % 4]}.`,
    updatedAt: 1_700_000_000 + (i % 4),
    stars: i % 3,
    categories: [['testing'], ['data'], []][i % 3]!,
    ...more,
  });
}
