import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { ConfigFault } from './config-fault.js';
import { MAX_CONFIG_BYTES } from './limits.js';
import { keepOwner, replaceFile } from './replace-file.js';
import { unfinishedFor } from './unfinished-files.js';

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
export function lookAt(path: string): { readonly target: string; readonly stat: Stats } | undefined {
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
    const now = readConfigFile(path, undefined, constants.R_OK);
    return now.text === text && now.target === target;
  } catch {
    return false;
  }
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
