import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.js';
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
  const { NODE_COMPILE_CACHE: other, NODE_DISABLE_COMPILE_CACHE: off = '' } = process.env;
  if (enableCompileCache === undefined || other !== undefined || off !== '') return;
  try {
    const of = surroundings();
    // Users of services may have no home, and none is made for them.
    if (!existsSync(of.home)) return;
    const folder = join(userFolders(of).cache, 'compiled');
    // Node itself would try for ever where the home is /proc.
    makeFolder(folder, { mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // The system may know no home, or the folder cannot be made.
  }
}
