import type { InstalledFolder } from './find-folders.js';
import type { InstalledOptions } from './installed-options.js';

/**
 * The folders in which the agents of this machine look for skills: those of projects from the working folder up to the
 * repository's root, of the user, of plugins, and of the machine. Only folders that exist; a folder that several agents
 * read is there once for each.
 *
 * @returns by agent in the order of `AGENTS`, and for each in the order in which it takes skills of the same name
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @example
 * const folders = await installedSkillFolders({ agents: ['claude-code', 'codex'] });
 */
export async function installedSkillFolders(options: InstalledOptions = {}): Promise<readonly InstalledFolder[]> {
  // Whoever only asks for the names of agents needs none of what finds folders.
  const { findFolders } = await import('./find-folders.js');
  return (await findFolders(options)).folders;
}
