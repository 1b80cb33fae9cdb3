import { describe, expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../../src/core/index.js';
import {
  buildCatalogue,
  checkCatalogue,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../../src/index.js';
import { stampOfKeywordFile } from '../../../src/indexing/keyword-file.js';
import { changesSince, MAX_FORGOTTEN, MAX_SUPERSEDED } from '../../../src/store/revisions.js';
import { Database } from '../../../src/store/sqlite.js';
import { codeOf } from '../../error-code.js';
import { row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';

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

describe('what is left of forgotten skills', () => {
  // Each has a twin with the same text.
  const rows = Array.from({ length: MAX_SUPERSEDED + 1000 }, (_, i) =>
    row(`a${i}`, { name: `n ${i % 3000}`, description: `alpha ${i % 3000}`, stars: i % 7, updatedAt: i % 11 }),
  );

  async function removeFirst(database: string, count: number, atOnce: number): Promise<void> {
    for (let done = 0; done < count; done += atOnce) {
      const ids = rows.slice(done, Math.min(count, done + atOnce)).map(({ id }) => id!);
      expect(await removeSkills({ database, ids })).toBe(ids.length);
    }
  }

  test.each([
    ['small changes', MAX_CHANGED_IN_PLACE, false],
    ['loads', MAX_CHANGED_IN_PLACE + 1, true],
    ['one load', rows.length, true],
  ])('keeps the derived files in use when skills are removed by %s', async (_, atOnce, replaced) => {
    const [database, whole] = [scratchFile('skills.db'), scratchFile('whole.db')];
    const embedder = new StandInEmbedder();
    await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
    const stamp = stampOfKeywordFile(database)!;
    await using before = await openSkillSearch({ database });
    const count = MAX_SUPERSEDED + 700;
    await removeFirst(database, count, atOnce);
    expect(await removeSkills({ database, ids: [rows[count]!.id!] })).toBe(1);
    expect(countIn(database, 'forgotten')).toBeGreaterThan(0);
    expect(countIn(database, 'superseded')).toBeLessThanOrEqual(MAX_SUPERSEDED);
    expect(stampOfKeywordFile(database)).toBe(stamp);
    expect(changesSince(database, stamp)).toEqual({ skills: count + 1, vectors: 0 });
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [], outdated: [] });
    if (replaced) expect(before.get('a7')?.stars).toBe(0);
    else expect(await codeOf(() => before.get('a7'))).toBe('SERVICE_UNAVAILABLE');

    await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows: rows.slice(count + 1) }], embedder });
    await using search = await openSkillSearch({ database, embedder });
    await using expected = await openSkillSearch({ database: whole, embedder });
    for (const copies of ['keep', 'collapse'] as const) {
      const query = { q: 'alpha', sortBy: 'recent', limit: 50, copies } as const;
      expect(search.keyword(query)).toEqual(expected.keyword(query));
    }
    const idsOf = async (one: SkillSearch): Promise<string[]> =>
      (await one.semantic({ q: 'alpha 2999', limit: 5 })).hits.map(({ skill }) => skill.id);
    expect(await idsOf(search)).toEqual(await idsOf(expected));
    await updateSkills({ database, rows: [row('b')], embedder });
    expect(stampOfKeywordFile(database)).not.toBe(stamp);
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [], outdated: [] });
  });
});

test('what is left of forgotten skills is dropped beyond so many of them', async () => {
  const database = scratchFile('skills.db');
  const rows = Array.from({ length: MAX_SUPERSEDED + 1 }, (_, i) => row(`a${i}`));
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
  const stamp = stampOfKeywordFile(database)!;
  expect(await removeSkills({ database, ids: ['a0'] })).toBe(1);
  const connection = new Database(database);
  // As many as if they had been removed with the first one.
  connection.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_FORGOTTEN})
    INSERT INTO forgotten (skill, gone) SELECT 1000000 + i, 1 FROM n`);
  connection.close();
  for (let first = 1; first <= MAX_SUPERSEDED; first += MAX_CHANGED_IN_PLACE) {
    await removeSkills({ database, ids: rows.slice(first, first + MAX_CHANGED_IN_PLACE).map(({ id }) => id!) });
  }
  expect(countIn(database, 'forgotten')).toBe(0);
  expect(changesSince(database, stamp)).toBeUndefined();
  expect((await checkCatalogue({ database })).outdated.map(({ part }) => part)).toEqual(['keyword file']);
});
