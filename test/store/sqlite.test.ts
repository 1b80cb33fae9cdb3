import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packText, textOf } from '../../src/store/packing.js';
import { structureFaults } from '../../src/store/read/catalogue-check.js';
import { Database, NativeHandles } from '../../src/store/sqlite.js';
import { inDatabase } from '../catalogue-file.js';
import { scratchFile } from '../scratch-folder.js';

const RECORD = '{"id":"a","name":"Release notes","description":"Writes release notes from the log of git"}';
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom('release ', 'notes ', 'git ', '中文', '😀', '\n'), { maxLength: 200 })
    .map((w) => w.join('')),
);

describe('a packed text', () => {
  test('comes back as it was, whatever the record', () => {
    fc.assert(
      fc.property(text, fc.string({ maxLength: 9000 }), (original, record) => {
        expect(textOf(packText(original, record), record)).toBe(original);
      }),
    );
  });

  test('refers to what the record says, and stays as it is where packing does not help', () => {
    const description = 'Writes release notes from the log of git, in the words of those who read them. ';
    const stored = packText(description, `{"description":"${description}"}`);
    expect(stored.length).toBeLessThan(20);
    expect(packText('short', RECORD)).toBe('short');
    const noise = Array.from({ length: 80 }, (_, i) => String.fromCharCode(0x100 + ((i * 7919) % 5000))).join('');
    expect(packText(noise, RECORD)).toBe(noise);
  });

  test('that is damaged is none, and takes no more memory than it says', () => {
    const stored = packText('release notes '.repeat(100), RECORD) as Buffer;
    fc.assert(
      fc.property(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(stored);
        damaged[at]! ^= change;
        expect(() => textOf(damaged, RECORD)).not.toThrow();
      }),
    );
    const bomb = Buffer.from(stored);
    bomb.writeUInt32LE(10);
    expect(textOf(bomb, RECORD)).toBeUndefined();
    expect(textOf(Buffer.alloc(3), RECORD)).toBeUndefined();
  });
});

/** Kept before the first sweep, in these tests. */
const FIRST_SWEEP = 100;

describe('native objects of SQLite', () => {
  test('are kept as long as they may be used, and do not pile up', async () => {
    const handles = new NativeHandles(true, FIRST_SWEEP);
    const open = (): Database => {
      const connection = new Database(':memory:');
      handles.keep(connection);
      return connection;
    };
    const used = open();
    const statement = used.prepare<[], number>('SELECT 1').pluck();
    for (let i = 0; i < 100; i++) {
      const other = open();
      for (let j = 0; j < 10; j++) expect([...other.prepare('SELECT 2').iterate()]).toHaveLength(1);
      other.close();
      await turn();
    }
    expect(handles.size).toBeGreaterThan(1);
    expect(handles.size).toBeLessThan(5 * FIRST_SWEEP);
    expect(statement.get()).toBe(1);
    used.close();
  });

  test('are not kept at all where nothing is wrong with them', () => {
    const handles = new NativeHandles(false);
    const connection = new Database(':memory:');
    handles.keep(connection);
    connection.prepare('SELECT 1');
    expect(handles.size).toBe(0);
  });
});

const SCHEMA = ['CREATE TABLE item (number INTEGER PRIMARY KEY, text TEXT)', 'CREATE INDEX text ON item (text)'];
const PAGE_BYTES = 512;

const faultsOf = (path: string, extent: 'quick' | 'full', schema = SCHEMA) =>
  structureFaults(path, extent, undefined, 60_000, schema);

describe('the check of a file', () => {
  test('finds rows that an index lacks only if all of it is wanted', async () => {
    const path = items();
    expect(await faultsOf(path, 'full')).toEqual([]);
    const bytes = readFileSync(path);
    // The first entry of the index, and not the row.
    bytes.write('text of 8', bytes.lastIndexOf('text of 7'));
    writeFileSync(path, bytes);
    expect(await faultsOf(path, 'quick')).toEqual([]);
    expect((await faultsOf(path, 'full')).join()).toContain('missing from index text');
  });

  test('ends soon with pages that lead in circles, and computes nothing of a schema that is not known', async () => {
    const path = items();
    leadInCircles(path);
    for (const extent of ['quick', 'full'] as const) {
      await expect(faultsOf(path, extent)).rejects.toThrow('its pages lead in circles');
    }
    expect(await faultsOf(path, 'full', [SCHEMA[0]!])).toEqual([]);
    expect(await faultsOf(scratchFile('none.db'), 'quick')).toEqual([]);
  });

  test('is ended when it takes longer than it may, or is aborted', async () => {
    await expect(structureFaults(items(), 'quick', undefined, 1)).rejects.toThrow('took longer than 0.001 s');
    const reason = new Error('enough');
    await expect(structureFaults(items(), 'quick', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

/** A database of many pages. */
function items(): string {
  const path = scratchFile('items.db');
  const connection = new Database(path);
  connection.pragma(`page_size = ${PAGE_BYTES}`);
  for (const sql of SCHEMA) connection.exec(sql);
  const insert = connection.prepare('INSERT INTO item (text) VALUES (?)');
  connection.transaction(() => {
    for (let i = 0; i < 2000; i++) insert.run(`text of ${i} `.repeat(5).slice(0, 60));
  })();
  connection.close();
  return path;
}

/** Makes every child of the root of the table the same page. Twenty such levels would have more rows than can be read. */
function leadInCircles(path: string): void {
  const read = "SELECT rootpage FROM sqlite_schema WHERE name = 'item'";
  const root = inDatabase(path, (connection) => connection.prepare<[], number>(read).pluck().get()!);
  const bytes = readFileSync(path);
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
  expect(page[0]).toBe(5);
  const child = page.readUInt32BE(8);
  for (let i = 0; i < page.readUInt16BE(3); i++) page.writeUInt32BE(child, page.readUInt16BE(12 + 2 * i));
  writeFileSync(path, bytes);
}
