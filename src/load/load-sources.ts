import { dirname } from 'node:path';
import { checkDatabase, checkNotShared, checkOptions, isPostgresAddress, resolveDatabase } from '../core/index.js';
import { BUILD_OPTIONS, type BuildOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';
import { fileTarget } from './load-target.js';
import { prepareLoad } from './prepare-load.js';
import { runLoad } from './run-load.js';

/** The work of `buildCatalogue`. */
export async function loadSources(options: BuildOptions): Promise<LoadReport> {
  checkOptions(options, BUILD_OPTIONS);
  if (isPostgresAddress(options.database)) {
    const { loadShared } = await import('./load-shared.js');
    return loadShared(options);
  }
  const database = resolveDatabase(checkDatabase(options.database));
  checkNotShared(options);
  return runLoad(await prepareLoad(options, dirname(database)), fileTarget(database));
}
