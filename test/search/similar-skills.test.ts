import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, type OpenOptions, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { filesBeside } from '../../src/store/files.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const ROWS = [
  row('pdf', { name: 'pdf', description: 'fills and reads pdf forms' }),
  row('pdf-copy', { name: 'pdf', description: 'fills and reads pdf forms', stars: 9 }),
  row('pdf-2', { name: 'pdf tools', description: 'reads pdf forms' }),
  row('git', { name: 'git', description: 'writes commits' }),
  row('git-b', { name: 'git', description: 'writes commits', stars: 5 }),
  row('git-c', { name: 'git', description: 'writes commits', stars: 1 }),
  row('maps', { name: 'maps', description: 'draws maps' }),
];

async function catalogueOf(rows: readonly Row[]): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [rows], embedder: new StandInEmbedder() });
  return database;
}

async function open(options: OpenOptions): Promise<SkillSearch> {
  const search = await openSkillSearch(options);
  onTestFinished(() => search.close());
  return search;
}

/** A test that must do without a model fails with this one. */
class NoEmbedder extends StandInEmbedder {
  override embed(): Promise<Float32Array[]> {
    throw new Error('nothing may be embedded');
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
}

describe('skills near another one', () => {
  test('are the nearest by the cosines of their vectors; its own copies are left out, of others one is shown', async () => {
    const search = await open({ database: await catalogueOf(ROWS), embedder: new NoEmbedder() });
    const found = await search.similar('pdf');
    expect(found[0]?.skill.id).toBe('pdf-2');
    const shown = found.map(({ skill, copies }) => `${skill.id} ${copies}`);
    // Of the copies the one with the most stars stands for all.
    expect(shown.toSorted()).toEqual(['git-b 3', 'maps 1', 'pdf-2 1']);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    expect((await search.similar('pdf', { limit: 1 })).map(({ skill }) => skill.id)).toEqual(['pdf-2']);
  });

  test('are what comparing the skill with all others gives', async () => {
    const words = fc.array(fc.constantFrom('pdf', 'git', 'map', 'test', 'chart', 'deploy'), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(words, { maxLength: 12, selector: (all) => all.join(' ') }), async (texts) => {
        const rows = texts.map((all, i) => row(`s-${i}`, { name: `name ${i}`, description: all.join(' ') }));
        const embedder = new StandInEmbedder();
        await using search = await openSkillSearch({ skills: rows, embedder });
        const vectors = await embedder.embed(texts.map((all, i) => `name ${i}\n${all.join(' ')}`));
        const stored = (await Promise.all(rows.map(({ id }) => search.similar(id as string, { limit: 100 })))) ?? [];
        for (const [i, similar] of stored.entries()) {
          expect(similar).toHaveLength(texts.length - 1);
          for (const { skill, score } of similar) {
            const other = Number(skill.id.slice(2));
            expect(score).toBeCloseTo(cosine(vectors[i] as Float32Array, vectors[other] as Float32Array), 4);
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  test('are found without a model, also where its folder is gone, and start no thread', async () => {
    const database = await catalogueOf(ROWS);
    let threads = 0;
    const count = (_: Worker): void => {
      threads += 1;
    };
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const search = await open({ database, model: join(scratchFolder(), 'gone') });
    expect((await search.similar('pdf'))[0]?.skill.id).toBe('pdf-2');
    expect(threads).toBe(0);
    expect(await codeOf(() => search.semantic({ q: 'pdf' }))).toBe('MODEL_NOT_FOUND');
    expect((await search.similar('pdf'))[0]?.skill.id).toBe('pdf-2');
  });

  test('are found without a keyword index, and without the files of vectors', async () => {
    const database = await catalogueOf(ROWS);
    const { vectors, graphs } = filesBeside(database);
    for (const path of [vectors, ...graphs]) rmSync(path, { force: true });
    const search = await open({ database, embedder: new NoEmbedder() });
    expect((await search.similar('pdf'))[0]?.skill.id).toBe('pdf-2');
  });

  test('are found in memory, where the skills are embedded first', async () => {
    const search = await open({ skills: ROWS, embedder: new StandInEmbedder() });
    const database = await open({ database: await catalogueOf(ROWS), embedder: new NoEmbedder() });
    const ids = async (of: SkillSearch): Promise<string[]> => (await of.similar('maps')).map(({ skill }) => skill.id);
    expect(await ids(search)).toEqual(await ids(database));
  });

  test('share their index with semantic search, whichever is asked first', async () => {
    const search = await open({ database: await catalogueOf(ROWS), embedder: new StandInEmbedder() });
    const [similar, semantic] = await Promise.all([search.similar('pdf'), search.semantic({ q: 'pdf forms' })]);
    expect(similar).toHaveLength(3);
    expect(semantic.hits.length).toBeGreaterThan(0);
    expect(await search.similar('pdf')).toEqual(similar);
  });

  test('are none for an id that no skill has, nor in a catalogue of one skill', async () => {
    const search = await open({ database: await catalogueOf(ROWS), embedder: new NoEmbedder() });
    expect(await search.similar('nobody')).toEqual([]);
    const alone = await open({ database: await catalogueOf(ROWS.slice(0, 2)), embedder: new NoEmbedder() });
    expect(await alone.similar('pdf')).toEqual([]);
  });

  test('need vectors, and an open search', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [ROWS], semantic: false });
    const search = await open({ database });
    expect(await codeOf(() => search.similar('pdf'))).toBe('NO_VECTORS');
    await search.close();
    expect(await codeOf(() => search.similar('pdf'))).toBe('SERVICE_UNAVAILABLE');
  });

  test('refuses a limit that is no integer from 1 to 100', async () => {
    const search = await open({ database: await catalogueOf(ROWS), embedder: new NoEmbedder() });
    for (const limit of [0, 101, 1.5, '3']) {
      expect(await codeOf(() => search.similar('pdf', { limit: limit as number }))).toBe('INVALID_OPTION');
    }
    expect(await codeOf(() => search.similar('pdf', { top: 3 } as object))).toBe('INVALID_OPTION');
  });
});
