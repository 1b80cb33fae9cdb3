import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from './sync-to-disk.js';
import { clearUnfinished, unfinishedFor } from './unfinished-files.js';

/** How a file is replaced. */
export interface ReplaceOptions {
  /** The mode of a file that was not there before. The mask of the process is applied. */
  readonly newMode: number;
  /** Whether the file is still as its writer has read it. Asked as late as can be. */
  readonly isUnchanged: () => boolean;
}

/**
 * Replaces the contents of a file that other programs write to, too: who reads it sees the old or the new, also after a
 * power cut. Mode and owner stay. What killed runs left unfinished is removed.
 *
 * @param target the file itself, behind links
 * @returns false if the file is no longer as it was read; it is left alone then
 * @throws the error of the file system
 */
export function replaceFile(target: string, text: string, { newMode, isUnchanged }: ReplaceOptions): boolean {
  clearUnfinished(target);
  const unfinished = unfinishedFor(target);
  const former = statSync(target, { throwIfNoEntry: false });
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
    if (!isUnchanged()) return false;
    moveOver(unfinished, target);
    syncToDisk(dirname(target));
    return true;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Only the superuser can give a file away. Where it cannot be kept, the new file belongs to who runs this. */
export function keepOwner(path: string, { uid, gid }: Stats): void {
  const now = statSync(path);
  if (now.uid === uid && now.gid === gid) return;
  try {
    chownSync(path, uid, gid);
  } catch {}
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}
