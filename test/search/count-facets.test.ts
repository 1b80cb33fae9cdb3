import { expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { facetPart, facetsUsed, prepareFacets } from '../../src/search/facets.js';
import { openCatalogue } from '../../src/search/open-catalogue.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const SKILLS = [
  row('a', { author: 'Ada', categories: ['x', 'y'], license: 'MIT' }),
  row('b', { author: 'Bob', categories: ['y'], license: 'mit' }),
];
const QUERY = { facets: ['category', 'author', 'license'], copies: 'keep' } as const;

test('what counts need can be made before, in pieces, and they are the same', async () => {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [SKILLS], semantic: false });
  const [counting, prepared] = await Promise.all([1, 2].map(() => openCatalogue({ database })));
  const counts = facetPart(counting!.reader, () => Uint32Array.of(0, 1), QUERY);
  expect(facetsUsed(prepared!.reader)).toEqual([]);

  let turns = 0;
  for (const _ of prepareFacets(prepared!.reader, facetsUsed(counting!.reader))) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(QUERY.facets.length);
  expect(facetsUsed(prepared!.reader)).toEqual(QUERY.facets);
  expect(facetPart(prepared!.reader, () => Uint32Array.of(0, 1), QUERY)).toEqual(counts);
  await Promise.all([counting!.close(), prepared!.close()]);
});
