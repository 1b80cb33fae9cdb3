import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isInside, makeFolder, SkillSearchError } from '../../core/index.js';

/**
 * The real path of the folder that skills are installed in, which is made where it is missing.
 *
 * @param within a folder that the way there must not leave by a link: what is in a project is written by strangers
 * @throws {SkillSearchError} `INSTALL_REFUSED`
 */
export async function targetFolder(to: string, within: string | undefined): Promise<string> {
  const path = resolve(to);
  try {
    if (within !== undefined) {
      const existing = await deepestExisting(path);
      if (!isInside(existing, await realpath(within))) {
        const message = `${JSON.stringify(path)} leads out of ${JSON.stringify(within)} by a link, to ${JSON.stringify(existing)}`;
        throw new SkillSearchError('INSTALL_REFUSED', message, { path });
      }
    }
    makeFolder(path, { code: 'INSTALL_REFUSED' });
    return await realpath(path);
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const message = `the folder ${JSON.stringify(path)} cannot be made: ${(cause as Error).message}`;
    throw new SkillSearchError('INSTALL_REFUSED', message, { path, cause });
  }
}

/** The real path of the nearest folder above, or of the folder itself. */
async function deepestExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  return deepestExisting(dirname(path));
}
