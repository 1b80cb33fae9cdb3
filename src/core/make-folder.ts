import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ErrorCode, SkillSearchError } from './errors.js';

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
