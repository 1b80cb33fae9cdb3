import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { projectLevels } from './project-levels.js';
import { realPathOrSelf } from './real-path-or-self.js';
import { joinPaths, type Surroundings, userFolders } from './user-folders.js';

/** File name of a catalogue of installed skills, in a folder of its own. */
const CATALOGUE = 'skills.db';

/** The catalogue of what is installed for the user, whatever the project. It need not exist. */
export function userCatalogue(of: Surroundings): string {
  return joinPaths(of, userFolders(of).data, CATALOGUE);
}

/** The folder with the catalogues of projects: a folder for each, named as `PROJECT_FOLDER` says. */
export function projectCatalogues(of: Surroundings): string {
  return joinPaths(of, userFolders(of).data, 'projects');
}

/** Names of the folders in {@link projectCatalogues}. */
export const PROJECT_FOLDER: RegExp = /^[0-9a-f]{16}$/;

/**
 * The catalogue of all that is installed as seen from a folder of a project, with what is the user's. It need not
 * exist.
 *
 * @param level real path of the folder
 */
export function projectCatalogue(of: Surroundings, level: string): string {
  const name = createHash('sha256').update(level).digest('hex').slice(0, 16);
  return joinPaths(of, projectCatalogues(of), name, CATALOGUE);
}

/**
 * The catalogue that a program in the working folder asks: that of the nearest folder of its project that has one, or
 * else the user's, which need not exist.
 */
export async function nearestCatalogue(of: Surroundings): Promise<string> {
  const levels = await projectLevels(await realPathOrSelf(of.cwd), await realPathOrSelf(of.home));
  return levels.map((level) => projectCatalogue(of, level)).find((path) => existsSync(path)) ?? userCatalogue(of);
}
