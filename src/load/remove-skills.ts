import { checkDatabase, resolveDatabase } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { CatalogueWriter } from '../store/write/catalogue-writer.js';
import { loadKey } from './load-key.js';

/**
 * Removes skills from a catalogue, by id.
 *
 * @returns how many of the ids there were
 * @throws {SkillSearchError} as `buildCatalogue`, and `DATABASE_NOT_FOUND`
 */
export function removeSkills(options: { readonly database: string; readonly ids: Iterable<string> }): number {
  const database = resolveDatabase(checkDatabase(options.database));
  if (typeof options.ids === 'string') {
    throw new SkillSearchError('INVALID_OPTION', 'ids must be several ids that can be iterated, got one string');
  }
  const ids = [...options.ids];
  const writer = new CatalogueWriter(database, loadKey(['remove', ...ids]), true);
  try {
    for (const id of ids) writer.remove(id);
    return writer.finish().removed;
  } finally {
    writer.close();
  }
}
