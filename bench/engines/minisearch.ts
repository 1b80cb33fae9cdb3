import MiniSearch, { type SearchOptions } from 'minisearch';
import type { DocumentedEngine, EngineDocument } from './engine.js';

/** Its README, "Basic usage": two fields, `addAll`, `search` with default options. */
export const BASIC: SearchOptions = {};

/** Its README, "Search options": the title counts twice, words may go on, and one letter of five may be wrong. */
export const WITH_OPTIONS: SearchOptions = { boost: { name: 2 }, prefix: true, fuzzy: 0.2 };

export function miniSearchOver(documents: readonly EngineDocument[], options: SearchOptions): DocumentedEngine {
  const index = new MiniSearch<EngineDocument>({ fields: ['name', 'description'] });
  index.addAll(documents);
  return {
    search: (q, limit) =>
      index
        .search(q, options)
        .slice(0, limit)
        .map(({ id, score }) => ({ id: id as string, score })),
  };
}
