export { type Surroundings, surroundings, type UserFolders, userFolders } from '../../core/index.js';
export {
  AGENTS,
  type Agent,
  type AgentFolders,
  type AgentProblem,
  type InstalledOptions,
  SHARED_AGENT,
  shownPath,
} from './agents.js';
export type { InstalledFolder } from './find-folders.js';
export {
  type InstalledReport,
  inspectInstalled,
  installedSkillFolders,
  type ReportedAgent,
  type ReportedFolder,
} from './inspect-installed.js';
export type { NameCollision, ReportedInstallation, ReportedSkill } from './inspect-skills.js';
