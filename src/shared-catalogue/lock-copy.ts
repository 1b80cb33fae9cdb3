import { setTimeout as wait } from 'node:timers/promises';
import { FileLock } from '../store/file-lock.js';

/** How often whoever has the copy in hand is waited for, in milliseconds. */
const LOOK_AGAIN = 100;

/**
 * Takes the lock of a copy, which is held by those who work on it. It is another one than that of a load, which they
 * take, too.
 *
 * @param database the copy, in a folder that is there
 * @throws the signal's reason when aborted
 */
export async function lockCopy(database: string, signal: AbortSignal | undefined): Promise<FileLock> {
  for (;;) {
    signal?.throwIfAborted();
    const lock = FileLock.take(`${database}.shared-lock`);
    if (lock !== undefined) return lock;
    await wait(LOOK_AGAIN, undefined, { signal });
  }
}
