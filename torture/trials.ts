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
import { MANIPULATION } from './trials/manipulation.js';
import { POWER_CUT } from './trials/power-cut.js';
import { RELOAD } from './trials/reload.js';
import { SHARED_LOADS } from './trials/shared-loads.js';
import { SHUTDOWN } from './trials/shutdown.js';

/** Every trial, in the order in which they run. */
export const TRIALS: readonly Trial[] = [
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
  SHARED_LOADS,
  SHUTDOWN,
  MANIPULATION,
  ...ATTACK_TRIALS,
  STANDARD_INPUT,
];
