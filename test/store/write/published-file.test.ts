import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, copyCatalogue, openSkillSearch } from '../../../src/index.js';
import { removeSkills } from '../../../src/load/index.js';
import { PAGE_BYTES, pageBytesFor, SMALL_PAGE_BYTES } from '../../../src/store/database.js';
import { CatalogueReader } from '../../../src/store/read/catalogue-reader.js';
import { Database } from '../../../src/store/sqlite.js';
import { contentOf, filesBeside, stampOf, traceOf } from '../../catalogue-file.js';
import { row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';
import { loadItems, storeItem } from '../store-items.js';

describe('published file', () => {
  describe('the published file', () => {
    test('stands alone: nothing is left beside it', () => {
      const path = scratchFile('skills.db');

      loadItems(path, [storeItem('a'), storeItem('b')], false);

      expect(filesBeside(path)).toEqual([]);
    });

    test('is in rollback-journal mode', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);

      // Bytes 18 and 19 of a database are 1 in rollback-journal mode and 2 with a write-ahead log.
      expect([...bytesAt(path, 18, 2)]).toEqual([1, 1]);
    });

    test('tells what it is by application id and format version', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);

      expect(bytesAt(path, 68, 4).toString('latin1')).toBe('SKIL');
      const database = new Database(path, { readonly: true });
      expect(database.pragma('user_version', { simple: true })).toBe(1);
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      database.close();
    });

    test('keeps nothing of the load that made it but its stamp and notes about the whole', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);
      loadItems(path, [storeItem('b')], true);

      const database = new Database(path, { readonly: true });
      const meta = Object.fromEntries(
        database.prepare('SELECT key, value FROM meta').raw().all() as [string, string][],
      );
      database.close();
      expect(meta).toEqual({
        stamp: stampOf(path),
        signature_rules: expect.any(String),
        facts: expect.stringContaining('"skills":2,"files":2,'),
        checksum: expect.stringMatching(/^\d+$/),
      });
    });

    test('can be copied and read elsewhere', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);
      const copy = join(dirname(path), 'copy.db');
      copyFileSync(path, copy);

      const reader = CatalogueReader.open(copy);
      expect(reader.get('a')?.name).toBe('name of a');
      reader.close();
    });

    test('is not touched by reading', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);
      const before = traceOf(path);

      const reader = CatalogueReader.open(path);
      reader.skill(0);
      reader.close();

      expect(traceOf(path)).toEqual(before);
      expect(filesBeside(path)).toEqual([]);
    });

    test('gets another stamp with every load that changes something, and none with one that does not', () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);
      const first = stampOf(path);
      const trace = traceOf(path);

      expect(loadItems(path, [storeItem('a')], true)).toEqual({ added: 0, updated: 0, unchanged: 1, removed: 0 });
      expect(traceOf(path)).toEqual(trace);

      expect(loadItems(path, [storeItem('a', { stars: 5 })], true)).toMatchObject({ updated: 1 });
      expect(stampOf(path)).not.toBe(first);
    });

    test('is made even of a load that brings nothing', () => {
      const path = scratchFile('skills.db');

      loadItems(path, [], false);

      const reader = CatalogueReader.open(path);
      expect(reader.columns.size).toBe(0);
      expect(reader.stamp).toMatch(/^[0-9a-f]{32}$/);
      reader.close();
    });

    test('has small pages while it is small, and others once it has grown, and readers keep what they opened', async () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a'), storeItem('b')], false);
      expect(pageBytesOf(path)).toBe(SMALL_PAGE_BYTES);
      // Every table and index takes a page at least.
      expect(statSync(path).size).toBeLessThan(200 * 1024);
      const reader = CatalogueReader.open(path);

      // Hashes cannot be packed.
      const long = Array.from({ length: 100_000 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex')).join(
        '',
      );
      loadItems(path, [storeItem('c', { description: long })], true);
      expect(pageBytesOf(path)).toBe(PAGE_BYTES);
      expect([...contentOf(path).keys()]).toEqual(['a', 'b', 'c']);
      expect(reader.get('a')?.name).toBe('name of a');
      expect(reader.ids()).toEqual(['a', 'b']);
      reader.close();

      expect(await removeSkills({ database: path, ids: ['c'] })).toBe(1);
      loadItems(path, [storeItem('d')], true);
      expect(pageBytesOf(path)).toBe(SMALL_PAGE_BYTES);
      expect([...contentOf(path).keys()]).toEqual(['a', 'b', 'd']);
    });

    test('shrinks when most of it was removed', async () => {
      const path = scratchFile('skills.db');
      const ids = Array.from({ length: 4000 }, (_, i) => `skill-${i}`);
      loadItems(
        path,
        ids.map((id) => storeItem(id)),
        false,
      );
      const before = statSync(path).size;

      expect(await removeSkills({ database: path, ids: ids.slice(10) })).toBe(3990);

      expect(statSync(path).size).toBeLessThan(before / 4);
      expect([...contentOf(path).keys()]).toEqual(ids.slice(0, 10));
    });
  });

  function pageBytesOf(path: string): number {
    return bytesAt(path, 16, 2).readUInt16BE();
  }

  function bytesAt(path: string, position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, length, position);
    closeSync(file);
    return bytes;
  }
});

describe('page bytes', () => {
  const MEBIBYTE = 2 ** 20;

  test('a catalogue has small pages up to a mebibyte', () => {
    expect(pageBytesFor(MEBIBYTE, PAGE_BYTES)).toBe(SMALL_PAGE_BYTES);
    expect(pageBytesFor(MEBIBYTE + 1, PAGE_BYTES)).toBe(PAGE_BYTES);
  });

  test('it keeps small pages up to four mebibytes, so that a size about the bound is not written anew each time', () => {
    expect(pageBytesFor(4 * MEBIBYTE, SMALL_PAGE_BYTES)).toBe(SMALL_PAGE_BYTES);
    expect(pageBytesFor(4 * MEBIBYTE + 1, SMALL_PAGE_BYTES)).toBe(PAGE_BYTES);
  });
});

describe('forget journal', () => {
  const rows = Array.from({ length: 200 }, (_, i) => row(`a${i}`, { description: `${i} ${'words '.repeat(200)}` }));

  /** Makes a catalogue whose change was cut off while it was written: half of the change, and its journal. */
  async function cutOff(database: string): Promise<void> {
    const whole = scratchFile('whole.db');
    await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows }], semantic: false });
    const writer = new Database(whole);
    try {
      // Writes into the file before the commit, and a journal for it.
      writer.pragma('cache_size = 2');
      writer.exec("BEGIN IMMEDIATE; UPDATE revision SET record = '{}', stars = 7");
      for (const ending of ['', '-journal']) copyFileSync(whole + ending, database + ending);
      expect(readFileSync(`${database}-journal`)[0]).not.toBe(0);
    } finally {
      writer.close();
    }
  }

  test('a change that was cut off is not undone in a catalogue that is loaded where the former one was deleted', async () => {
    const database = scratchFile('skills.db');
    await cutOff(database);
    rmSync(database);
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: [row('b')] }], semantic: false });
    await using search = await openSkillSearch({ database });
    expect(search.ids()).toEqual(['b']);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });

  test('a change that was cut off is not undone in a copy that takes the place of the catalogue', async () => {
    const [from, to] = [scratchFile('from.db'), scratchFile('to.db')];
    await buildCatalogue({ database: from, sources: [{ name: 'rows', rows: [row('b')] }], semantic: false });
    await cutOff(to);
    await copyCatalogue({ from, to, overwrite: true });
    expect(existsSync(`${to}-journal`)).toBe(false);
    await using search = await openSkillSearch({ database: to });
    expect(search.ids()).toEqual(['b']);
    expect((await checkCatalogue({ database: to })).problems).toEqual([]);
  });

  test('a change that was cut off is undone before a load replaces the catalogue', async () => {
    const database = scratchFile('skills.db');
    await cutOff(database);
    await buildCatalogue({ database, sources: [{ name: 'more', rows: [row('b')] }], semantic: false });
    await using search = await openSkillSearch({ database });
    expect([search.ids().length, search.get('a7')?.name]).toEqual([201, rows[7]!.name]);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });
});
