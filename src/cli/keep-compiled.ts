import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { surroundings, userFolders } from '../user-folders.js';

/** Node has it from 22.1 on. */
interface CompileCache {
  readonly enableCompileCache?: (folder?: string) => unknown;
}

/**
 * Lets Node keep the code that it compiles from here on, so that the next start need not compile it: in a folder that
 * belongs to the user, because Node runs what it finds there. Never fails: where nothing can be written, nothing is
 * kept. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function keepCompiled(): void {
  const { enableCompileCache }: CompileCache = nodeModule as CompileCache;
  if (enableCompileCache === undefined || process.env['NODE_COMPILE_CACHE'] !== undefined) return;
  try {
    const of = surroundings();
    // Users of services may have no home; Node would wait for ever where /proc is named in its place.
    if (existsSync(of.home)) enableCompileCache(join(userFolders(of).cache, 'compiled'));
  } catch {
    // The system may know no home.
  }
}
