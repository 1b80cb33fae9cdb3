import { checkDatabase, resolveDatabase } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { endLoad } from '../store/write/end-load.js';
import { loadKey, OpenLoad } from '../store/write/open-load.js';

/**
 * Removes skills from a catalogue, by id.
 *
 * @returns how many of the ids were there
 * @throws {SkillSearchError} as `buildCatalogue`, and `DATABASE_NOT_FOUND`
 */
export function removeSkills(options: { readonly database: string; readonly ids: Iterable<string> }): number {
  const database = resolveDatabase(checkDatabase(options.database));
  if (typeof options.ids === 'string') {
    throw new SkillSearchError('INVALID_OPTION', 'ids must be several ids that can be iterated, got one string');
  }
  const ids = [...options.ids];
  // Not with a CatalogueWriter: every program that imports the library would load all of it, just for this.
  const load = new OpenLoad(database, loadKey(['remove', ...ids]), true);
  try {
    const { removed } = endLoad(load, {
      hasWork: () => ids.some((id) => load.statements.find.get(id) !== undefined),
      write: (statements) => {
        for (const id of ids) statements.remove(id);
        return false;
      },
    });
    load.reported();
    return removed;
  } finally {
    load.close();
  }
}
