import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  namesIn,
  orUndefined,
  PROJECT_FOLDER,
  projectCatalogue,
  projectCatalogues,
  type Surroundings,
  usageFile,
} from '../../core/index.js';
import { derivedFiles, filesBeside, sqliteFiles, watchLock, whileOpen } from '../../store/index.js';

/** The name under which a catalogue has the installed skills of a machine. */
const INSTALLED = 'installed:';

/** Whether a catalogue has nothing but installed skills: those can be read again at any time. */
export function ownsCatalogue(database: string): boolean {
  if (!existsSync(database)) return true;
  // What cannot be read may be somebody's.
  return valuesIn(database, 'SELECT name FROM source')?.every((name) => String(name).startsWith(INSTALLED)) ?? false;
}

/** Whether skills of a catalogue cannot be found by meaning until it is loaded again. */
export function lacksVectors(database: string): boolean {
  const counts = 'SELECT EXISTS (SELECT 1 FROM revision) AND NOT EXISTS (SELECT 1 FROM vector)';
  return valuesIn(database, counts)?.[0] === 1;
}

/** @returns undefined if the catalogue cannot be read */
function valuesIn(database: string, sql: string): readonly unknown[] | undefined {
  return orUndefined(() => whileOpen(database, (connection) => connection.prepare(sql).pluck().all()));
}

/** Deletes a catalogue and the files that belong to it. */
export function removeCatalogue(database: string): void {
  const { loading, loadingPart, loadingLock } = filesBeside(database);
  const working = [loading, loadingPart, loadingLock];
  for (const path of [database, loading, loadingPart].flatMap(sqliteFiles)) rmSync(path, { force: true });
  for (const path of [...derivedFiles(database), ...working, usageFile(database)]) rmSync(path, { force: true });
  const watches = watchLock(basename(database), '');
  for (const name of namesIn(dirname(database))) {
    if (name.startsWith(watches)) rmSync(join(dirname(database), name), { force: true });
  }
}

/** The catalogues of projects that there are, in the order of their names. */
export function projectCataloguesOf(of: Surroundings): readonly string[] {
  const folder = projectCatalogues(of);
  const file = basename(projectCatalogue(of, ''));
  return namesIn(folder)
    .toSorted()
    .filter((name) => PROJECT_FOLDER.test(name))
    .map((name) => join(folder, name, file));
}
