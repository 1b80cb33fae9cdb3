import type { BigIntStats, Stats } from 'node:fs';

/**
 * Milliseconds for which something must not have changed before it is read. Two changes within a tick of the system's
 * clock, up to 10 ms, have the same time, so the second would not show.
 */
export const SETTLED_MS = 20;

/** Whether something did not change just now. Of one from the future, whose clock is another, nobody knows. */
export function hasRest({ ctimeMs }: BigIntStats): boolean {
  return Math.abs(Date.now() - Number(ctimeMs)) >= SETTLED_MS;
}

/** The last change of the content of a file, in Unix seconds. */
export function changedAtOf({ mtimeMs }: BigIntStats): number {
  return Math.max(0, Math.floor(Number(mtimeMs) / 1000));
}

/** Whether a file or folder is the same as before, and nothing has changed in it, by what the system tells. */
export function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/**
 * A text that differs where two looks at a file find that it changed. Programs can set the time of the last write
 * back, as `rsync --times` and `tar` do; the change time shows that, and the inode shows that another file came.
 */
export function stateText({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, mode, size, mtimeMs, ctimeMs].join(' ');
}
