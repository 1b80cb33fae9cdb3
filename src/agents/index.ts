export { type DoctorReport, diagnose, forgetUse } from './doctor/diagnose.js';
export { SKILL_FORMATS, type SkillFormat, type SkillOrHit } from './formats/format-options.js';
export { answerPrompts } from './hook/fitting-skills.js';
export { HOOK_OPTIONS } from './hook/hook-options.js';
export { AGENT_HOSTS } from './init/agent-hosts.js';
export { CONFIG_FORMATS, type ConfigFormat, type JsonValue, type Place } from './init/config-formats.js';
export { InitRecord } from './init/init-record.js';
export type { EntryAction, PlannedEntry } from './init/plan-agent.js';
export {
  type CataloguePlan,
  type Dialogue,
  type InitPlan,
  type InitResult,
  type InitTask,
  runInit,
} from './init/run-init.js';
export { type InstalledSkill, type InstallOptions, installSkills } from './install/install-skills.js';
export { faultOfPaths, type HashedFile, hashOfFiles, readFolder } from './install/skill-files.js';
