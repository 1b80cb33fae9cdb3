import { SkillSearchError } from '../../core/index.js';

/** How long a busy database is asked again where there is no copy yet, in milliseconds. */
const LONGEST_START = 30_000;

/**
 * Whether a first look that failed may succeed soon: the database was found, and is busy, as when many servers start at
 * the same moment.
 *
 * @param began when the first look began, by `performance.now()`
 */
export function isWorthAnotherTry(error: unknown, began: number): boolean {
  const isBusy = error instanceof SkillSearchError && error.code === 'SERVICE_UNAVAILABLE';
  return isBusy && performance.now() - began < LONGEST_START;
}
