import type { Trial } from './trial.js';
import { DAMAGE } from './trials/damage.js';
import { ENEMY_FILES } from './trials/enemy-files.js';
import { WORDS_READ } from './trials/words-read.js';

/** Every trial, in the order in which they run. */
export const TRIALS: readonly Trial[] = [WORDS_READ, DAMAGE, ENEMY_FILES];
