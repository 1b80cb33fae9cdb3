import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../is-alive.js';
import { MAX_CONFIG_BYTES } from '../limits.js';
import { ConfigFault } from './config-fault.js';

/** A configuration as it was read. */
export interface ConfigFile {
  /** As the agent names it. */
  readonly path: string;
  /** The file itself, behind links. */
  readonly target: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

/**
 * Reads a configuration.
 *
 * @throws {ConfigFault} if it cannot be read or written, is no file, too large, or no UTF-8
 */
export function readConfigFile(path: string): ConfigFile {
  const found = lookAt(path);
  if (found === undefined) return { path, target: path, text: undefined };
  const { target, stat } = found;
  if (!stat.isFile()) throw new ConfigFault('it is not a file');
  if (stat.size > MAX_CONFIG_BYTES) throw new ConfigFault(`it has more than ${MAX_CONFIG_BYTES} bytes`);
  try {
    accessSync(target, constants.R_OK | constants.W_OK);
  } catch {
    throw new ConfigFault('it may not be read and written');
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(target));
    return { path, target, text };
  } catch (cause) {
    if (cause instanceof TypeError) throw new ConfigFault('it is not in UTF-8');
    throw new ConfigFault((cause as Error).message);
  }
}

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
  try {
    const now = readConfigFile(path);
    return now.text === text && now.target === target;
  } catch {
    return false;
  }
}

/** Names the contents of a file. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Replaces the contents of a file at once: who reads it sees the old or the new, also after a power cut. Mode and owner
 * stay; a new file is for its owner only. What killed runs left unfinished is removed.
 *
 * @returns false if the file is no longer as it was read; it is left alone then
 */
export function writeConfigFile(file: ConfigFile, text: string): boolean {
  clearUnfinished(file.target);
  const unfinished = unfinishedFor(file.target);
  const stat = statSync(file.target, { throwIfNoEntry: false });
  try {
    const descriptor = openSync(unfinished, 'wx', 0o600);
    try {
      writeAll(descriptor, Buffer.from(text));
      if (stat !== undefined) fchmodSync(descriptor, stat.mode & 0o7777);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (stat !== undefined) keepOwner(unfinished, stat);
    if (!isUnchanged(file)) return false;
    replace(unfinished, file.target);
    syncFolder(dirname(file.target));
    return true;
  } finally {
    rmSync(unfinished, { force: true });
  }
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

/** Where a file is written before it takes its place. Two runs at once have two of them. */
function unfinishedFor(target: string): string {
  return `${target}.${process.pid}-${randomBytes(6).toString('hex')}.skill-discovery-part`;
}

/** What {@link unfinishedFor} puts behind the name of a file, or of a copy of it. */
const UNFINISHED = /^(?:\.[\dTZ-]+\.bak)?\.(\d+)-[0-9a-f]{12}\.skill-discovery-part$/;

/** Removes what runs that are no more have left unfinished of a file, and of copies beside it. */
export function clearUnfinished(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of namesIn(folder)) {
    const pid = other.startsWith(name) ? UNFINISHED.exec(other.slice(name.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, other), { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** Only the superuser can give a file away. Where it cannot be kept, the new file belongs to who runs this. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  const now = statSync(path);
  if (now.uid === uid && now.gid === gid) return;
  try {
    chownSync(path, uid, gid);
  } catch {}
}

/** On Windows, a program that has the file open for a moment keeps it from being replaced. */
function replace(from: string, to: string): void {
  for (let tries = 5; ; tries--) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (tries === 0 || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    closeSync(descriptor);
  }
}
