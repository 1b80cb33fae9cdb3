import type { Trial } from './trial.js';
import { ENEMY_FILES } from './trials/enemy-files.js';
import { LOADER_FUZZING } from './trials/loader-fuzzing.js';
import { WORDS_READ } from './trials/words-read.js';

/** Every trial, in the order in which they run. */
export const TRIALS: readonly Trial[] = [WORDS_READ, LOADER_FUZZING, ENEMY_FILES];
