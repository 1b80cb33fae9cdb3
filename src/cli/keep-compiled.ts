import { existsSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { makeFolder, surroundings, userFolders } from '../core/index.js';
import { KeptCode } from './kept-code.js';

/** Node has it from 22.1 on. */
interface CompileCache {
  readonly enableCompileCache?: (folder?: string) => unknown;
}

/**
 * Commands that somebody waits for, and that read much code. Without help: it would keep little of what answers need.
 */
const KEPT_COMMANDS: ReadonlySet<unknown> = new Set(['search', 'list', 'show', 'hook', 'mcp', 'serve']);

/** The command line in few files, as the build makes it. */
interface Bundle {
  /** Loads its files. */
  readonly load: NodeJS.Require;
  readonly folder: string;
}

/**
 * Lets the code that is compiled from here on be kept, so that the next start need not compile it: in a folder that
 * belongs to the user, because Node runs what it finds there. Never fails: where nothing can be written, nothing is
 * kept. `NODE_COMPILE_CACHE` names another folder for what Node itself keeps, and `NODE_DISABLE_COMPILE_CACHE=1` turns
 * both off.
 *
 * @param bundle undefined where the sources run. The build puts it in
 * @returns what loads the files of the bundle
 */
export function keepCompiled(bundle?: Bundle): ((name: string) => unknown) | undefined {
  const { enableCompileCache }: CompileCache = nodeModule as CompileCache;
  const { NODE_COMPILE_CACHE: named = '', NODE_DISABLE_COMPILE_CACHE: off = '' } = process.env;
  if (off !== '') return bundle?.load;
  try {
    const folder = keptFolder();
    if (named === '') enableCompileCache?.(folder);
    const words = process.argv.slice(2);
    const isHelp = words.some((word) => word === '--help' || word === '-h');
    if (bundle === undefined || isHelp || !KEPT_COMMANDS.has(words[0])) return bundle?.load;
    const path = join(folder, `${words[0]}-${process.version}-${process.arch}`);
    const code = new KeptCode(bundle.load, { bundle: bundle.folder, path });
    process.once('exit', () => code.keep());
    return code.require;
  } catch {
    // The system may know no home, or the folder cannot be made.
    return bundle?.load;
  }
}

/** @throws where there is no home, the folder cannot be made, or others may write it */
function keptFolder(): string {
  const of = surroundings();
  // Users of services may have no home, and none is made for them.
  if (!existsSync(of.home)) throw new Error('there is no home');
  const folder = join(userFolders(of).cache, 'compiled');
  // Node itself would try for ever where the home is /proc.
  makeFolder(folder, { mode: 0o700 });
  const { uid, mode } = statSync(folder);
  const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  if (!isOwn) throw new Error('others may write the folder');
  return folder;
}
