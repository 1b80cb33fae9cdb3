import type { EvaluationMode } from '../../src/evaluation/index.js';

/** Other engines, each as its documentation shows it, in the order of the tables. */
export const ENGINES = ['minisearch', 'minisearch-options', 'orama', 'fts5', 'fts5-porter', 'minilm', 'rrf'] as const;

export type EngineName = (typeof ENGINES)[number];

/** What of an engine's documentation is used. All get name and description, and nothing else of a skill. */
const ENGINE_TITLES: Record<EngineName, string> = {
  minisearch: 'MiniSearch 7.2, basic usage',
  'minisearch-options': 'MiniSearch 7.2, names twice, beginnings, typos',
  orama: 'Orama 3.1, usage',
  fts5: 'SQLite FTS5, bm25 of any word',
  'fts5-porter': 'SQLite FTS5, the same with Porter stems',
  minilm: 'all-MiniLM-L6-v2 as published',
  rrf: 'MiniSearch and all-MiniLM-L6-v2, reciprocal ranks',
};

/** Our own search, by the modes of `evaluate`. */
const OUR_TITLES: Record<EvaluationMode, string> = {
  keyword: 'ours, keyword search',
  bm25: 'ours, any word (bm25)',
  vector: 'ours, vectors alone',
  hybrid: 'ours, hybrid',
};

/** The rows of a table, in their order. */
export const ROW_TITLES: Record<EngineName | EvaluationMode, string> = { ...ENGINE_TITLES, ...OUR_TITLES };
export type RowName = keyof typeof ROW_TITLES;
export const ROW_NAMES = Object.keys(ROW_TITLES) as readonly RowName[];

/** What cannot be asked without the published model. */
export const NEEDS_MODEL: ReadonlySet<EngineName> = new Set(['minilm', 'rrf']);

/** @throws where it names something else than engines */
export function enginesNamed(list: string): EngineName[] {
  const names = list.split(',').map((name) => {
    const engine = ENGINES.find((one) => one === name);
    if (engine !== undefined) return engine;
    throw new Error(`--engines takes ${ENGINES.join(', ')} with commas between them, got ${name}`);
  });
  return [...new Set(names)];
}
