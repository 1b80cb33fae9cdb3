import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type ErrorCode, orUndefined, SkillSearchError } from './errors.js';

export interface MakeFolderOptions {
  /** Of each folder that is made. @default 0o777, less what the process masks */
  readonly mode?: number;
  /** Of the error. @default `FILE_NOT_WRITABLE` */
  readonly code?: ErrorCode;
}

/**
 * Makes a folder, and those above it that are missing. One that is there stays as it is.
 *
 * The recursive way of Node never ends where a folder says of a new one that it is not there, as /proc does: a service
 * may have such a home.
 *
 * @returns the folders that were missing, the outermost first
 * @throws {SkillSearchError} with the code of the options
 */
export function makeFolder(
  path: string,
  { mode = 0o777, code = 'FILE_NOT_WRITABLE' }: MakeFolderOptions = {},
): readonly string[] {
  const folder = resolve(path);
  try {
    const missing = missingFolders(folder);
    for (const one of missing) makeOne(one, mode);
    return missing;
  } catch (cause) {
    const message = `the folder ${JSON.stringify(folder)} cannot be made: ${(cause as Error).message}`;
    throw new SkillSearchError(code, message, { path: folder, cause });
  }
}

/**
 * The folders of an absolute path that are not there, the outermost first.
 *
 * @throws {Error} if something else is in the place of one
 */
export function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** @throws {Error} if there is something else */
function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Of a path through a file, the file itself is told of.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
  throw new Error(`${JSON.stringify(path)} is not a folder`);
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw new Error(`${JSON.stringify(path)} is a link that leads nowhere`, { cause: error });
  }
}

/**
 * Waits until a file, or the entries of a folder, are on the disk. A file that takes the place of another must be
 * synced before it is renamed, and the folder afterwards. Otherwise a power cut may leave the new name with half a
 * file.
 */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems cannot sync a folder. A rename there is as safe as they make it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'EPERM') throw error;
  } finally {
    closeSync(file);
  }
}

/** Where a file is written before it takes its place. Two runs at once have two of them. */
export function unfinishedFor(target: string): string {
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

/** Names of what is in a folder; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return orUndefined(() => readdirSync(folder)) ?? [];
}

/** Whether a process runs on this machine. Its number may be another one's by now. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a path is a folder or lies in it. Both must be absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path without symbolic links, as the disk writes it; of what is not there the absolute path as it is given. */
export async function realPathOrSelf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/**
 * The absolute path of a catalogue's file, which need not exist yet. Links are followed, so that a load replaces the
 * file that a link leads to, and not the link.
 */
export function resolveDatabase(database: string): string {
  const path = resolve(database);
  return existsSync(path) ? realpathSync(path) : path;
}
