import { SkillSearchError } from '../core/index.js';
import { FILE_SYSTEM_ROOT } from './catalogue-place.js';
import { loadIntoShared } from './load-into-shared.js';
import type { BuildOptions } from './load-options.js';
import { isInstalledSource } from './open-sources.js';
import type { LoadReport } from './reports.js';
import { prepareLoad, runLoad } from './run-load.js';

/**
 * The work of `buildCatalogue` for a catalogue in PostgreSQL.
 *
 * @param options whose names are checked
 */
export async function loadShared({ database, cache, passwordFile, ...options }: BuildOptions): Promise<LoadReport> {
  if (Array.isArray(options.sources) && options.sources.some(isInstalledSource)) {
    const message =
      'installed skills belong to one machine, and a catalogue in PostgreSQL to several: load them into a file';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'sources' });
  }
  const load = await prepareLoad(options, FILE_SYSTEM_ROOT);
  const { key, sources } = load;
  const isOnce = sources.some((source) => source.isOnce === true);
  const pruned = options.prune === true ? sources.map((source) => source.key) : [];
  const work = { key, isOnce, pruned, signal: options.signal };
  return loadIntoShared({ database, cache, passwordFile }, work, { whole: (target) => runLoad(load, target) });
}
