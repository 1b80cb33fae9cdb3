import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { BuildOptions, LoadProgress, Source } from '../../../src/index.js';
import { codeOf } from '../../error-code.js';
import { type Row, row, toJsonLines, writeJsonLines } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf, skillsOfRows } from './catalogue-under-test.js';
import { derivesIds, keepsAwkwardTexts, keepsContents, keepsMeaning } from './skills.js';

/** What every catalogue does, wherever it is kept. */
export function keepsACatalogue(store: CatalogueStore): void {
  takesLoads(store);
  prunesBySource(store);
  derivesIds(store);
  takesSmallChanges(store);
  keepsContents(store);
  keepsMeaning(store);
  keepsAwkwardTexts(store);
}

const THREE = [row('a'), row('b'), row('c')];

/** One field of a row, and another value of it. */
const CHANGES: Readonly<Record<string, Row>> = {
  name: { name: 'other' },
  description: { description: 'other' },
  author: { author: 'other' },
  'codehost-url': { codehostUrl: 'https://example.com/other' },
  'skill-url': { skillUrl: 'https://example.com/other' },
  stars: { stars: 7 },
  'updated-at': { updatedAt: 7 },
  categories: { categories: ['other'] },
  occupations: { occupations: ['other'] },
  license: { license: 'MIT' },
  metadata: { metadata: { version: 'other' } },
  'front-matter': { frontMatter: { other: 'yes' } },
  installations: { installations: [{ agent: 'other', scope: 'user' }] },
  'file-names': { files: [{ filename: 'other.md', text: 'description of file-names' }] },
  texts: { files: [{ filename: 'SKILL.md', text: 'other' }] },
};

/** What a load puts into a catalogue, and what it reports. */
function takesLoads(store: CatalogueStore): void {
  const empty = (): Promise<CatalogueUnderTest> => CatalogueUnderTest.of(store);
  const loaded = async (rows: readonly unknown[]): Promise<CatalogueUnderTest> => {
    const catalogue = await empty();
    await catalogue.load(rows);
    return catalogue;
  };

  describe('a load', () => {
    test('takes sources of every kind', async () => {
      const folder = scratchFolder();
      const text = toJsonLines(THREE);
      const array = join(folder, 'array.json');
      writeFileSync(array, JSON.stringify(THREE));
      const packed = join(folder, 'packed.jsonl.gz');
      writeJsonLines(packed, [row('d')]);
      async function* later(): AsyncGenerator<Row> {
        yield row('e');
      }
      const catalogue = await empty();
      const kinds: readonly (readonly [source: Source, stdin?: Readable])[] = [
        ['-', Readable.from([gzipSync(text)])],
        [array],
        [packed],
        [new Set([row('f')])],
        [later()],
      ];
      const added: number[] = [];
      for (const [source, stdin] of kinds) added.push((await catalogue.loadFrom([source], { stdin })).added);
      expect(added).toEqual([3, 0, 1, 1, 1]);
      expect(await catalogue.ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    });

    test('adds, updates and counts, and leaves the rest', async () => {
      const catalogue = await loaded(THREE);
      const later = [
        row('a', { stars: 1 }),
        row('b'),
        row('c', { files: [{ filename: 'SKILL.md', text: 'other text' }] }),
        row('d'),
      ];
      const stamp = await catalogue.stamp();
      const report = await catalogue.load(later);

      expect(countsOf(report)).toEqual({ added: 1, updated: 2, unchanged: 1, removed: 0 });
      expect(report).toMatchObject({ warnings: [], rejected: [], failed: [], embedded: 0, classified: 0 });
      expect(await catalogue.stamp()).not.toBe(stamp);
      expect(await catalogue.skills()).toEqual(await skillsOfRows(store, later));
    });

    test('notices a change of any field alone', async () => {
      const catalogue = await loaded(Object.keys(CHANGES).map((field) => row(field)));
      const changed = Object.entries(CHANGES).map(([field, change]) => row(field, change));
      expect(countsOf(await catalogue.load(changed))).toEqual(counts({ updated: changed.length }));
      expect(await catalogue.skills()).toEqual(await skillsOfRows(store, changed));
    });

    test('writes nothing if it changes nothing', async () => {
      const catalogue = await loaded(THREE);
      await catalogue.staysDuring(async () => {
        for (const rows of [THREE, [row('b')], [...THREE].reverse(), []]) {
          expect(countsOf(await catalogue.load(rows))).toEqual(counts({ unchanged: rows.length }));
        }
        expect(countsOf(await catalogue.load(THREE, { prune: true }))).toEqual(counts({ unchanged: 3 }));
        // There and back.
        expect(countsOf(await catalogue.load([row('a', { stars: 9 }), row('a')]))).toEqual(counts({ unchanged: 1 }));
      });
    });

    test('reads sources in their order: the last that has an id wins, with a warning', async () => {
      const catalogue = await empty();
      const report = await catalogue.loadFrom([
        { name: 'first', rows: [row('a', { stars: 1 }), row('b'), row('b', { stars: 3 })] },
        { name: 'second', rows: [row('a', { stars: 2 })] },
      ]);
      expect(countsOf(report)).toEqual(counts({ added: 2 }));
      expect(report.warnings).toEqual([
        { origin: 'first', line: 3, message: 'the id b came before in this load: this later row is kept' },
        { origin: 'second', line: 1, message: 'the id a came before in this load: this later row is kept' },
      ]);
      const skills = await catalogue.skills();
      expect(['a', 'b'].map((id) => skills.get(id)?.skill?.stars)).toEqual([2, 3]);
    });

    test('leaves out rows that cannot become a skill, and tells their line and the reason each time', async () => {
      const path = scratchFile('mixed.jsonl');
      const lines = [row('a'), { id: 'b', name: 'no description' }, 'text', row('d', { stars: 'many' as never })];
      writeFileSync(path, `${toJsonLines(lines)}{"id": "broken\n\n${JSON.stringify(row('f'))}`);
      const catalogue = await empty();
      for (const expected of [counts({ added: 3 }), counts({ unchanged: 3 })]) {
        const report = await catalogue.loadFrom([path]);
        expect(countsOf(report)).toEqual(expected);
        expect(report.rejected).toEqual([
          { origin: path, line: 2, reason: expect.stringContaining('description') },
          { origin: path, line: 3, reason: expect.stringContaining('object') },
          { origin: path, line: 5, reason: expect.stringContaining('not JSON') },
        ]);
        expect(report).toMatchObject({ rejectedCount: 3, warningCount: 1, warnings: [{ origin: path, line: 4 }] });
      }
      expect(await catalogue.ids()).toEqual(['a', 'd', 'f']);
    });

    test('goes on after a source that breaks, and after one that holds nothing', async () => {
      const catalogue = await empty();
      const breaking = (function* () {
        yield row('a');
        throw new TypeError('no more');
      })();
      const report = await catalogue.loadFrom([
        { name: 'breaking', rows: breaking },
        { name: 'nothing', rows: [] },
        { name: 'whole', rows: [row('b')] },
      ]);
      expect(report).toMatchObject({ added: 2, failed: [{ origin: 'breaking', reason: 'no more' }] });
      expect(report.warnings).toEqual([{ origin: 'nothing', message: 'no skill in this source' }]);
      expect(await catalogue.ids()).toEqual(['a', 'b']);
    });

    test('of nothing makes a catalogue without skills', async () => {
      const catalogue = await loaded([]);
      expect(await catalogue.ids()).toEqual([]);
      expect((await catalogue.searching((search) => search.stats())).skills).toBe(0);
    });

    test('tells how far it is, and never goes back', async () => {
      const path = scratchFile('rows.jsonl');
      writeJsonLines(path, THREE);
      const told: LoadProgress[] = [];
      await (await empty()).loadFrom([path, { name: 'more', rows: [row('d'), 42] }], {
        onProgress: (progress) => told.push(progress),
      });
      const phases = ['reading', 'embedding', 'publishing', 'indexing'];
      expect(new Set(told.map(({ source }) => source))).toEqual(new Set([path, 'more', '']));
      for (const [i, { phase, rows, bytesRead }] of told.entries()) {
        const before = told[i - 1];
        expect(phases.indexOf(phase)).toBeGreaterThanOrEqual(phases.indexOf(before?.phase ?? 'reading'));
        expect(rows).toBeGreaterThanOrEqual(before?.rows ?? 0);
        expect(bytesRead).toBeGreaterThanOrEqual(before?.bytesRead ?? 0);
      }
      expect(told.at(-1)).toMatchObject({ rows: 5 });
    });
  });

  test('a row that stands in a source as it stood at the load before is written anew where a small change has changed or removed the skill since', async () => {
    const catalogue = await empty();
    const path = scratchFile('rows.jsonl');
    writeJsonLines(path, THREE);
    await catalogue.loadFrom([path]);
    await catalogue.update([row('a', { stars: 9 })]);
    await catalogue.remove(['b']);
    expect(countsOf(await catalogue.loadFrom([path]))).toEqual(counts({ added: 1, updated: 1, unchanged: 1 }));
    expect(await catalogue.skills()).toEqual(await skillsOfRows(store, THREE));
  });

  test('a load that fails before anything is written leaves the catalogue as it was', async () => {
    const catalogue = await loaded(THREE);
    const refused: readonly (readonly [options: object, code: string])[] = [
      [{ sources: [[row('d')], 'missing.jsonl'] }, 'SOURCE_NOT_FOUND'],
      [{ sources: [] }, 'INVALID_OPTION'],
      [{ sources: [42] }, 'INVALID_SOURCE'],
      [{ sources: [fileURLToPath(import.meta.url)] }, 'INVALID_SOURCE'],
      [{ sources: [[row('d')]], prunes: true }, 'INVALID_OPTION'],
      [{ sources: [[row('d')]], prune: 'yes' }, 'INVALID_OPTION'],
    ];
    await catalogue.staysDuring(async () => {
      for (const [options, code] of refused) {
        const { sources, ...others } = options as BuildOptions;
        expect(await codeOf(() => catalogue.loadFrom(sources, others)), JSON.stringify(options)).toBe(code);
      }
    });
  });

  describe('a load that is given up', () => {
    const before = [row('kept'), row('changed'), row('gone')];
    const now = [row('kept'), row('changed', { stars: 1 }), row('new-1'), row('new-2'), { id: 'bad' }, row('new-1')];

    test('leaves the catalogue as it was, and the next one ends and counts as if nothing had been', async () => {
      const reference = await loaded(before);
      const expected = await reference.load(now, { prune: true });
      const catalogue = await loaded(before);
      await catalogue.staysDuring(async () => {
        for (const rows of [0, 2, 5, now.length]) await giveUp(catalogue, now, rows);
      });
      const report = await catalogue.load(now, { prune: true });
      expect({ ...report, seconds: undefined }).toEqual({ ...expected, seconds: undefined });
      expect(await catalogue.skills()).toEqual(await reference.skills());
    });

    test('does not keep another load from being done', async () => {
      const catalogue = await loaded(before);
      await giveUp(catalogue, now, 5);
      await catalogue.loadFrom([{ name: 'another', rows: [row('other')] }]);
      const skills = await catalogue.skills();
      expect([...skills.keys()]).toEqual(['changed', 'gone', 'kept', 'other']);
      expect(skills.get('changed')?.skill?.stars).toBe(0);
    });

    test('ends with the reason of its signal, also of one that was aborted before', async () => {
      const catalogue = await empty();
      const reason = new Error('never mind');
      await expect(catalogue.load(THREE, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(await codeOf(() => catalogue.open())).toBe('DATABASE_NOT_FOUND');
    });
  });
}

/** Begins a load and gives it up after so many rows. */
async function giveUp(catalogue: CatalogueUnderTest, rows: readonly unknown[], count: number): Promise<void> {
  const stop = new AbortController();
  const reason = new Error('given up');
  const some = (function* () {
    yield* rows.slice(0, count);
    stop.abort(reason);
    yield row('never');
  })();
  await expect(catalogue.load(some, { signal: stop.signal })).rejects.toBe(reason);
}

/** What a load with `prune` removes. */
function prunesBySource(store: CatalogueStore): void {
  describe('pruning', () => {
    test('removes what came from the same source and is no longer in it, and only when asked to', async () => {
      const catalogue = await loaded(store);
      expect(countsOf(await catalogue.load([row('b')]))).toEqual(counts({ unchanged: 1 }));
      expect(countsOf(await catalogue.load([row('b'), row('d')], { prune: true }))).toEqual(
        counts({ added: 1, unchanged: 1, removed: 2 }),
      );
      expect(await catalogue.ids()).toEqual(['b', 'd']);
    });

    test('of one source leaves a skill that another has as well, until that one lets go of it, too', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      await catalogue.prune('one', [row('shared'), row('own-1')]);
      await catalogue.prune('two', [row('shared'), row('own-2')]);
      expect((await catalogue.prune('one', [row('own-1')])).removed).toBe(0);
      expect(await catalogue.ids()).toEqual(['own-1', 'own-2', 'shared']);
      expect((await catalogue.prune('two', [row('own-2')])).removed).toBe(1);
      expect(await catalogue.ids()).toEqual(['own-1', 'own-2']);
    });

    test('does not happen after a source that failed', async () => {
      const catalogue = await loaded(store);
      const breaking = (function* () {
        yield row('d');
        throw new Error('the line went dead');
      })();
      const report = await catalogue.load(breaking, { prune: true });
      expect(report).toMatchObject({
        added: 1,
        removed: 0,
        failed: [{ origin: 'rows', reason: 'the line went dead' }],
        warnings: [{ origin: 'rows', message: expect.stringContaining('nothing was pruned') }],
      });
      expect(await catalogue.ids()).toEqual(['a', 'b', 'c', 'd']);
    });

    test('does not happen after a source that held nothing, be it one of several', async () => {
      const catalogue = await loaded(store);
      for (const rows of [[], [{ id: 'x' }]]) {
        const sources = [
          { name: 'rows', rows: [row('a')] },
          { name: 'empty', rows },
        ];
        const report = await catalogue.loadFrom(sources, { prune: true });
        expect(report.removed).toBe(0);
        expect(report.warnings.at(-1)).toEqual({
          origin: 'empty',
          message: expect.stringContaining('nothing was pruned'),
        });
      }
      expect(await catalogue.ids()).toEqual(['a', 'b', 'c']);
    });

    test('keeps a skill whose row is there but was rejected', async () => {
      const catalogue = await loaded(store);
      const before = await catalogue.skills();
      const report = await catalogue.load([row('a'), { id: 'b', name: 'no description any more' }], { prune: true });
      expect(countsOf(report)).toEqual(counts({ unchanged: 1, removed: 1 }));
      const after = await catalogue.skills();
      expect([...after.keys()]).toEqual(['a', 'b']);
      expect(after.get('b')).toEqual(before.get('b'));
    });
  });
}

/** What `updateSkills` and `removeSkills` do. */
function takesSmallChanges(store: CatalogueStore): void {
  describe('a small change', () => {
    test('adds and updates, and leaves the rest', async () => {
      const catalogue = await loaded(store);
      const report = await catalogue.update([row('b', { stars: 4 }), row('d'), row('c'), { id: 'bad' }]);
      expect(countsOf(report)).toEqual(counts({ added: 1, updated: 1, unchanged: 1 }));
      expect(report.rejected).toEqual([{ origin: 'rows', line: 4, reason: expect.stringContaining('name') }]);
      expect(await catalogue.skills()).toEqual(
        await skillsOfRows(store, [row('a'), row('b', { stars: 4 }), row('c'), row('d')]),
      );
    });

    test('makes the catalogue where none is', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      expect(countsOf(await catalogue.update(THREE))).toEqual(counts({ added: 3 }));
      expect(await catalogue.skills()).toEqual(await skillsOfRows(store, THREE));
    });
  });

  describe('a removal', () => {
    test('writes nothing where there is nothing to remove', async () => {
      const catalogue = await loaded(store);
      await catalogue.staysDuring(async () => {
        for (const ids of [['nobody', ''], []]) expect(await catalogue.remove(ids)).toBe(0);
      });
    });

    test('makes no catalogue where there is none', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      expect(await codeOf(() => catalogue.remove(['a']))).toBe('DATABASE_NOT_FOUND');
      expect(await codeOf(() => catalogue.open())).toBe('DATABASE_NOT_FOUND');
    });
  });
}

/** A catalogue of three skills. */
async function loaded(store: CatalogueStore): Promise<CatalogueUnderTest> {
  const catalogue = await CatalogueUnderTest.of(store);
  await catalogue.load(THREE);
  return catalogue;
}
