import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { orUndefined } from './errors.js';
import { clearUnfinished, syncToDisk, unfinishedFor } from './files.js';

/**
 * The largest configuration of an agent that `init` edits, in bytes. It is held in memory a few times. Some agents keep
 * their history in it; those have some megabytes.
 */
const MAX_CONFIG_BYTES: number = 64 * 1024 * 1024;

/** A file that other programs write, too, as it was read: a configuration of an agent, a lock file of installers. */
export interface ConfigFile {
  /** As its programs name it. */
  readonly path: string;
  /** The file itself, behind links. */
  readonly target: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

/**
 * Reads a file that may be written later.
 *
 * @param most bytes that it may have
 * @param access what must be allowed
 * @throws {ConfigFault} if it cannot be read or written, is no file, too large, or no UTF-8
 */
export function readConfigFile(
  path: string,
  most: number = MAX_CONFIG_BYTES,
  access: number = constants.R_OK | constants.W_OK,
): ConfigFile {
  const found = lookAt(path);
  if (found === undefined) return { path, target: path, text: undefined };
  const { target, stat } = found;
  if (!stat.isFile()) throw new ConfigFault('it is not a file');
  if (stat.size > most) throw new ConfigFault(`it has more than ${most} bytes`);
  try {
    accessSync(target, access);
  } catch {
    throw new ConfigFault(access === constants.R_OK ? 'it may not be read' : 'it may not be read and written');
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(target));
    return { path, target, text };
  } catch (cause) {
    if (cause instanceof TypeError) throw new ConfigFault('it is not in UTF-8');
    throw new ConfigFault((cause as Error).message);
  }
}

/**
 * The file behind links; undefined if there is none.
 *
 * @throws {ConfigFault} if a link leads nowhere, or a folder of the path is none
 */
function lookAt(path: string): { readonly target: string; readonly stat: Stats } | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const target = realpathSync(path);
    return { target, stat: statSync(target) };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ConfigFault('it is a link that leads nowhere');
    // A folder of the path is a file.
    if (code === 'ENOTDIR') throw new ConfigFault('there is a file in the place of its folder');
    throw new ConfigFault(message);
  }
}

/** Whether a file is still as it was read. */
export function isUnchanged({ path, target, text }: ConfigFile): boolean {
  const now = orUndefined(() => readConfigFile(path, undefined, constants.R_OK));
  return now !== undefined && now.text === text && now.target === target;
}

/**
 * Replaces the contents of a file at once.
 *
 * @param newMode of a file that is new. Left out, that is for its owner only
 * @returns false if the file is no longer as it was read; it is left alone then
 */
export function writeConfigFile(file: ConfigFile, text: string, newMode = 0o600): boolean {
  return replaceFile(file.target, text, { newMode, isUnchanged: () => isUnchanged(file) });
}

/** Deletes a file, if it is still as it was read. */
export function deleteConfigFile(file: ConfigFile): boolean {
  if (!isUnchanged(file)) return false;
  rmSync(file.target);
  return true;
}

/** The path for a copy of a file beside it, which nothing has yet. */
export function backupPathFor(path: string, now: Date): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const backup = `${path}.${time}${number === 1 ? '' : `-${number}`}.bak`;
    if (!existsSync(backup)) return backup;
  }
}

/** Copies a file, with its mode and owner. The copy is whole as soon as it is there. */
export function backUp(file: ConfigFile, backup: string): void {
  const stat = statSync(file.target);
  const unfinished = unfinishedFor(backup);
  try {
    copyFileSync(file.target, unfinished, constants.COPYFILE_EXCL);
    keepOwner(unfinished, stat);
    renameSync(unfinished, backup);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Why a configuration is left as it is: it cannot be read, or what is in it is not what an agent writes. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault' as const;
  /** The line at fault, from 1, where one is. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Why a configuration stays as it is. Whatever fails while one is read and edited keeps only that one from it. */
export function reasonOf(error: unknown): string {
  // Parsers call themselves for each level.
  if (error instanceof RangeError) return 'its values are nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

/** How a file is replaced. */
export interface ReplaceOptions {
  /** The mode of a file that was not there before. The mask of the process is applied. */
  readonly newMode: number;
  /** Whether the file is still as its writer has read it. Asked as late as can be. */
  readonly isUnchanged: () => boolean;
}

/**
 * Milliseconds for which a file must not have changed before it is replaced, and for which it is watched afterwards.
 * Many programs empty a file and then write it: in between, nobody can tell what they are about to write.
 */
const SETTLED_MS = 20;

/**
 * Replaces the contents of a file that other programs write to, too: who reads it sees the old or the new, also after a
 * power cut. Mode and owner stay. What killed runs left unfinished is removed. What a program writes that had opened
 * the file before is found in the file that was there, and put back.
 *
 * @param target the file itself, behind links
 * @returns false if the file is no longer as it was read; it is left alone then, or as another program wrote it
 * @throws the error of the file system
 */
export function replaceFile(target: string, text: string, { newMode, isUnchanged }: ReplaceOptions): boolean {
  clearUnfinished(target);
  const unfinished = unfinishedFor(target);
  const replaced = unfinishedFor(target);
  const former = statSync(target, { throwIfNoEntry: false });
  if (former !== undefined && Date.now() - former.ctimeMs < SETTLED_MS) sleep(SETTLED_MS);
  try {
    const descriptor = openSync(unfinished, 'wx', former === undefined ? newMode : 0o600);
    try {
      writeFileSync(descriptor, text);
      if (former !== undefined) fchmodSync(descriptor, former.mode & 0o7777);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (former !== undefined) keepOwner(unfinished, former);
    const before = former === undefined ? undefined : contentState(target);
    if (!isUnchanged()) return false;
    const isKept = before !== undefined && keepName(target, replaced);
    moveOver(unfinished, target);
    syncToDisk(dirname(target));
    if (!isKept) return true;
    sleep(SETTLED_MS);
    if (contentState(replaced) === before) return true;
    if (readFileSync(target, 'utf8') === text) moveOver(replaced, target);
    return false;
  } finally {
    for (const path of [unfinished, replaced]) rmSync(path, { force: true });
  }
}

/** Gives a file a second name, so that it can be looked at when another has taken its place. Some systems cannot. */
function keepName(target: string, name: string): boolean {
  try {
    linkSync(target, name);
    return true;
  } catch {
    return false;
  }
}

/** Differs where a file was written to. A second name changes other times. */
function contentState(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${found?.size} ${found?.mtimeNs}`;
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Only the superuser can give a file away. Where it cannot be kept, the new file belongs to who runs this. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  const now = statSync(path);
  if (now.uid === uid && now.gid === gid) return;
  orUndefined(() => chownSync(path, uid, gid));
}

/** On Windows, a program that has the file open for a moment keeps it from being replaced. */
function moveOver(from: string, to: string): void {
  for (let tries = 5; ; tries--) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (tries === 0 || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error;
      sleep(50);
    }
  }
}
