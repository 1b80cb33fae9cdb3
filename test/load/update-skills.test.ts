import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { stampOfKeywordFile } from '../../src/indexing/keyword-file.js';
import { contentOf, stampOf } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { answersOf, type Change, type ChangedRow, randomChanges, randomRows } from './changed-rows.js';
import { lastChangeInPlace } from './last-change-in-place.js';

const embedder = new StandInEmbedder();

describe('small changes', () => {
  test('in any order give the answers of one load of the final rows', async () => {
    await fc.assert(
      fc.asyncProperty(randomRows, randomChanges, async (rows, changes) => {
        const database = scratchFile('changed.db');
        await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
        const final = await applyAll(database, rows, changes);
        const whole = scratchFile('whole.db');
        await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows: [...final.values()] }], embedder });

        expect(contentOf(database)).toEqual(contentOf(whole));
        expect(await asked(database)).toEqual(await asked(whole));
        expect((await checkCatalogue({ database })).problems).toEqual([]);
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  test('leave searches that were opened before with their answers', async () => {
    await fc.assert(
      fc.asyncProperty(randomRows, randomChanges, async (rows, changes) => {
        const database = scratchFile('changed.db');
        await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
        const before = await asked(database);
        await using search = await openSkillSearch({ database, embedder });
        await using warm = await openSkillSearch({ database, embedder, warmUp: true });
        await applyAll(database, rows, changes);

        expect(await answersOf(search)).toEqual(before);
        expect(await answersOf(warm)).toEqual(before);
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});

async function applyAll(
  database: string,
  rows: readonly ChangedRow[],
  changes: readonly Change[],
): Promise<Map<string, ChangedRow>> {
  const final = new Map(rows.map((one) => [one.id, one]));
  for (const change of changes) {
    if ('ids' in change) {
      const there = change.ids.filter((id) => final.delete(id)).length;
      expect(await removeSkills({ database, ids: change.ids })).toBe(there);
      continue;
    }
    const { added, updated, unchanged } = await updateSkills({ database, rows: change.rows, source: 'rows', embedder });
    expect(added).toBe(change.rows.filter(({ id }) => !final.has(id)).length);
    expect(added + updated + unchanged).toBe(change.rows.length);
    for (const one of change.rows) final.set(one.id, one);
  }
  return final;
}

async function asked(database: string): Promise<unknown[]> {
  await using search: SkillSearch = await openSkillSearch({ database, embedder });
  return await answersOf(search);
}

describe('rows', () => {
  test('that are stored as they are change nothing', async () => {
    const database = scratchFile('skills.db');
    await updateSkills({ database, rows: [row('a')], semantic: false });
    const stamp = stampOf(database);
    expect(await updateSkills({ database, rows: [row('a')], semantic: false })).toMatchObject({ unchanged: 1 });
    expect(stampOf(database)).toBe(stamp);
  });

  test('are loaded as a whole if they are more than 500 rows or ids', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a')]], semantic: false });
    const many = Array.from({ length: 501 }, (_, i) => row(`b${i}`));
    await updateSkills({ database, rows: many.slice(0, 500), semantic: false });
    expect(lastChangeInPlace(database)).toBe(true);
    expect(await updateSkills({ database, rows: [...many, row('c')], semantic: false })).toMatchObject({ added: 2 });
    expect(lastChangeInPlace(database)).toBe(false);
    expect(await removeSkills({ database, ids: many.slice(1).map(({ id }) => id!) })).toBe(500);
    expect(lastChangeInPlace(database)).toBe(true);
    expect(await removeSkills({ database, ids: ['a', 'c', ...many.slice(1).map(({ id }) => id!)] })).toBe(2);
    expect(lastChangeInPlace(database)).toBe(false);
  });

  test('are indexed with all others when more than 1,000 came or went', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a')]], semantic: false });
    const stamp = stampOf(database);
    const rows = (text: string) => Array.from({ length: 500 }, (_, i) => row(`b${i}`, { description: text }));
    await updateSkills({ database, rows: rows('one'), semantic: false });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({ database, rows: rows('two'), semantic: false });
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({ database, rows: [row('c', { description: 'three' })], semantic: false });
    await removeSkills({ database, ids: rows('two').map(({ id }) => id!) });
    await updateSkills({ database, rows: rows('four'), semantic: false });
    const before = stampOf(database);
    expect(stampOfKeywordFile(database)).toBe(stamp);
    await updateSkills({ database, rows: rows('five').map((one) => ({ ...one, id: `d${one.id}` })), semantic: false });
    expect(stampOf(database)).not.toBe(before);
    expect(stampOfKeywordFile(database)).toBe(stampOf(database));
    await using search = await openSkillSearch({ database });
    expect([search.keyword({ q: 'four' }).pagination.total, search.keyword({ q: 'two' }).pagination.total]).toEqual([
      500, 0,
    ]);
  });
});
