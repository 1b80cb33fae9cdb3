import { describe, expect, test } from 'vitest';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf, skillsOfRows } from './catalogue-under-test.js';

const THREE = [row('a'), row('b'), row('c')];

/** What `updateSkills` and `removeSkills` do. */
export function takesSmallChanges(store: CatalogueStore): void {
  async function loaded(): Promise<CatalogueUnderTest> {
    const catalogue = await CatalogueUnderTest.of(store);
    await catalogue.load(THREE);
    return catalogue;
  }

  describe('a small change', () => {
    test('adds and updates, and leaves the rest', async () => {
      const catalogue = await loaded();
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

    test('of rows that are stored as they are writes nothing', async () => {
      const catalogue = await loaded();
      await catalogue.staysDuring(async () =>
        expect(countsOf(await catalogue.update(THREE))).toEqual(counts({ unchanged: 3 })),
      );
    });

    test('has as many rows as it likes', async () => {
      const catalogue = await loaded();
      const many = Array.from({ length: 501 }, (_, i) => row(`many-${i}`));
      expect(await catalogue.update(many)).toMatchObject({ added: 501 });
      expect(await catalogue.remove(many.map(({ id }) => id!))).toBe(501);
      expect(await catalogue.ids()).toEqual(['a', 'b', 'c']);
    });

    test('claims what it brings for its source, which a load may prune', async () => {
      const catalogue = await loaded();
      await catalogue.update([row('d')]);
      expect(await catalogue.prune('rows', THREE)).toMatchObject({ unchanged: 3, removed: 1 });
      expect(await catalogue.ids()).toEqual(['a', 'b', 'c']);
    });
  });

  describe('a removal', () => {
    test('is by id, and says how many there were, each once', async () => {
      const catalogue = await loaded();
      const stamp = await catalogue.stamp();
      expect(await catalogue.remove(['a', 'nobody', 'c', 'a'])).toBe(2);
      expect(await catalogue.skills()).toEqual(await skillsOfRows(store, [row('b')]));
      expect(await catalogue.stamp()).not.toBe(stamp);
    });

    test('writes nothing where there is nothing to remove', async () => {
      const catalogue = await loaded();
      await catalogue.staysDuring(async () => {
        for (const ids of [['nobody', ''], []]) expect(await catalogue.remove(ids)).toBe(0);
      });
    });

    test('is undone by loading the source again', async () => {
      const catalogue = await loaded();
      const before = await catalogue.skills();
      await catalogue.remove(['b']);
      expect(countsOf(await catalogue.load(THREE))).toEqual(counts({ added: 1, unchanged: 2 }));
      expect(await catalogue.skills()).toEqual(before);
    });

    test('may leave nothing, and what comes then is new', async () => {
      const catalogue = await loaded();
      expect(await catalogue.remove(['a', 'b', 'c'])).toBe(3);
      expect(await catalogue.ids()).toEqual([]);
      expect(countsOf(await catalogue.load(THREE))).toEqual(counts({ added: 3 }));
    });

    test('makes no catalogue where there is none', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      expect(await codeOf(() => catalogue.remove(['a']))).toBe('DATABASE_NOT_FOUND');
      expect(await codeOf(() => catalogue.open())).toBe('DATABASE_NOT_FOUND');
    });
  });
}
