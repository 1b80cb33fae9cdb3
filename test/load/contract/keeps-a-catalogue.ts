import type { CatalogueStore } from './catalogue-under-test.js';
import { prunesBySource, takesLoads, takesSmallChanges } from './loads.js';
import { derivesIds, keepsAwkwardTexts, keepsContents, keepsMeaning } from './skills.js';

/** What every catalogue does, wherever it is kept. */
export function keepsACatalogue(store: CatalogueStore): void {
  takesLoads(store);
  prunesBySource(store);
  derivesIds(store);
  takesSmallChanges(store);
  keepsContents(store);
  keepsMeaning(store);
  keepsAwkwardTexts(store);
}
