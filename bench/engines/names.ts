/** Other engines, each as its documentation shows it, in the order of the tables. */
export const ENGINES = ['minisearch', 'minisearch-options', 'orama', 'fts5', 'fts5-porter', 'minilm', 'rrf'] as const;

export type EngineName = (typeof ENGINES)[number];

/** What of an engine's documentation is used. All get name and description, and nothing else of a skill. */
export const ENGINE_TITLES: Record<EngineName, string> = {
  minisearch: 'MiniSearch 7.2, basic usage',
  'minisearch-options': 'MiniSearch 7.2, names twice, beginnings, typos',
  orama: 'Orama 3.1, usage',
  fts5: 'SQLite FTS5, bm25 of any word',
  'fts5-porter': 'SQLite FTS5, the same with Porter stems',
  minilm: 'all-MiniLM-L6-v2 as published',
  rrf: 'MiniSearch and all-MiniLM-L6-v2, reciprocal ranks',
};

/** @throws where it names something else than engines */
export function enginesNamed(list: string): EngineName[] {
  const names = list.split(',').map((name) => {
    const engine = ENGINES.find((one) => one === name);
    if (engine !== undefined) return engine;
    throw new Error(`--engines takes ${ENGINES.join(', ')} with commas between them, got ${name}`);
  });
  return [...new Set(names)];
}
