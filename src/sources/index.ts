export { stateText } from './folder/read-file.js';
export { SKILL_FOLDER } from './folder/skill-folder.js';
export { checkInstalledOptions, installedKey } from './installed/agents.js';
export { type FoundFolders, findFolders } from './installed/find-folders.js';
export {
  AGENTS,
  type InstalledOptions,
  type InstalledReport,
  inspectInstalled,
  type NameCollision,
  type ReportedAgent,
  SHARED_AGENT,
  type Surroundings,
  shownPath,
  surroundings,
  userFolders,
} from './installed/index.js';
export { checkSource, readSource } from './open-source.js';
export { checkRow } from './rows/check-row.js';
export * from './rows/row.js';
export { deriveId, idWithHash } from './rows/skill-id.js';
export { isSkillFile, partByName, pathInside } from './rows/texts.js';
