import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  open,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { promisify } from 'node:util';

const openFile: (path: string, flags: number) => Promise<number> = promisify(open);

/** An open file, for whoever closes it. */
export interface OpenFile {
  readonly file: number;
  /** What the system said of it when it was opened. */
  readonly found: BigIntStats;
}

// No links: the path was resolved before, so a link must have been put there since. Non-blocking, because opening a
// pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens what is still the file of that path: no folder above it may have become a link meanwhile.
 *
 * @param realPath absolute, without symbolic links
 * @throws the file system's error if it cannot be opened, and an error if a link has taken its place
 */
export async function openInPlace(realPath: string): Promise<OpenFile> {
  const file = await openFile(realPath, OPEN_FLAGS);
  // Of an open file the system knows the rest without waiting for the disk.
  try {
    const found = fstatSync(file, { bigint: true });
    if (!isStillAt(file, found, realPath)) throw new Error('replaced by a link while it was read');
    return { file, found };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Whether an open file lies where it was opened, and not behind a link. */
function isStillAt(file: number, { ino, dev }: BigIntStats, realPath: string): boolean {
  if (process.platform === 'linux') {
    // What the system says of the open file itself: nothing can change in between.
    const path = pathOf(file);
    if (path !== undefined) return path === realPath;
  }
  const found = lstatSync(realPath, { bigint: true });
  return ino === found.ino && dev === found.dev && realpathSync(realPath) === realPath;
}

function pathOf(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}
