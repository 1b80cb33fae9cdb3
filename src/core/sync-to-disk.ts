import { closeSync, fsyncSync, openSync } from 'node:fs';

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
