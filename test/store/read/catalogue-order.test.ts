import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CatalogueReader } from '../../../src/store/read/catalogue-reader.js';
import type { SkillToStore } from '../../../src/store/stored-skill.js';
import { MemoryCatalogue } from '../../../src/store/write/memory-catalogue.js';
import { scratchFile } from '../../scratch-folder.js';
import { loadItems, storeItem } from '../store-items.js';

/** Ids in code-point order; by UTF-16 units the ones with surrogates would stand before U+FF5E. */
const IDS = ['A', 'a', 'a-b', 'aa', 'z', 'é', '漢', '\ue000', '\uff5e', '𐀀', '😀', '😀a', '🛠'];

describe('ids', () => {
  test('are ranked in code-point order, characters beyond U+FFFF included', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [...IDS].reverse().map(withoutDate), false);

    const reader = CatalogueReader.open(path);
    expect(byRank(reader)).toEqual(IDS);
    reader.close();
  });

  test('are ranked alike in memory and in any order of loading', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), { maxLength: 12 }),
        (ids) => {
          const reader = inMemory(ids.filter((id) => id.isWellFormed() && !id.includes('\0')).map(withoutDate));
          const found = byRank(reader);
          reader.close();
          expect(found).toEqual([...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('decide the document number where the dates are equal', () => {
    const reader = inMemory([
      storeItem('b', { updatedAt: 5 }),
      storeItem('😀', { updatedAt: 7 }),
      storeItem('\uff5e', { updatedAt: 7 }),
      storeItem('a', { updatedAt: 5 }),
    ]);

    expect([0, 1, 2, 3].map((number) => reader.skill(number).id)).toEqual(['\uff5e', '😀', 'a', 'b']);
    expect([...reader.columns.updatedAt]).toEqual([7, 7, 5, 5]);
    reader.close();
  });
});

describe('copies', () => {
  test('share a group, and nothing else does', () => {
    const reader = inMemory([
      storeItem('one', { name: 'n', description: 'd', updatedAt: 4 }),
      storeItem('two', { name: 'n', description: 'other', updatedAt: 3 }),
      storeItem('three', { name: 'n', description: 'd', updatedAt: 2 }),
      storeItem('four', { name: 'm', description: 'd', updatedAt: 1 }),
    ]);

    const [one, two, three, four] = reader.columns.copyGroup;
    expect(three).toBe(one);
    expect(new Set([one, two, four]).size).toBe(3);
    reader.close();
  });
});

describe('labels', () => {
  test('list the documents that have them', () => {
    const reader = inMemory([
      storeItem('a', { updatedAt: 3, categories: ['x', 'y'], occupations: ['o'] }),
      storeItem('b', { updatedAt: 2 }),
      storeItem('c', { updatedAt: 1, categories: ['y'] }),
    ]);

    const { categories, occupations } = reader.columns;
    expect([...categories]).toEqual([
      ['x', Uint32Array.of(0)],
      ['y', Uint32Array.of(0, 2)],
    ]);
    expect([...occupations]).toEqual([['o', Uint32Array.of(0)]]);
    reader.close();
  });
});

describe('a catalogue in memory', () => {
  test('keeps the later of two skills with one id, and says so', () => {
    const catalogue = new MemoryCatalogue();
    expect(catalogue.put(storeItem('a', { stars: 1 }, ['SKILL.md', 'b.md']))).toBe('stored');
    expect(catalogue.put(storeItem('b'))).toBe('stored');
    expect(catalogue.put(storeItem('a', { stars: 2 }))).toBe('again');

    const reader = catalogue.read();
    expect(reader.columns.size).toBe(2);
    expect(reader.get('a')?.stars).toBe(2);
    expect(reader.files('a')).toHaveLength(1);
    expect(reader.stamp).toMatch(/^[0-9a-f]{32}$/);
    reader.close();
  });

  test('may be empty', () => {
    const reader = inMemory([]);
    expect(reader.columns.size).toBe(0);
    expect(reader.countFiles()).toBe(0);
    reader.close();
  });
});

function withoutDate(id: string): SkillToStore {
  return storeItem(id);
}

function inMemory(items: readonly SkillToStore[]): CatalogueReader {
  const catalogue = new MemoryCatalogue();
  for (const item of items) catalogue.put(item);
  return catalogue.read();
}

/** The ids in the order of their ranks. */
function byRank(reader: CatalogueReader): string[] {
  const { size, idRank } = reader.columns;
  const ids: string[] = [];
  for (let number = 0; number < size; number++) ids[idRank[number] as number] = reader.skill(number).id;
  return ids;
}
