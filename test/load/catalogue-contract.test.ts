import { describe } from 'vitest';
import { scratchFile } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { catalogueInPostgres } from '../share/shared-catalogue/catalogue-in-postgres.js';
import type { CatalogueStore } from './contract/catalogue-under-test.js';
import { prunesBySource, takesLoads, takesSmallChanges } from './contract/loads.js';
import { derivesIds, keepsAwkwardTexts, keepsContents, keepsMeaning } from './contract/skills.js';

/** What every catalogue does, wherever it is kept. */
function keepsACatalogue(store: CatalogueStore): void {
  takesLoads(store);
  prunesBySource(store);
  derivesIds(store);
  takesSmallChanges(store);
  keepsContents(store);
  keepsMeaning(store);
  keepsAwkwardTexts(store);
}

describe('a catalogue in a file', () => {
  keepsACatalogue({
    emptyPlace: async () => {
      const place = { database: scratchFile('skills.db') };
      return { loading: () => place, searching: place };
    },
  });
});

describeWithPostgres('a catalogue in PostgreSQL', (server) => keepsACatalogue(catalogueInPostgres(server)));
