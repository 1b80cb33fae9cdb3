import { expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, openSkillSearch, updateSkills } from '../../../src/index.js';
import { MAX_SUPERSEDED } from '../../../src/limits.js';
import { Database } from '../../../src/sqlite/connection.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';

function countIn(path: string, table: string): number {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  } finally {
    database.close();
  }
}

test('what small changes leave for readers forgets the oldest beyond so many skills', async () => {
  const database = scratchFile('skills.db');
  const rows = (stars: number) => Array.from({ length: 500 }, (_, i) => row(`a${i}`, { stars }));
  await buildCatalogue({ database, sources: [{ name: 'rows', rows: rows(0) }], semantic: false });
  await using first = await openSkillSearch({ database });
  const update = (stars: number) => updateSkills({ database, rows: rows(stars), source: 'rows', semantic: false });
  await update(1);
  await using second = await openSkillSearch({ database });
  for (let stars = 2; stars * 500 <= MAX_SUPERSEDED; stars++) await update(stars);
  expect(countIn(database, 'superseded')).toBe(MAX_SUPERSEDED);
  expect(first.get('a7')?.stars).toBe(0);

  await update(99);
  expect(countIn(database, 'superseded')).toBe(MAX_SUPERSEDED);
  expect(countIn(database, 'superseded_file')).toBe(MAX_SUPERSEDED);
  expect(await codeOf(() => first.get('a7'))).toBe('SERVICE_UNAVAILABLE');
  expect(await codeOf(() => first.ids())).toBe('SERVICE_UNAVAILABLE');
  expect(second.get('a7')?.stars).toBe(1);
  await using last = await openSkillSearch({ database });
  expect(last.get('a7')?.stars).toBe(99);
  expect((await checkCatalogue({ database })).problems).toEqual([]);
});

test('a whole load drops what small changes have left', async () => {
  const database = scratchFile('skills.db');
  const load = (stars: number) =>
    buildCatalogue({ database, sources: [{ name: 'rows', rows: [row('a', { stars })] }], semantic: false });
  await load(0);
  await updateSkills({ database, rows: [row('a', { stars: 1 })], source: 'rows', semantic: false });
  await using search = await openSkillSearch({ database });
  expect([countIn(database, 'superseded'), countIn(database, 'state')]).toEqual([1, 2]);
  await load(2);
  expect([countIn(database, 'superseded'), countIn(database, 'state')]).toEqual([0, 0]);
  expect(search.get('a')?.stars).toBe(1);
});
