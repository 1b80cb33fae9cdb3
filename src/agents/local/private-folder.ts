import { lstatSync } from 'node:fs';
import { makeFolder } from '../../core/index.js';

/**
 * Whether a folder is one that only this user can read or write: then what lies in it was put there by this user. On
 * Windows there is nothing to look at; the folder of the user's own data is closed to others.
 *
 * @param user number of the user; undefined on Windows
 */
export function isPrivateFolder(path: string, user: number | undefined): boolean {
  try {
    const { uid, mode, isDirectory } = asFacts(path);
    return isDirectory && (user === undefined || (uid === user && (mode & 0o077) === 0));
  } catch {
    return false;
  }
}

/** Makes such a folder where there is none. @returns whether there is one now */
export function ensurePrivateFolder(path: string, user: number | undefined): boolean {
  try {
    makeFolder(path, { mode: 0o700 });
  } catch {
    return false;
  }
  return isPrivateFolder(path, user);
}

// Not what a link leads to: whoever made the link decides that.
function asFacts(path: string): { readonly uid: number; readonly mode: number; readonly isDirectory: boolean } {
  const facts = lstatSync(path);
  return { uid: facts.uid, mode: facts.mode, isDirectory: facts.isDirectory() };
}
