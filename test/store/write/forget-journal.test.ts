import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, copyCatalogue, openSkillSearch } from '../../../src/index.js';
import { Database } from '../../../src/store/sqlite.js';
import { row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';

const rows = Array.from({ length: 200 }, (_, i) => row(`a${i}`, { description: `${i} ${'words '.repeat(200)}` }));

/** Makes a catalogue whose change was cut off while it was written: half of the change, and its journal. */
async function cutOff(database: string): Promise<void> {
  const whole = scratchFile('whole.db');
  await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows }], semantic: false });
  const writer = new Database(whole);
  try {
    // Writes into the file before the commit, and a journal for it.
    writer.pragma('cache_size = 2');
    writer.exec("BEGIN IMMEDIATE; UPDATE skill SET record = '{}', stars = 7");
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
