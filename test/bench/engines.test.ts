import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, measureClass } from '../../bench/engine.js';
import { documentsOf } from '../../bench/engines/documents.js';
import type { DocumentedEngine } from '../../bench/engines/engine.js';
import { fts5Over } from '../../bench/engines/fts5.js';
import { BASIC, miniSearchOver, WITH_OPTIONS } from '../../bench/engines/minisearch.js';
import { enginesNamed } from '../../bench/engines/names.js';
import { oramaOver } from '../../bench/engines/orama.js';
import { modelOver } from '../../bench/engines/published-model.js';
import { fuseReciprocalRanks, fuseRuns } from '../../bench/engines/reciprocal-ranks.js';
import { openSetCatalogues } from '../../bench/engines/set-catalogues.js';
import { generatedRows } from '../../bench/generated-catalogue.js';
import { attemptsOf } from '../../bench/peers/attempts.js';
import { PeerCatalogue } from '../../bench/peers/catalogue.js';
import { buildFlexSearch } from '../../bench/peers/flexsearch.js';
import { buildFts5 } from '../../bench/peers/fts5.js';
import { buildLeanFts5, buildLeanMiniSearch, buildLeanOrama } from '../../bench/peers/lean.js';
import { buildMiniSearch } from '../../bench/peers/minisearch.js';
import { buildOrama } from '../../bench/peers/orama.js';
import type { RankedDocument } from '../../src/evaluation/index.js';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

describe('engine', () => {
  interface Opened {
    readonly asked: string[];
    readonly explained: string[];
  }

  /** Engines that note what they are asked. */
  function engines(able: (q: string) => boolean = () => true): { opened: Opened[]; open: () => Engine } {
    const opened: Opened[] = [];
    const open = (): Engine => {
      const notes: Opened = { asked: [], explained: [] };
      opened.push(notes);
      return {
        ask(q, sortBy) {
          notes.asked.push(`${q} ${sortBy}`);
          return able(q) ? { ids: [q], total: 1 } : undefined;
        },
        explain: (q) => void notes.explained.push(q),
      };
    };
    return { opened, open };
  }

  const request = {
    questionClass: { name: 'class', questions: ['a', 'b'] },
    orders: ['recent', 'stars'] as const,
    others: ['x', 'y'],
    secondsOfOthers: 60,
    secondsAClass: 60,
  };

  test('each order is asked of an engine that has answered nothing but other questions', async () => {
    const { opened, open } = engines();
    const rows = await measureClass(open, request);
    const asked = (sortBy: string): string[] => ['x', 'y', 'a', 'b', 'a', 'b'].map((q) => `${q} ${sortBy}`);
    expect(opened.map((one) => one.asked)).toEqual([asked('recent'), asked('stars')]);
    expect(opened[0]?.explained).toEqual(['a', 'b']);
    expect(rows.map(({ first, again, answers }) => [first.length, again.length, answers.length])).toEqual([
      [2, 2, 2],
      [2, 2, 2],
    ]);
  });

  test('a class that an engine cannot be asked has no times', async () => {
    const { open } = engines((q) => q !== 'a');
    const [row] = await measureClass(open, request);
    expect(row).toMatchObject({ first: [], again: [], explained: [], answers: [] });
  });

  test('where the time is over, ten questions are asked, and the same ones again', async () => {
    const { opened, open } = engines();
    const questions = Array.from({ length: 30 }, (_, i) => `q${i}`);
    const [row] = await measureClass(open, {
      ...request,
      questionClass: { name: 'class', questions },
      others: [],
      orders: ['recent'],
      secondsAClass: -1,
    });
    expect(row?.first).toHaveLength(10);
    expect(row?.again).toHaveLength(10);
    expect(opened[0]?.asked).toHaveLength(20);
  });
});

describe('peers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  const database = join(folder, 'skills.db');
  beforeAll(async () => {
    await buildCatalogue({ database, sources: [generatedRows(200, 3)], semantic: false });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['MiniSearch', buildMiniSearch],
    ['Orama', buildOrama],
    ['FlexSearch', buildFlexSearch],
    ['FTS5', buildFts5],
  ])('%s answers a word by date, by stars and in a category as we do', async (_, build) => {
    await using search = await openSkillSearch({ database });
    const catalogue = new PeerCatalogue(database);
    const { peer } = await build({ catalogue, folder });
    const descriptions = [...generatedRows(20, 3)].map(({ description }) => description);
    const words = new Set(descriptions.flatMap((text) => text.match(/[a-z]{4,}/g) ?? []));
    const category = search.categories()[0]?.slug;
    let compared = 0;
    for (const q of [...words].slice(0, 40)) {
      const [attempt] = attemptsOf(q);
      for (const [sortBy, slug] of [['recent'], ['stars'], ['recent', category]] as const) {
        const ours = search.keyword({ q, sortBy, category: slug });
        if (ours.step !== 'all-words') continue;
        const page = peer.search(attempt as NonNullable<typeof attempt>, { sortBy, category: slug, limit: 20 });
        expect(page?.total).toBe(ours.pagination.total);
        expect(catalogue.idsOf(page?.places ?? [])).toEqual(ours.hits.map(({ skill }) => skill.id));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(80);
    catalogue.close();
  });

  test.each([
    ['MiniSearch', buildLeanMiniSearch],
    ['Orama', buildLeanOrama],
    ['FTS5', buildLeanFts5],
  ])('lean %s finds a word in names and descriptions alone', async (_, build) => {
    const catalogue = new PeerCatalogue(database);
    const peer = await build({ catalogue, folder });
    const texts = [...catalogue.namesAndDescriptions()].map(({ name, description }) => `${name} ${description}`);
    const words = new Set(texts[0]?.match(/[a-z]{5,}/g));
    expect(words.size).toBeGreaterThan(3);
    for (const word of words) {
      const has = (text: string | undefined, pattern: RegExp): boolean => pattern.test(text ?? '');
      const found = peer.search(word, { sortBy: 'relevance', category: undefined, limit: 1000 })?.places ?? [];
      // Orama finds beginnings of words as well, and what hyphens join is one word to it.
      for (const place of found) expect(has(texts[place], new RegExp(`\\b${word}`, 'i'))).toBe(true);
      const all = [...texts.keys()].filter((place) =>
        has(texts[place], new RegExp(`(?<![\\p{L}\\p{N}_'-])${word}(?![\\p{L}\\p{N}_'-])`, 'iu')),
      );
      for (const place of all) expect(found).toContain(place);
    }
    catalogue.close();
  });

  test('lean MiniSearch answers a long request by any word, lean FTS5 by all', async () => {
    const catalogue = new PeerCatalogue(database);
    const [any, all] = await Promise.all([
      buildLeanMiniSearch({ catalogue, folder }),
      buildLeanFts5({ catalogue, folder: mkdtempSync(join(folder, 'long-')) }),
    ]);
    const wanted = { sortBy: 'relevance', category: undefined, limit: 20 } as const;
    const [first, last] = [0, 199].map((place) => [...catalogue.namesAndDescriptions()][place]?.description);
    const request = `${first} ${last}`.slice(0, 200);
    expect(any.search(request, wanted)?.total).toBeGreaterThan(100);
    expect(all.search(`${request} "not there"`, wanted)).toEqual({ places: [], total: 0 });
    catalogue.close();
  });
});

describe('documented engines', () => {
  const DOCUMENTS = [
    { id: 'forms', name: 'pdf-forms', description: 'Fill in the forms of a PDF.' },
    { id: 'merge', name: 'pdf-merge', description: 'Merge several files into one.' },
    { id: 'notes', name: 'release-notes', description: 'Write "release notes" from commits (AND more).' },
  ];

  const idsOf = async (engine: DocumentedEngine, q: string, limit = 10): Promise<string[]> =>
    (await engine.search(q, limit)).map(({ id }) => id);

  test.each([
    ['MiniSearch', () => miniSearchOver(DOCUMENTS, BASIC)],
    ['MiniSearch with options', () => miniSearchOver(DOCUMENTS, WITH_OPTIONS)],
    ['Orama', () => oramaOver(DOCUMENTS)],
    ['FTS5', () => fts5Over(DOCUMENTS, 'unicode61')],
    ['FTS5 with stems', () => fts5Over(DOCUMENTS, 'porter')],
  ])('%s finds by any word, best first, as many as wanted', async (_, open) => {
    const engine = await open();
    expect((await idsOf(engine, 'please fill in these forms of mine'))[0]).toBe('forms');
    expect(await idsOf(engine, 'pdf', 1)).toHaveLength(1);
    expect(await idsOf(engine, 'zebra')).toEqual([]);
    const scores = (await engine.search('pdf forms', 10)).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    await engine.close?.();
  });

  test('each reads words in its own way', async () => {
    expect(await idsOf(miniSearchOver(DOCUMENTS, BASIC), 'relase')).toEqual([]);
    expect(await idsOf(miniSearchOver(DOCUMENTS, WITH_OPTIONS), 'relase')).toEqual(['notes']);
    expect(await idsOf(fts5Over(DOCUMENTS, 'unicode61'), 'merging')).toEqual([]);
    expect(await idsOf(fts5Over(DOCUMENTS, 'porter'), 'merging')).toEqual(['merge']);
  });

  test('FTS5 takes operators and quotes of a question for words', async () => {
    const engine = fts5Over(DOCUMENTS, 'unicode61');
    expect(await idsOf(engine, 'commits NOT "release" AND (zebra*')).toEqual(['notes']);
    expect(await idsOf(engine, 'NEAR(pdf')).toHaveLength(2);
  });

  /** Two of the documents have the same text, and so one vector. */
  async function loadedCatalogue(): Promise<string> {
    const database = join(scratchFolder(), 'skills.db');
    const rows = [...DOCUMENTS, { ...DOCUMENTS[0], id: 'forms-again' }];
    await buildCatalogue({ database, sources: [{ name: 'made up', rows }], embedder: new StandInEmbedder() });
    return database;
  }

  test('a catalogue is read as it was written, by id', async () => {
    const ids = ['forms', 'forms-again', 'merge', 'notes'];
    const documents = documentsOf(await loadedCatalogue());
    expect(documents.map(({ id }) => id)).toEqual(ids);
    expect(documents.filter(({ id }) => id !== 'forms-again')).toEqual(DOCUMENTS);
  });

  test('a model alone ranks all skills by their exact cosine', async () => {
    const embedder = new StandInEmbedder();
    const engine = await modelOver(await loadedCatalogue(), embedder);
    const q = 'merge several files';
    const found = await engine.search(q, 10);
    const cosineOf = async (text: string): Promise<number> => {
      const [a, b] = (await embedder.embed([q, text])) as [Float32Array, Float32Array];
      return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
    };
    expect(found).toHaveLength(4);
    expect(found[0]?.id).toBe('merge');
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    for (const { id, name, description } of DOCUMENTS) {
      const score = found.find((one) => one.id === id)?.score;
      expect(score).toBeCloseTo(await cosineOf(`${name}. ${description}`), 5);
    }
    await engine.close?.();
  });

  test('vectors of another model are refused', async () => {
    const database = await loadedCatalogue();
    await expect(modelOver(database, new StandInEmbedder('other'))).rejects.toThrow(
      /vectors of stand-in, not of other/,
    );
  });

  test('a catalogue without vectors of the published model is asked for', async () => {
    const database = await loadedCatalogue();
    const options = { model: 'published', modelDatabase: undefined, keep: undefined };
    await expect(openSetCatalogues({ database }, options)).rejects.toThrow(/name it \(--published-database\)/);
    await using ours = await openSetCatalogues({ database }, { ...options, model: undefined });
    expect(ours).toMatchObject({ database, published: undefined });
  });

  test('engines are named in a list, each once, and nothing else', () => {
    expect(enginesNamed('rrf,fts5,rrf')).toEqual(['rrf', 'fts5']);
    expect(() => enginesNamed('fts5,lucene')).toThrow(/--engines takes minisearch, .*, got lucene/);
  });
});

describe('reciprocal ranks', () => {
  const ranked = (ids: readonly string[]): RankedDocument[] => ids.map((id, i) => ({ id, score: -i }));

  /** By the definition: for every document that any ranking has, the sum over all rankings. */
  function naive(rankings: readonly (readonly string[])[], depth: number): Map<string, number> {
    const cut = rankings.map((ranking) => ranking.slice(0, depth));
    const sumOf = (id: string): number =>
      cut.reduce((sum, ranking) => sum + (ranking.includes(id) ? 1 / (60 + ranking.indexOf(id) + 1) : 0), 0);
    return new Map([...new Set(cut.flat())].map((id) => [id, sumOf(id)]));
  }

  describe('reciprocal rank fusion', () => {
    test('gives what its definition gives', () => {
      const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 12 });
      fc.assert(
        fc.property(fc.array(ids, { maxLength: 4 }), fc.integer({ min: 1, max: 15 }), (rankings, depth) => {
          const fused = fuseReciprocalRanks(rankings.map(ranked), depth);
          const sums = naive(rankings, depth);
          expect(fused).toHaveLength(Math.min(depth, sums.size));
          for (const { id, score } of fused) expect(score).toBeCloseTo(sums.get(id) as number, 12);
          const best = [...sums.values()].sort((a, b) => b - a).slice(0, depth);
          for (const [i, { score }] of fused.entries()) expect(score).toBeCloseTo(best[i] as number, 12);
        }),
      );
    });

    test('puts what both have before what one has first', () => {
      expect(fuseReciprocalRanks([ranked(['a', 'c']), ranked(['b', 'c'])], 10).map(({ id }) => id)).toEqual([
        'c',
        'a',
        'b',
      ]);
    });

    test('fuses questions that only one run has', () => {
      const fused = fuseRuns([new Map([['q1', ranked(['a'])]]), new Map([['q2', ranked(['b'])]])], 10);
      expect([...fused].map(([question, found]) => [question, found.map(({ id }) => id)])).toEqual([
        ['q1', ['a']],
        ['q2', ['b']],
      ]);
    });
  });
});
