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
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { makeFolder, surroundings, userFolders } from '../core/index.js';

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

/**
 * What a file of kept code begins with: two numbers of 32 bits, the length of the list and the checksum of the rest.
 */
const HEAD = 8;

/** V8 copies what does not begin at such a place. */
const ALIGNMENT = 8;

/** What is kept of one file of the bundle. */
interface KeptFile {
  /** Of the source that was compiled. V8 itself compares lengths only. */
  readonly checksum: number;
  readonly code: Buffer;
}

interface LoadedFile {
  readonly script: Script;
  readonly checksum: number;
  readonly isFromKept: boolean;
  readonly module: { exports: unknown };
}

/** Loads modules. The build puts `require.import` into the place of `import`, where there is one. */
interface BundleRequire {
  (name: string): unknown;
  readonly import: (name: string) => Promise<unknown>;
}

type Wrapped = (exports: unknown, require: unknown, module: unknown, file: string, folder: string) => void;

/**
 * Loads the files of the bundle as `require` does, from code that a former start compiled, and keeps that of this one
 * when the process ends. Node has a compile cache of its own from 22.1 on, which keeps the code of all other modules.
 */
export class KeptCode {
  /** Where the files of the bundle are. */
  readonly #bundle: string;
  /** The file of kept code. */
  readonly #path: string;
  readonly #require: NodeJS.Require;
  readonly #kept: ReadonlyMap<string, KeptFile>;
  readonly #loaded = new Map<string, LoadedFile>();

  /**
   * @param path the file of kept code, which need not exist. Node runs what is in it, so it has to be the user's own
   */
  constructor(require: NodeJS.Require, { bundle, path }: { readonly bundle: string; readonly path: string }) {
    this.#require = require;
    this.#bundle = bundle;
    this.#path = path;
    this.#kept = readKept(path);
  }

  /** What `require` returns for a file of the bundle, by its name there, or for any other module. */
  readonly require: BundleRequire = Object.assign(
    (name: string): unknown => {
      if (!name.startsWith('./')) return this.#require(name);
      const file = name.slice(2);
      return (this.#loaded.get(file) ?? this.#load(file)).module.exports;
    },
    // In code that was compiled like this, `import()` would need a part of Node that is experimental.
    { import: (name: string): Promise<unknown> => import(name) },
  );

  /** Keeps the code of this process. Never fails: where nothing can be written, nothing is kept. */
  keep(): void {
    if ([...this.#loaded.values()].every(({ isFromKept }) => isFromKept)) return;
    const files = new Map(this.#kept);
    for (const [file, { script, checksum }] of this.#loaded) {
      files.set(file, { checksum, code: script.createCachedData() });
    }
    const unfinished = `${this.#path}.${process.pid}`;
    try {
      makeFolder(dirname(this.#path), { mode: 0o700 });
      writeFileSync(unfinished, bytesOf(files), { mode: 0o600, flag: 'wx' });
      renameSync(unfinished, this.#path);
    } catch (error) {
      // One that was there already is another process's.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') removeQuietly(unfinished);
    }
  }

  #load(file: string): LoadedFile {
    const filename = join(this.#bundle, file);
    const source = readFileSync(filename);
    const checksum = crc32(source);
    const kept = this.#kept.get(file);
    const cachedData = kept?.checksum === checksum ? kept.code : undefined;
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename,
      cachedData,
    });
    const isFromKept = cachedData !== undefined && script.cachedDataRejected !== true;
    const module: LoadedFile['module'] = { exports: {} };
    const loaded: LoadedFile = { script, checksum, isFromKept, module };
    // Before it runs: files may need each other.
    this.#loaded.set(file, loaded);
    const run = script.runInThisContext() as Wrapped;
    try {
      run.call(module.exports, module.exports, this.require, module, filename, this.#bundle);
    } catch (error) {
      this.#loaded.delete(file);
      throw error;
    }
    return loaded;
  }
}

/** @returns nothing if the file is missing, damaged, or not the user's own */
function readKept(path: string): ReadonlyMap<string, KeptFile> {
  try {
    const bytes = readOwn(path);
    const listEnd = HEAD + bytes.readUInt32LE(0);
    if (crc32(bytes.subarray(HEAD)) !== bytes.readUInt32LE(4)) return new Map();
    const list = JSON.parse(bytes.toString('utf8', HEAD, listEnd)) as ReadonlyArray<[string, number, number]>;
    let start = listEnd;
    return new Map(
      list.map(([file, checksum, length]) => {
        start = alignedFrom(start);
        const code = bytes.subarray(start, start + length);
        start += length;
        return [file, { checksum, code }];
      }),
    );
  } catch {
    return new Map();
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // There is no such folder, say.
  }
}

/** Neither what a link leads to, nor what never ends. Windows has no such flags. */
const PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @throws if others may have written the file. On Windows the folders of users are closed to others. */
function readOwn(path: string): Buffer {
  const descriptor = openSync(path, PLAIN_FILE);
  try {
    const facts = fstatSync(descriptor);
    const { uid, mode, nlink } = facts;
    if (!facts.isFile() || nlink !== 1) throw new Error('it is not a file of its own');
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
      throw new Error('the file belongs to another user');
    }
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function bytesOf(files: ReadonlyMap<string, KeptFile>): Buffer {
  const list = JSON.stringify([...files].map(([file, { checksum, code }]) => [file, checksum, code.length]));
  const parts: Buffer[] = [Buffer.from(list)];
  let length = HEAD + (parts[0] as Buffer).length;
  for (const { code } of files.values()) {
    const gap = alignedFrom(length) - length;
    parts.push(Buffer.alloc(gap), code);
    length += gap + code.length;
  }
  const rest = Buffer.concat(parts);
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE((parts[0] as Buffer).length, 0);
  head.writeUInt32LE(crc32(rest), 4);
  return Buffer.concat([head, rest]);
}

function alignedFrom(place: number): number {
  return Math.ceil(place / ALIGNMENT) * ALIGNMENT;
}
