import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { makeFolder, orUndefined, surroundings, userFolders } from '../core/index.js';

/** Commands that somebody waits for, and that read much code. */
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
 * kept. Node 20 keeps no code by itself; later versions keep that of all modules outside the bundle.
 * `NODE_COMPILE_CACHE` names another folder for these, and `NODE_DISABLE_COMPILE_CACHE=1` turns both off.
 *
 * @param bundle undefined where the sources run. The build puts it in
 * @returns what loads the files of the bundle
 */
export function keepCompiled(bundle?: Bundle): ((name: string) => unknown) | undefined {
  const { NODE_COMPILE_CACHE: named = '', NODE_DISABLE_COMPILE_CACHE: off = '' } = process.env;
  if (off !== '') return bundle?.load;
  try {
    const folder = keptFolder();
    const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
    if (named === '') enableCompileCache?.(folder);
    const words = process.argv.slice(2);
    const isHelp = words.some((word) => word === '--help' || word === '-h');
    if (bundle === undefined || isHelp || !KEPT_COMMANDS.has(words[0])) return bundle?.load;
    const path = join(folder, `${words[0]}-${process.version}-${process.arch}`);
    const code = keptCode(bundle.load, { bundle: bundle.folder, path });
    process.once('exit', code.keep);
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
  refuseOthers(statSync(folder));
  return folder;
}

/** On Windows the folders of users are closed to others. */
function refuseOthers({ uid, mode }: { readonly uid: number; readonly mode: number }): void {
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0))
    throw new Error('others may write it');
}

/** Loads modules. The build puts `require.import` into the place of `import`, where there is one. */
interface BundleRequire {
  (name: string): unknown;
  readonly import: (name: string) => Promise<unknown>;
}

/** A file of the bundle that this start has loaded. */
interface LoadedFile {
  readonly script: Script;
  /** Of the source. V8 itself compares lengths only. */
  readonly checksum: number;
  readonly isFromKept: boolean;
  readonly module: { exports: unknown };
}

type Wrapped = (exports: unknown, require: unknown, module: unknown, file: string, folder: string) => void;

/**
 * Loads the files of a bundle from code that a former start compiled. `require` does what Node's own does for a file of
 * the bundle, by its name there, or for any other module. `keep` keeps the code of this process for the next.
 *
 * @param path how the paths of kept code begin. Node runs what is there, so it has to be the user's own
 */
export function keptCode(
  load: NodeJS.Require,
  { bundle, path }: { readonly bundle: string; readonly path: string },
): { readonly require: BundleRequire; readonly keep: () => void } {
  const loaded = new Map<string, LoadedFile>();
  const loadFile = (file: string): LoadedFile => {
    const filename = join(bundle, file);
    const source = readFileSync(filename);
    const checksum = crc32(source);
    const cachedData = readKept(`${path}-${file}`, checksum);
    const wrapped = `(function (exports, require, module, __filename, __dirname) { ${source}\n})`;
    const script = new Script(wrapped, { filename, cachedData });
    const isFromKept = cachedData !== undefined && script.cachedDataRejected !== true;
    const one: LoadedFile = { script, checksum, isFromKept, module: { exports: {} } };
    // Before it runs: files may need each other.
    loaded.set(file, one);
    try {
      const run = script.runInThisContext() as Wrapped;
      run.call(one.module.exports, one.module.exports, require, one.module, filename, bundle);
    } catch (error) {
      loaded.delete(file);
      throw error;
    }
    return one;
  };
  const require: BundleRequire = Object.assign(
    (name: string): unknown => {
      if (!name.startsWith('./')) return load(name);
      const file = name.slice(2);
      return (loaded.get(file) ?? loadFile(file)).module.exports;
    },
    // In code that was compiled like this, `import()` would need a part of Node that is experimental.
    { import: (name: string): Promise<unknown> => import(name) },
  );
  const keep = (): void => {
    for (const [file, { script, checksum, isFromKept }] of loaded) {
      if (!isFromKept) writeKept(`${path}-${file}`, checksum, script.createCachedData());
    }
  };
  return { require, keep };
}

/** A file of kept code begins with two numbers of 32 bits: the checksums of the source, and of the code behind them. */
const HEAD = 8;

/** @returns undefined if the file is missing, damaged, of another source, or not the user's own */
function readKept(path: string, checksum: number): Buffer | undefined {
  return orUndefined(() => {
    const bytes = readOwn(path);
    const code = bytes.subarray(HEAD);
    return bytes.readUInt32LE(0) === checksum && bytes.readUInt32LE(4) === crc32(code) ? code : undefined;
  });
}

/** Neither what a link leads to, nor what never ends. Windows has no such flags. */
const PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @throws if others may have written the file */
function readOwn(path: string): Buffer {
  const descriptor = openSync(path, PLAIN_FILE);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile() || facts.nlink !== 1) throw new Error('it is not a file of its own');
    refuseOthers(facts);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Never fails: where nothing can be written, nothing is kept. */
function writeKept(path: string, checksum: number, code: Buffer): void {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(checksum, 0);
  head.writeUInt32LE(crc32(code), 4);
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([head, code]), { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (error) {
    // One that was there already is another process's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(unfinished, { force: true });
  }
}
