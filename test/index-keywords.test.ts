import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { imageIsCurrent } from '../src/image/paged-image.js';
import { buildCatalogue, type KeywordResult, openSkillSearch, removeSkills } from '../src/index.js';
import { buildKeywords } from '../src/index-keywords.js';
import { stampOf } from './catalogue-file.js';
import { type Row, row } from './rows.js';
import { scratchFile } from './scratch-folder.js';

const QUESTIONS = ['alpha', 'alpha beta', '"beta gamma"', 'gam', 'alhpa', 'number 17 nothing'];

/** More than are collected without a thread. */
const MANY = 2100;

function rows(count: number): Row[] {
  return Array.from({ length: count }, (_, i) =>
    row(`s-${i}`, { description: `alpha beta gamma, number ${i}`, updatedAt: i }),
  );
}

async function catalogueOf(count: number): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: rows(count) }] });
  return database;
}

async function answersOf(database: string, keywordIndex?: 'minisearch'): Promise<Omit<KeywordResult, 'hits'>[]> {
  await using search = await openSkillSearch({ database, keywordIndex });
  return QUESTIONS.map((q) => {
    const { step, hits, pagination } = search.keyword({ q, sortBy: 'recent' });
    return { step, pagination, ids: hits.map(({ skill, matches, snippet }) => [skill.id, matches, snippet]) } as never;
  });
}

describe('the index of words', () => {
  test.each([30, MANY])('of %i skills is left beside the catalogue, and answers as MiniSearch does', async (count) => {
    const database = await catalogueOf(count);
    expect(imageIsCurrent(`${database}.keyword`, stampOf(database))).toBe(true);
    expect(await answersOf(database)).toEqual(await answersOf(database, 'minisearch'));
  });

  test.each([30, MANY])('of %i skills is made in memory where there is no good file', async (count) => {
    const database = await catalogueOf(count);
    const file = `${database}.keyword`;
    const expected = await answersOf(database);
    const good = readFileSync(file);

    rmSync(file);
    expect(await answersOf(database)).toEqual(expected);
    expect(existsSync(file)).toBe(false);
    for (const share of [0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999]) {
      const bad = Buffer.from(good);
      const at = Math.floor(bad.length * share);
      bad[at] = (bad[at] as number) ^ 1;
      writeFileSync(file, bad);
      expect(await answersOf(database), `byte ${at}`).toEqual(expected);
    }

    writeFileSync(file, good);
    removeSkills({ database, ids: ['s-7'] });
    expect((await answersOf(database))[0]?.pagination.total).toBe(count - 1);
  });

  test('is brought up to date by a load, also by one that changes nothing else', async () => {
    const database = await catalogueOf(30);
    rmSync(`${database}.keyword`);
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: rows(30) }] });
    expect(imageIsCurrent(`${database}.keyword`, stampOf(database))).toBe(true);
    await buildCatalogue({
      database,
      semantic: false,
      sources: [{ name: 'more', rows: [row('new', { description: 'delta' })] }],
    });
    await using search = await openSkillSearch({ database });
    expect(search.keyword({ q: 'delta' }).pagination.total).toBe(1);
  });

  test('that cannot be written is a warning, and the catalogue is there', async () => {
    const database = scratchFile('skills.db');
    mkdirSync(`${database}.keyword`);
    const report = await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: rows(3) }] });
    expect(report).toMatchObject({ added: 3, warnings: [{ origin: 'words' }] });
    expect((await answersOf(database))[0]?.pagination.total).toBe(3);
  });

  test('of a state that is no longer there is not made', async () => {
    const database = await catalogueOf(MANY);
    expect(await buildKeywords({ catalogue: database, stamp: 'another' })).toBeUndefined();
  });

  test('is given up when its making is called off', async () => {
    const database = await catalogueOf(MANY);
    rmSync(`${database}.keyword`);
    const stop = new AbortController();
    const opening = openSkillSearch({ database, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(opening).rejects.toThrow('enough');
  });
});
