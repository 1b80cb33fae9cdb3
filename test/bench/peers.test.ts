import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generatedRows } from '../../bench/generated-catalogue.js';
import { attemptsOf } from '../../bench/peers/attempts.js';
import { PeerCatalogue } from '../../bench/peers/catalogue.js';
import { buildFlexSearch } from '../../bench/peers/flexsearch.js';
import { buildFts5 } from '../../bench/peers/fts5.js';
import { buildLeanFts5, buildLeanMiniSearch, buildLeanOrama } from '../../bench/peers/lean.js';
import { buildMiniSearch } from '../../bench/peers/minisearch.js';
import { buildOrama } from '../../bench/peers/orama.js';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';

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
