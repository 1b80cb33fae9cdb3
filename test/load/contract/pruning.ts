import { describe, expect, test } from 'vitest';
import { row, writeJsonLines } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf } from './catalogue-under-test.js';

const THREE = [row('a'), row('b'), row('c')];

/** What a load with `prune` removes. */
export function prunesBySource(store: CatalogueStore): void {
  async function loaded(): Promise<CatalogueUnderTest> {
    const catalogue = await CatalogueUnderTest.of(store);
    await catalogue.load(THREE);
    return catalogue;
  }

  describe('pruning', () => {
    test('removes what came from the same source and is no longer in it, and only when asked to', async () => {
      const catalogue = await loaded();
      expect(countsOf(await catalogue.load([row('b')]))).toEqual(counts({ unchanged: 1 }));
      expect(countsOf(await catalogue.load([row('b'), row('d')], { prune: true }))).toEqual(
        counts({ added: 1, unchanged: 1, removed: 2 }),
      );
      expect(await catalogue.ids()).toEqual(['b', 'd']);
    });

    test('leaves what came from other sources', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      await catalogue.prune('one', [row('a'), row('b')]);
      await catalogue.prune('two', [row('c'), row('d')]);
      expect((await catalogue.prune('two', [row('d')])).removed).toBe(1);
      expect(await catalogue.ids()).toEqual(['a', 'b', 'd']);
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

    test('knows again what a source had and lost', async () => {
      const catalogue = await loaded();
      await catalogue.load([row('a')], { prune: true });
      expect(countsOf(await catalogue.load(THREE))).toEqual(counts({ added: 2, unchanged: 1 }));
      expect(countsOf(await catalogue.load([row('c')], { prune: true }))).toEqual(counts({ unchanged: 1, removed: 2 }));
    });

    test('does not happen after a source that failed', async () => {
      const catalogue = await loaded();
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
      const catalogue = await loaded();
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
      const catalogue = await loaded();
      const before = await catalogue.skills();
      const report = await catalogue.load([row('a'), { id: 'b', name: 'no description any more' }], { prune: true });
      expect(countsOf(report)).toEqual(counts({ unchanged: 1, removed: 1 }));
      const after = await catalogue.skills();
      expect([...after.keys()]).toEqual(['a', 'b']);
      expect(after.get('b')).toEqual(before.get('b'));
    });

    test('knows a file by its path, and a file of the same name elsewhere as another', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const [one, two] = [scratchFile('rows.jsonl'), scratchFile('rows.jsonl')];
      writeJsonLines(one, THREE);
      writeJsonLines(two, THREE.slice(0, 2));
      await catalogue.loadFrom([one]);
      await catalogue.loadFrom([two]);
      writeJsonLines(one, [row('d')]);
      expect(await catalogue.loadFrom([one], { prune: true })).toMatchObject({ added: 1, removed: 1 });
      expect(await catalogue.ids()).toEqual(['a', 'b', 'd']);
    });
  });
}
