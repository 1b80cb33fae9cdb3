export { stateText } from './folder/file-state.js';
export { readAhead } from './folder/read-ahead.js';
export { SKILL_FOLDER } from './folder/skill-folder.js';
export { pathInside } from './folder/source-paths.js';
export { type FoundFolders, findFolders } from './installed/find-folders.js';
export {
  AGENTS,
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
export { installedKey } from './installed/installed-key.js';
export type { InstalledOptions } from './installed/installed-options.js';
export { checkSource, readSource } from './open-source.js';
export { checkRow } from './rows/check-row.js';
export { isSkillFile, partByName } from './rows/content-name.js';
export type { ReadOptions } from './rows/read-options.js';
export { readRows } from './rows/read-rows.js';
export type { KnownRow, Origin, RawRow, RowFolder, SourceItem, SourceRemark, UnreadableRow } from './rows/row.js';
export { deriveId, idWithHash } from './rows/skill-id.js';
export type { ResolvedSource } from './rows/source-kind.js';
