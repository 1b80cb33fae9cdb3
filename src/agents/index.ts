export { SKILL_FORMATS, type SkillFormat, type SkillOrHit } from './formats/format-options.js';
export { answerPrompts } from './hook/answer-prompts.js';
export { HOOK_OPTIONS } from './hook/hook-options.js';
export {
  type AgentPlan,
  type CataloguePlan,
  type Dialogue,
  type EntryAction,
  type InitPlan,
  InitRecord,
  type InitResult,
  type PlannedEntry,
  runInit,
  type ShownEdit,
  userCatalogue,
} from './init/index.js';
export { type InstalledSkill, installSkills, type LockChoice } from './install/index.js';
export { faultOfPaths } from './install/installable-skill.js';
export { hashOfFiles } from './install/lock-file.js';
