export type { Surroundings, UserFolders } from '../user-folders.js';
export { surroundings, userFolders } from '../user-folders.js';
export { AGENTS, type Agent, SHARED_AGENT } from './agents.js';
export type { InstalledFolder } from './find-folders.js';
export type { AgentFolders, InstalledOptions } from './installed-options.js';
export { installedSkillFolders } from './installed-skill-folders.js';
