import { SkillSearchError } from '../../core/index.js';

/** What helps against damage of what all copies are made from. */
const REMEDY = 'restore it from a backup, or load all sources into an empty database';

/**
 * The error of a shared catalogue that is damaged.
 *
 * @param shown the address of its database
 * @param problem what is wrong, as a sentence without a full stop
 */
export function sharedDamage(
  shown: string,
  problem: string,
  { skill, remedy = REMEDY }: { readonly skill?: string; readonly remedy?: string } = {},
): SkillSearchError {
  const facts = { path: shown, ...(skill === undefined ? {} : { skill }) };
  return new SkillSearchError('DATABASE_DAMAGED', `the catalogue in ${shown} is damaged: ${problem}; ${remedy}`, facts);
}
