import { rmdirSync } from 'node:fs';

/** Removes folders that are empty, the innermost first. Others stay, and so do those around them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // It has something in it, or is gone.
    }
  }
}
