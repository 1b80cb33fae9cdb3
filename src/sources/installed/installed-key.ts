import { resolve } from 'node:path';
import { surroundings } from '../../core/index.js';
import { AGENTS } from './agents.js';
import { checkInstalledOptions, type InstalledOptions } from './installed-options.js';

/**
 * A text that is the same where options lead to the same folders. Of the environment only what the paths of agents are
 * made of counts: each agent starts its servers with variables of its own.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function installedKey(options: InstalledOptions): string {
  const of = surroundings(checkInstalledOptions(options));
  const paths = AGENTS.map((agent) => [
    agent.ownFolder(of),
    agent.marks(of),
    agent.userFolders(of),
    agent.systemFolders(of),
  ]);
  return JSON.stringify([of.platform, resolve(of.home), resolve(of.cwd), options.agents, options.folders, paths]);
}
