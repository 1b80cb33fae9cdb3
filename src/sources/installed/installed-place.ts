import { existsSync } from 'node:fs';
import type { Surroundings } from '../../core/index.js';
import { projectCatalogue, projectLevels, realPathOrSelf, userCatalogue } from '../../core/index.js';
import { FolderFinder, type FoundFolders } from './find-folders.js';

/** A catalogue of installed skills, and the folder from which they are looked for. */
export interface InstalledPlace {
  /** Absolute. */
  readonly database: string;
  readonly cwd: string;
  /** The folders with skills that are seen from there. */
  readonly found: FoundFolders;
}

/**
 * Where the skills that are installed in the working folder have their catalogue.
 *
 * A catalogue has what is seen from one folder, so that nobody prunes what somebody else sees elsewhere: the folder of
 * a project that has skills of its own and is nearest, or else the home folder. A folder that has a catalogue keeps it
 * when its skills go, or they would stay in there for good.
 *
 * @param agents whose folders are found; they do not decide where the catalogue is. Undefined: all on this machine
 */
export async function installedPlace(of: Surroundings, agents?: readonly string[]): Promise<InstalledPlace> {
  const { home, cwd } = of;
  const levels = await projectLevels(await realPathOrSelf(cwd), await realPathOrSelf(home));
  const finder = new FolderFinder(of);
  const { level: nearest } = await finder.find(cwd);
  const level = levels.find((one) => one === nearest || existsSync(projectCatalogue(of, one)));
  const place =
    level === undefined
      ? { database: userCatalogue(of), cwd: home }
      : { database: projectCatalogue(of, level), cwd: level };
  return { ...place, found: await finder.find(place.cwd, agents) };
}
