import type { Trial } from './trial.js';
import { DISK_FULL } from './trials/disk-full.js';
import { ENEMY_FILES } from './trials/enemy-files.js';
import { LOAD_KILLS } from './trials/load-kills.js';
import { POWER_CUT } from './trials/power-cut.js';
import { RELOAD } from './trials/reload.js';
import { WORDS_READ } from './trials/words-read.js';

/** Every trial, in the order in which they run. */
export const TRIALS: readonly Trial[] = [WORDS_READ, ENEMY_FILES, LOAD_KILLS, POWER_CUT, DISK_FULL, RELOAD];
