import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Of a folder and those around it the ones that do not exist, the outermost first. */
export function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  return missing;
}

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
