import { expect, test } from 'vitest';
import { OpenedSearch } from '../../src/search/catalogue-search.js';
import type { OpenState } from '../../src/search/open-state.js';
import { CurrentState } from '../../src/search/open-state.js';

/** Whether a semantic search has noted, before it waits for anything, that vectors are wanted. */
function wantsVectors(ranking: 'hybrid' | 'vector' | 'words' | undefined): boolean {
  let wanted = false;
  const state = { wantVectors: () => (wanted = true), close: async () => {} } as unknown as OpenState;
  const search = new OpenedSearch(new CurrentState(state));
  search.semantic({ q: 'react', ranking }).catch(() => {});
  return wanted;
}

test('a semantic search notes at once that vectors are wanted: a reload that begins now must open them', () => {
  expect(wantsVectors(undefined)).toBe(true);
  expect(wantsVectors('hybrid')).toBe(true);
  expect(wantsVectors('vector')).toBe(true);
});

test('a search by words alone wants none', () => {
  expect(wantsVectors('words')).toBe(false);
});
