import { expect, onTestFinished } from 'vitest';
import { openSkillSearch, SkillSearchError } from '../../../src/index.js';
import type { CataloguePlace, CatalogueStore, SharedPlace } from '../../load/contract/catalogue-under-test.js';
import { skillsIn } from '../../load/contract/catalogue-under-test.js';
import { scratchFolder } from '../../scratch-folder.js';
import type { PostgresServer } from '../postgres/postgres-cluster.js';

/**
 * Catalogues in PostgreSQL, each in a database of its own. Two machines load them in turn, and a third one searches. In
 * the end of every third test that one has the same skills as one that has never been there before.
 */
export function catalogueInPostgres(server: PostgresServer): CatalogueStore {
  let places = 0;
  return {
    emptyPlace: async () => {
      const database = await server.database();
      const machine = (): CataloguePlace => ({ database, cache: scratchFolder() });
      const loaders = [machine(), machine()];
      const searching = machine();
      let loads = 0;
      const place: SharedPlace = { loading: () => loaders[loads++ % 2]!, searching };
      if (places++ % 3 > 0) return place;
      onTestFinished(async () => expect(await seenAt(searching)).toEqual(await seenAt(machine())));
      return place;
    },
  };
}

async function seenAt(place: CataloguePlace): Promise<unknown> {
  try {
    await using search = await openSkillSearch(place);
    return { stamp: search.stats().stamp, skills: skillsIn(search) };
  } catch (error) {
    if (error instanceof SkillSearchError && error.code === 'DATABASE_NOT_FOUND') return 'no catalogue';
    throw error;
  }
}
