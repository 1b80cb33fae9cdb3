import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch, { type Options, type Query } from 'minisearch';
import { LARGE_HEAP, runChild } from '../child.js';
import type { Attempt, AttemptWord } from './attempts.js';
import { ALL_FIELDS, CORE_FIELDS, type PeerDocument } from './catalogue.js';
import { addDocuments, type BuiltPeer, type Peer, type PeerFolder } from './peer.js';

/** Its README: `addAll`, queries combined by AND and OR, prefix and fuzzy by term; who wants an order by date sorts. */
export const OPTIONS: Options<PeerDocument> = {
  fields: [...ALL_FIELDS],
  tokenize: (text) => text.split(' '),
  processTerm: (term) => (term === '' ? null : term),
};

/** As many edits as our own search allows a word of this length. */
const editsOf = (term: string): number => (term.length >= 8 ? 2 : 1);

export async function buildMiniSearch({ catalogue, folder }: PeerFolder): Promise<BuiltPeer> {
  const index = new MiniSearch(OPTIONS);
  const seconds = await addDocuments(catalogue, (documents) => index.addAll(documents));
  const stored = storeAndLoad(index, join(folder, 'minisearch.json'));

  const search: Peer['search'] = (attempt, { sortBy, category, limit }) => {
    const found = index.search(queryOf(attempt), {
      fields: attempt.everywhere ? [...ALL_FIELDS] : [...CORE_FIELDS],
      ...(category === undefined ? {} : { filter: ({ id }) => catalogue.hasCategory(id, category) }),
    });
    const places = found.map(({ id }) => id as number);
    const sorted = sortBy === 'relevance' ? places : catalogue.sort(places, sortBy);
    return { places: sorted.slice(0, limit), total: places.length };
  };
  return { peer: { search }, seconds, stored };
}

function queryOf({ words, required }: Attempt): Query {
  return { combineWith: required === 'all' ? 'AND' : 'OR', queries: words.map(wordQuery) };
}

function wordQuery({ terms, by }: AttemptWord): Query {
  const how = by === 'beginning' ? { prefix: true } : by === 'edits' ? { fuzzy: editsOf(terms[0] ?? '') } : {};
  return { combineWith: 'OR', queries: [...terms], ...how };
}

/**
 * Read back in a process of its own, as whoever stores it does: beside the index that was written, V8 clears memory for
 * minutes.
 */
function storeAndLoad(index: MiniSearch<PeerDocument>, path: string): NonNullable<BuiltPeer['stored']> {
  try {
    writeFileSync(path, JSON.stringify(index));
  } catch (error) {
    // V8 has no string of more than half a gigabyte.
    return { refused: (error as Error).message };
  }
  return {
    ...runChild<{ seconds: number }>('minisearch-read-child.ts', { path }, LARGE_HEAP),
    bytes: statSync(path).size,
  };
}
