import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { removeSkills } from '../../../src/index.js';
import { writeFacts } from '../../../src/store/notes.js';
import { Database } from '../../../src/store/sqlite.js';
import { CatalogueRepair } from '../../../src/store/write/catalogue-repair.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import { contentOf, filesBeside, stampOf, traceOf } from '../../catalogue-file.js';
import { scratchFile } from '../../scratch-folder.js';
import { loadItems, storeItem } from '../store-items.js';

describe('a load that was given up', () => {
  test('leaves the catalogue as it was and keeps its working copy', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    const before = traceOf(path);

    giveUp(path, 'key', ['b'], true);

    expect(traceOf(path)).toEqual(before);
    expect(existsSync(`${path}.loading`)).toBe(true);
    expect(existsSync(`${path}.loading-lock`)).toBe(false);
  });

  test('is gone on with by the same load, which counts as if it had run through', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old'), storeItem('kept')], false);
    giveUp(path, 'key', ['a', 'b'], true);
    const inode = traceOf(`${path}.loading`).inode;

    const writer = new CatalogueWriter(path, 'key', true);
    expect(traceOf(`${path}.loading`).inode).toBe(inode);
    for (const id of ['a', 'b', 'c', 'kept']) writer.put(storeItem(id), 'source');
    writer.prune(['source']);

    expect(writer.finish()).toEqual({ added: 3, updated: 0, unchanged: 1, removed: 1 });
    expect([...contentOf(path).keys()]).toEqual(['a', 'b', 'c', 'kept']);
    expect(filesBeside(path)).toEqual([]);
  });

  test('is thrown away by another load', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    giveUp(path, 'key', ['a', 'b'], true);

    const writer = new CatalogueWriter(path, 'another key', true);
    writer.put(storeItem('c'), 'source');

    expect(writer.finish()).toEqual({ added: 1, updated: 0, unchanged: 0, removed: 0 });
    expect([...contentOf(path).keys()]).toEqual(['c', 'old']);
    expect(filesBeside(path)).toEqual([]);
  });

  test('is kept by whatever changes nothing: another load, a removal, a repair', async () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    const before = traceOf(path);
    giveUp(path, 'key', ['a', 'b'], true);
    const { inode } = traceOf(`${path}.loading`);

    const other = new CatalogueWriter(path, 'another key', true);
    other.put(storeItem('old'), 'source');
    other.finish();
    expect(await removeSkills({ database: path, ids: ['nothing'] })).toBe(0);
    (await CatalogueRepair.publish(path, undefined)).close();

    expect(traceOf(path)).toEqual(before);
    const writer = new CatalogueWriter(path, 'key', true);
    expect(traceOf(`${path}.loading`).inode).toBe(inode);
    for (const id of ['a', 'b', 'c']) writer.put(storeItem(id), 'source');
    expect(writer.finish()).toEqual({ added: 3, updated: 0, unchanged: 0, removed: 0 });
    expect(filesBeside(path)).toEqual([]);
  });

  test('is thrown away by a load that changes nothing if the catalogue was replaced in between', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    giveUp(path, 'key', ['a'], true);
    const elsewhere = scratchFile('skills.db');
    loadItems(elsewhere, [storeItem('new')], false);
    copyFileSync(elsewhere, path);

    const writer = new CatalogueWriter(path, 'key', true);
    writer.put(storeItem('new'), 'source');
    writer.finish();

    expect(filesBeside(path)).toEqual([]);
  });

  test('is thrown away when the catalogue was replaced in between', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    giveUp(path, 'key', ['a'], true);
    const elsewhere = scratchFile('skills.db');
    loadItems(elsewhere, [storeItem('new')], false);
    copyFileSync(elsewhere, path);

    const writer = new CatalogueWriter(path, 'key', true);
    writer.put(storeItem('b'), 'source');

    expect(writer.finish()).toMatchObject({ added: 1, removed: 0 });
    expect([...contentOf(path).keys()]).toEqual(['b', 'new']);
  });

  test('whose working copy was damaged is begun anew', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    for (const damage of [Buffer.from('no database at all '.repeat(50)), Buffer.alloc(0)]) {
      giveUp(path, 'key', ['a'], true);
      writeFileSync(`${path}.loading`, damage);

      const writer = new CatalogueWriter(path, 'key', true);
      writer.put(storeItem('b', { stars: damage.length }), 'source');
      writer.finish();

      expect([...contentOf(path).keys()]).toEqual(['b', 'old']);
    }
  });

  test('of skills that its sources no longer hold leaves nothing of them', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old', { stars: 1 }, ['SKILL.md', 'more.md'])], false);
    const before = contentOf(path);
    const writer = new CatalogueWriter(path, 'key', true);
    writer.put(storeItem('old', { stars: 2 }), 'source');
    writer.put(storeItem('passing'), 'source');
    writer.close();

    const again = new CatalogueWriter(path, 'key', true);

    expect(again.finish()).toEqual({ added: 0, updated: 0, unchanged: 0, removed: 0 });
    expect(contentOf(path)).toEqual(before);
    expect(filesBeside(path)).toEqual([]);
  });

  test('in the midst of pruning brings back what was pruned too soon', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a'), storeItem('b')], false);
    const before = contentOf(path);
    const writer = new CatalogueWriter(path, 'key', true);
    writer.put(storeItem('a'), 'source');
    writer.prune(['source']);
    writer.close();

    const again = new CatalogueWriter(path, 'key', true);
    again.put(storeItem('a'), 'source');
    again.put(storeItem('b'), 'source');
    again.prune(['source']);

    expect(again.finish()).toEqual({ added: 0, updated: 0, unchanged: 2, removed: 0 });
    expect(contentOf(path)).toEqual(before);
  });
});

describe('a load that was killed between its end and its publication', () => {
  test('is published by whatever load comes next', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    leaveFinished(path, 'a');

    const writer = new CatalogueWriter(path, 'another key', true);
    writer.put(storeItem('b'), 'source');

    expect(writer.finish()).toEqual({ added: 1, updated: 0, unchanged: 0, removed: 0 });
    expect([...contentOf(path).keys()]).toEqual(['a', 'b', 'old']);
    expect(filesBeside(path)).toEqual([]);
  });

  test('is published though the next load changes nothing', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    leaveFinished(path, 'a');

    const writer = new CatalogueWriter(path, 'another key', true);
    writer.put(storeItem('a'), 'source');

    expect(writer.finish()).toEqual({ added: 0, updated: 0, unchanged: 1, removed: 0 });
    expect([...contentOf(path).keys()]).toEqual(['a', 'old']);
    expect(filesBeside(path)).toEqual([]);
  });

  test('is published where it was the first of all', () => {
    const path = scratchFile('skills.db');
    const made = scratchFile('skills.db');
    loadItems(made, [storeItem('a')], false);
    copyFileSync(made, `${path}.loading`);
    const stamp = stampOf(made);

    const writer = new CatalogueWriter(path, 'another key', false);
    writer.put(storeItem('a'), 'source');

    expect(writer.finish()).toEqual({ added: 0, updated: 0, unchanged: 1, removed: 0 });
    expect(stampOf(path)).toBe(stamp);
    expect(filesBeside(path)).toEqual([]);
  });

  test('is thrown away when the catalogue was replaced in between', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    leaveFinished(path, 'a');
    const elsewhere = scratchFile('skills.db');
    loadItems(elsewhere, [storeItem('new')], false);
    writeFileSync(path, readFileSync(elsewhere));

    const writer = new CatalogueWriter(path, 'another key', true);
    writer.put(storeItem('new'), 'source');
    writer.finish();

    expect([...contentOf(path).keys()]).toEqual(['new']);
    expect(filesBeside(path)).toEqual([]);
  });
});

describe('a copy in the making that a kill left behind', () => {
  test('is thrown away', () => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('old')], false);
    writeFileSync(`${path}.loading-part`, 'half of a copy');
    writeFileSync(`${path}.loading-part-journal`, '');

    loadItems(path, [storeItem('a')], true);

    expect([...contentOf(path).keys()]).toEqual(['a', 'old']);
    expect(filesBeside(path)).toEqual([]);
  });
});

/** A load that ends without being published. */
function giveUp(path: string, key: string, ids: readonly string[], exists: boolean): void {
  const writer = new CatalogueWriter(path, key, exists);
  for (const id of ids) writer.put(storeItem(id), 'source');
  writer.close();
}

/** What a kill leaves that comes after the last transaction of a load and before the rename. */
function leaveFinished(path: string, id: string): void {
  giveUp(path, 'key', [id], true);
  const working = new Database(`${path}.loading`);
  working.pragma('journal_mode = WAL');
  working.exec("DELETE FROM touched; DELETE FROM meta WHERE key IN ('load_key', 'claims_changed')");
  working.exec("UPDATE meta SET value = 'feedfeedfeedfeedfeedfeedfeedfeed' WHERE key = 'stamp'");
  writeFacts(working);
  working.close();
}
