import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
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
      sleep(50);
    }
  }
}
