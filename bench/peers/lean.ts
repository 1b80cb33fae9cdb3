import { join } from 'node:path';
import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import { Database } from '../../src/store/sqlite.js';
import type { PeerCatalogue } from './catalogue.js';
import { type PeerFolder, type PeerPage, type PeerSearch, timed } from './peer.js';

/** A peer as people build it: name and description as they are written, its own terms and defaults. */
export interface LeanPeer {
  /** Seconds that making it took. */
  readonly seconds: number;
  /** Undefined where it knows no such search. */
  search(q: string, wanted: PeerSearch): PeerPage | undefined;
}

interface LeanDocument {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

/** `new MiniSearch({ fields })`, `addAll`, `search(q)`: any word, whole words; who wants an order by date sorts. */
export async function buildLeanMiniSearch({ catalogue }: PeerFolder): Promise<LeanPeer> {
  const index = new MiniSearch<LeanDocument>({ fields: ['name', 'description'] });
  const { seconds } = timed(() => index.addAll(documentsOf(catalogue)));
  return {
    seconds,
    search(q, { sortBy, category, limit }) {
      const filter =
        category === undefined ? {} : { filter: ({ id }: { id: number }) => catalogue.hasCategory(id, category) };
      const places = index.search(q, filter).map(({ id }) => id as number);
      const sorted = sortBy === 'relevance' ? places : catalogue.sort(places, sortBy);
      return { places: sorted.slice(0, limit), total: places.length };
    },
  };
}

/** A schema of two fields and `search({ term })`, which finds any word and its beginnings. */
export async function buildLeanOrama({ catalogue }: PeerFolder): Promise<LeanPeer> {
  const database = create({ schema: { name: 'string', description: 'string', place: 'number' } as const });
  const started = performance.now();
  const rows = documentsOf(catalogue).map(({ id, name, description }) => ({ name, description, place: id }));
  await insertMultiple(database, rows, 1000);
  return {
    seconds: (performance.now() - started) / 1000,
    search(term, { sortBy, category, limit }) {
      if (sortBy !== 'relevance' || category !== undefined) return undefined;
      const result = searchOrama(database, { term, limit });
      if (result instanceof Promise) throw new Error('Orama searches at once where it has no hooks');
      return { places: result.hits.map(({ document }) => document.place), total: result.count };
    },
  };
}

/** A table of two columns with the tokenizer that FTS5 has of itself. All words are asked for, which is its default. */
export async function buildLeanFts5({ catalogue, folder }: PeerFolder): Promise<LeanPeer> {
  const connection = new Database(join(folder, 'fts5-lean.db'));
  connection.exec('CREATE VIRTUAL TABLE words USING fts5 (name, description)');
  const insert = connection.prepare('INSERT INTO words (rowid, name, description) VALUES (?, ?, ?)');
  const { seconds } = timed(() => {
    connection.transaction(() => {
      for (const { id, name, description } of documentsOf(catalogue)) insert.run(id, name, description);
    })();
  });
  const pageBy = (order: string) =>
    connection
      .prepare<[string, number], number>(`SELECT rowid FROM words WHERE words MATCH ? ORDER BY ${order} LIMIT ?`)
      .pluck();
  const pages = { relevance: pageBy('rank'), recent: pageBy('rowid') };
  const count = connection.prepare<[string], number>('SELECT count(*) FROM words WHERE words MATCH ?').pluck();
  return {
    seconds,
    search(q, { sortBy, category, limit }) {
      if (sortBy === 'stars' || category !== undefined) return undefined;
      const query = (q.match(/"[^"]+"|[\p{L}\p{N}]+/gu) ?? []).map((part) => `"${part.replaceAll('"', '')}"`).join(' ');
      if (query === '') return { places: [], total: 0 };
      return { places: pages[sortBy].all(query, limit), total: count.get(query) ?? 0 };
    },
  };
}

function documentsOf(catalogue: PeerCatalogue): LeanDocument[] {
  return [...catalogue.namesAndDescriptions()];
}
