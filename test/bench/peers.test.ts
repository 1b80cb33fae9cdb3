import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generatedRows } from '../../bench/generated-catalogue.js';
import { attemptsOf } from '../../bench/peers/attempts.js';
import { PeerCatalogue } from '../../bench/peers/catalogue.js';
import { buildFlexSearch } from '../../bench/peers/flexsearch.js';
import { buildFts5 } from '../../bench/peers/fts5.js';
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
