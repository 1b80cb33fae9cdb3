import { STANDARD_INPUT } from './attacks/attack-standard-input.js';
import { ATTACK_TRIALS } from './attacks/run-attack.js';
import type { Trial } from './trial.js';
import { CHANGE_KILLS } from './trials/change-kills.js';
import { DAMAGE } from './trials/damage.js';
import { DISK_FULL } from './trials/disk-full.js';
import { ENEMY_FILES } from './trials/enemy-files.js';
import { HOSTILE_SOURCES } from './trials/hostile-sources.js';
import { LOAD_KILLS } from './trials/load-kills.js';
import { LOADER_FUZZING } from './trials/loader-fuzzing.js';
import { LYING_SNAPSHOTS } from './trials/lying-snapshots.js';
import { MCP_READS } from './trials/mcp-reads.js';
import { POWER_CUT } from './trials/power-cut.js';
import { QUOTA_RACES } from './trials/quota-races.js';
import { RELOAD } from './trials/reload.js';
import { SHARED_LOADS } from './trials/shared-loads.js';
import { SHUTDOWN } from './trials/shutdown.js';
import { SLOWEST_QUESTION } from './trials/slowest-question.js';
import { SOAK } from './trials/soak.js';

/** Every trial, in the order in which they run. */
export const TRIALS: readonly Trial[] = [
  SLOWEST_QUESTION,
  LOADER_FUZZING,
  DAMAGE,
  HOSTILE_SOURCES,
  ENEMY_FILES,
  LYING_SNAPSHOTS,
  LOAD_KILLS,
  CHANGE_KILLS,
  POWER_CUT,
  DISK_FULL,
  RELOAD,
  SOAK,
  QUOTA_RACES,
  MCP_READS,
  SHARED_LOADS,
  SHUTDOWN,
  ...ATTACK_TRIALS,
  STANDARD_INPUT,
];
