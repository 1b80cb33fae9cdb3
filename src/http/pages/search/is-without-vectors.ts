import { SkillSearchError } from '../../../index.js';

/** Whether a search by vectors failed because the catalogue has none: that was meant, and nobody need look into it. */
export function isWithoutVectors(error: unknown): boolean {
  return error instanceof SkillSearchError && error.code === 'NO_VECTORS';
}
