import { describe, expect, test } from 'vitest';
import { CatalogueReader } from '../../../src/store/read/catalogue-reader.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import { scratchFile } from '../../scratch-folder.js';
import { loadItems, storeItem } from '../store-items.js';

describe('a reader', () => {
  test('that opened before a load keeps the old state until it opens again', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a'), storeItem('b')], false);
    const before = CatalogueReader.open(path);

    const writer = new CatalogueWriter(path, undefined, true);
    writer.put(storeItem('a', { description: 'changed' }), 'source');
    writer.put(storeItem('c'), 'source');
    writer.prune(['source']);
    writer.finish();

    const after = CatalogueReader.open(path);
    expect(idsOf(before)).toEqual(['a', 'b']);
    expect(before.get('a')?.description).toBe('a skill');
    expect(before.files('b')).toHaveLength(1);
    expect(before.get('c')).toBeUndefined();
    expect(idsOf(after)).toEqual(['a', 'c']);
    expect(after.get('a')?.description).toBe('changed');
    expect(after.stamp).not.toBe(before.stamp);
    before.close();
    after.close();
  });

  test('that opens while a load works sees nothing of it', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    const writer = new CatalogueWriter(path, undefined, true);
    writer.put(storeItem('b'), 'source');
    writer.flush();

    const reader = CatalogueReader.open(path);
    expect(idsOf(reader)).toEqual(['a']);
    reader.close();
    writer.finish();
  });
});

describe('the answers of a reader', () => {
  test('give back what was stored', () => {
    const path = scratchFile('skills.db');
    const item = {
      ...storeItem('o-r-p', {
        name: 'Größe 大きさ 🎚',
        author: 'o',
        codehostUrl: 'https://github.com/o/r',
        skillUrl: 'https://example.com/p',
        stars: 9_007_199_254_740_991,
        updatedAt: 1_700_000_000,
        categories: ['b', 'a'],
        occupations: ['software-developers-151252'],
      }),
      properties: { license: 'MIT', metadata: { deep: [1, { two: null }] } },
      files: [
        { filename: 'z.md', text: 'last name, first file' },
        { filename: 'a/b.md', text: '' },
      ],
    };
    loadItems(path, [item], false);

    const reader = CatalogueReader.open(path);
    expect(reader.skill(0)).toEqual(item.skill);
    expect(reader.get('o-r-p')).toEqual({ ...item.skill, ...item.properties });
    expect(reader.files('o-r-p')).toEqual([
      { fileId: 'o-r-p/z.md', filename: 'z.md', text: 'last name, first file' },
      { fileId: 'o-r-p/a/b.md', filename: 'a/b.md', text: '' },
    ]);
    expect(reader.texts(0)).toEqual(item.files);
    expect(reader.countFiles()).toBe(2);
    expect(reader.get('O-R-P')).toBeUndefined();
    expect(reader.files('O-R-P')).toEqual([]);
    reader.close();
  });

  test('lose the files that a later load no longer brings', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a', {}, ['SKILL.md', 'b.md', 'c.md'])], false);
    loadItems(path, [storeItem('a', {}, ['SKILL.md', 'c.md'])], true);

    const reader = CatalogueReader.open(path);
    expect(reader.files('a').map((file) => file.filename)).toEqual(['SKILL.md', 'c.md']);
    expect(reader.countFiles()).toBe(2);
    reader.close();
  });
});

function idsOf(reader: CatalogueReader): string[] {
  return Array.from({ length: reader.columns.size }, (_, number) => reader.skill(number).id).sort();
}
