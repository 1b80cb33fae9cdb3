import { create, insertMultiple, search } from '@orama/orama';
import type { DocumentedEngine, EngineDocument } from './engine.js';

/** Its README, "Usage": a schema of strings, `insertMultiple`, `search` for a term in all properties. */
export async function oramaOver(documents: readonly EngineDocument[]): Promise<DocumentedEngine> {
  const database = create({ schema: { name: 'string', description: 'string' } as const });
  await insertMultiple(database, [...documents]);
  return {
    search: async (term, limit) => {
      const { hits } = await search(database, { term, limit });
      return hits.map(({ id, score }) => ({ id, score }));
    },
  };
}
