export type { Surroundings, UserFolders } from '../../core/index.js';
export { surroundings, userFolders } from '../../core/index.js';
export type { AgentFolders, AgentProblem, InstalledOptions } from './agents.js';
export { AGENTS, type Agent, SHARED_AGENT, shownPath } from './agents.js';
export type { InstalledFolder } from './find-folders.js';
export {
  type InstalledReport,
  inspectInstalled,
  installedSkillFolders,
  type ReportedAgent,
  type ReportedFolder,
} from './inspect-installed.js';
export type { NameCollision, ReportedInstallation, ReportedSkill } from './inspect-skills.js';
