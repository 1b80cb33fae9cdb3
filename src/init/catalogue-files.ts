import { existsSync, rmSync } from 'node:fs';
import { openForReading } from '../store/database.js';
import { derivedFiles, filesBeside, sqliteFiles } from '../store/file-names.js';

/** The name under which a catalogue has the installed skills of a machine. */
const INSTALLED = 'installed:';

/** Whether a catalogue has nothing but installed skills: those can be read again at any time. */
export function ownsCatalogue(database: string): boolean {
  if (!existsSync(database)) return true;
  try {
    const connection = openForReading(database);
    try {
      const names = connection.prepare('SELECT name FROM source').pluck().all() as readonly string[];
      return names.every((name) => name.startsWith(INSTALLED));
    } finally {
      connection.close();
    }
  } catch {
    // What cannot be read may be somebody's.
    return false;
  }
}

/** Deletes a catalogue and the files that belong to it. */
export function removeCatalogue(database: string): void {
  const { loading, loadingPart, loadingReport, loadingLock } = filesBeside(database);
  const working = [loading, loadingPart, loadingReport, loadingLock];
  for (const path of [database, loading, loadingPart].flatMap(sqliteFiles)) rmSync(path, { force: true });
  for (const path of [...derivedFiles(database), ...working]) rmSync(path, { force: true });
}
