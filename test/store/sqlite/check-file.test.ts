import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkFile } from '../../../src/store/read/catalogue-check.js';
import { Database } from '../../../src/store/sqlite.js';
import { scratchFile } from '../../scratch-folder.js';

const SCHEMA = ['CREATE TABLE item (number INTEGER PRIMARY KEY, text TEXT)', 'CREATE INDEX text ON item (text)'];
const PAGE_BYTES = 512;
const CHECK = { schema: SCHEMA, time: 60_000 } as const;

describe('the check of a file', () => {
  test.each(['quick', 'full'] as const)('that is as it was written finds nothing: %s', async (extent) => {
    expect(await checkFile(items(), { ...CHECK, extent })).toEqual([]);
  });

  test('finds rows that an index lacks only if all of it is wanted', async () => {
    const path = items();
    const bytes = readFileSync(path);
    // The first entry of the index, and not the row.
    const at = bytes.lastIndexOf('text of 7');
    bytes.write('text of 8', at);
    writeFileSync(path, bytes);
    expect(await checkFile(path, { ...CHECK, extent: 'quick' })).toEqual([]);
    expect((await checkFile(path, { ...CHECK, extent: 'full' })).join()).toContain('missing from index text');
  });

  test.each(['quick', 'full'] as const)('ends soon with pages that lead in circles: %s', async (extent) => {
    const path = items();
    leadInCircles(path);
    await expect(checkFile(path, { ...CHECK, extent })).rejects.toThrow('its pages lead in circles');
  });

  test('computes nothing of a schema that is not known', async () => {
    const path = items();
    leadInCircles(path);
    expect(await checkFile(path, { ...CHECK, schema: [SCHEMA[0]!], extent: 'full' })).toEqual([]);
  });

  test('is ended when it takes longer than it may', async () => {
    await expect(checkFile(items(), { ...CHECK, extent: 'quick', time: 1 })).rejects.toThrow(
      'the check of its pages took longer than 0.001 s',
    );
  });

  test('is ended when it is aborted', async () => {
    const reason = new Error('enough');
    const aborted = checkFile(items(), { ...CHECK, extent: 'quick', signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
  });

  test('leaves it to whoever opens it to say that there is no file', async () => {
    expect(await checkFile(scratchFile('none.db'), { ...CHECK, extent: 'quick' })).toEqual([]);
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
  const connection = new Database(path, { readonly: true });
  const root = connection.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'item'").pluck().get()!;
  connection.close();
  const bytes = readFileSync(path);
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
  expect(page[0]).toBe(5);
  const child = page.readUInt32BE(8);
  for (let i = 0; i < page.readUInt16BE(3); i++) page.writeUInt32BE(child, page.readUInt16BE(12 + 2 * i));
  writeFileSync(path, bytes);
}
