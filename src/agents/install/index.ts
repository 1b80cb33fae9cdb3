export {
  type InstalledSkill,
  type InstallOptions,
  type InstallReport,
  installSkills,
  type LockChoice,
} from './install-skills.js';
export type { LockForm } from './lock-file.js';
