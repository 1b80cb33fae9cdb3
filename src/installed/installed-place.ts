import { existsSync } from 'node:fs';
import { projectCatalogue, userCatalogue } from '../installed-catalogue.js';
import { projectLevels } from '../project-levels.js';
import { realPathOrSelf } from '../real-path-or-self.js';
import type { Surroundings } from '../user-folders.js';
import { findFolders } from './find-folders.js';

/** A catalogue of installed skills, and the folder from which they are looked for. */
export interface InstalledPlace {
  /** Absolute. */
  readonly database: string;
  readonly cwd: string;
}

/**
 * Where the skills that are installed in the working folder have their catalogue.
 *
 * A catalogue has what is seen from one folder, so that nobody prunes what somebody else sees elsewhere: the folder of
 * a project that has skills of its own and is nearest, or else the home folder. A folder that has a catalogue keeps it
 * when its skills go, or they would stay in there for good.
 */
export async function installedPlace(of: Surroundings): Promise<InstalledPlace> {
  const { home, cwd, env, platform } = of;
  const levels = await projectLevels(await realPathOrSelf(cwd), await realPathOrSelf(home));
  const { level: nearest } = await findFolders({ home, cwd, env, platform });
  const level = levels.find((one) => one === nearest || existsSync(projectCatalogue(of, one)));
  return level === undefined
    ? { database: userCatalogue(of), cwd: home }
    : { database: projectCatalogue(of, level), cwd: level };
}
