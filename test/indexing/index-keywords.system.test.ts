import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runJob, WORD_RULES, writeArrayFile } from '../../src/core/index.js';
import { buildCatalogue, type KeywordResult, type LoadReport, openSkillSearch, removeSkills } from '../../src/index.js';
import { isCurrentKeywordFile, openKeywordFile, readKeywordFile } from '../../src/indexing/keyword-file.js';
import { stampOf } from '../catalogue-file.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

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

async function answersOf(catalogue: string | readonly Row[]): Promise<Omit<KeywordResult, 'hits'>[]> {
  const opening = typeof catalogue === 'string' ? { database: catalogue } : { skills: catalogue };
  await using search = await openSkillSearch(opening);
  return QUESTIONS.map((q) => {
    const { step, hits, pagination } = search.keyword({ q, sortBy: 'recent' });
    return { step, pagination, ids: hits.map(({ skill, matches, snippet }) => [skill.id, matches, snippet]) } as never;
  });
}

describe('the index of words', () => {
  test.each([30, MANY])(
    'of %i skills is left beside the catalogue, and answers as an index in memory does',
    async (count) => {
      const database = await catalogueOf(count);
      expect(await isCurrentKeywordFile(database, stampOf(database))).toBe(true);
      expect(await answersOf(database)).toEqual(await answersOf(rows(count)));
    },
  );

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
    await removeSkills({ database, ids: ['s-7'] });
    expect((await answersOf(database))[0]?.pagination.total).toBe(count - 1);
  });

  test('of what has not changed is kept, and is what making all of it anew gives', async () => {
    const database = await catalogueOf(MANY);
    const file = `${database}.keyword`;
    const changed = rows(MANY)
      .map((one, i) => (i % 100 === 7 ? { ...one, description: `delta, number ${i}`, updatedAt: 2 * i } : one))
      .filter((_, i) => i % 100 !== 50);
    const totals = new Set<number>();
    const load = (): Promise<LoadReport> =>
      buildCatalogue({
        database,
        semantic: false,
        prune: true,
        sources: [{ name: 'rows', rows: [...changed, row('new', { description: 'epsilon' })] }],
        onProgress: ({ phase, total }) => void (phase === 'indexing' && totals.add(total)),
      });
    expect(await load()).toMatchObject({ added: 1, updated: 21, removed: 21, warnings: [] });
    expect([...totals]).toEqual([22]);
    const kept = await readKeywordFile(database);
    rmSync(file);
    await load();
    expect([...totals]).toEqual([22, MANY - 20]);
    expect(await readKeywordFile(database)).toEqual(kept);
    expect(await answersOf(database)).toEqual(await answersOf([...changed, row('new', { description: 'epsilon' })]));
  });

  test.each([30, MANY])('of %i skills that was made by other word rules is not believed', async (count) => {
    const database = await catalogueOf(count);
    const [stamp, expected, good] = [stampOf(database), await answersOf(database), await readKeywordFile(database)];
    // Whoever believed it would find nothing: it says that it is of no skills.
    const wrong = await readKeywordFile(await catalogueOf(0));
    const origin = { stamp, wordRules: WORD_RULES + 1 };
    writeArrayFile(`${database}.keyword`, { kind: 'keywords', origin }, { ...wrong });
    expect(openKeywordFile(database, stamp)).toBeUndefined();
    expect(await readKeywordFile(database)).toBeUndefined();
    expect(await isCurrentKeywordFile(database, stamp)).toBe(false);
    expect(await answersOf(database)).toEqual(expected);
    await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: rows(count) }] });
    expect(await readKeywordFile(database)).toEqual(good);
  });

  test('is not made of parts of two states', async () => {
    const database = await catalogueOf(30);
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const work = {
      ...{ catalogue: database, stamp: 'another', counts },
      ...{ documents: Uint32Array.of(0, 1), skills: Float64Array.of(1, 2) },
    };
    const base = new URL('../../src/indexing/index-keywords-thread.ts', import.meta.url).href;
    const part = await runJob(base, 'index-keywords-thread', { data: work });
    expect(part).toMatchObject({ keywords: { size: 0 }, documentOf: new Uint32Array() });
    // What it leaves is there to be taken by a thread that has the state open.
    expect([...counts]).toEqual([0, 0]);
  });

  test('that cannot be written is a warning, and the catalogue is there', async () => {
    const database = scratchFile('skills.db');
    mkdirSync(`${database}.keyword`);
    const report = await buildCatalogue({ database, semantic: false, sources: [{ name: 'rows', rows: rows(3) }] });
    expect(report).toMatchObject({ added: 3, warnings: [{ origin: 'words' }] });
    expect((await answersOf(database))[0]?.pagination.total).toBe(3);
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
