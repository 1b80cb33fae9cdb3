import { CatalogueSearch } from './catalogue-search.js';
import { openCatalogue } from './open-catalogue.js';
import { CurrentState } from './reload/current-state.js';
import type { OpenOptions } from './search-options.js';
import type { SkillSearch } from './skill-search.js';

/**
 * Opens a catalogue for searching: a file that `buildCatalogue` made, or skills that are held in memory. The search
 * answers from the state that it opened, also after a load; see `followCatalogue` for one that reloads.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`; with `warmUp` also as `SkillSearch.warmUp`
 * @throws the signal's reason when aborted
 * @example
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * const { hits } = search.keyword({ q: 'react testing', category: 'testing', limit: 10 });
 */
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  return new CatalogueSearch(new CurrentState(await openCatalogue(options)));
}
