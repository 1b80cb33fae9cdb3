export type { Surroundings, UserFolders } from '../../core/index.js';
export { surroundings, userFolders } from '../../core/index.js';
export type { AgentProblem } from './agent-problem.js';
export { AGENTS, type Agent, SHARED_AGENT } from './agents.js';
export type { NameCollision } from './find-collisions.js';
export type { InstalledFolder } from './find-folders.js';
export {
  type InstalledReport,
  inspectInstalled,
  type ReportedAgent,
  type ReportedFolder,
} from './inspect-installed.js';
export type { ReportedInstallation, ReportedSkill } from './inspect-skills.js';
export type { AgentFolders, InstalledOptions } from './installed-options.js';
export { installedSkillFolders } from './installed-skill-folders.js';
export { shownPath } from './shown-path.js';
