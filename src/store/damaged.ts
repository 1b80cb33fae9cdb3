import { SkillSearchError } from '../errors.js';

/** What helps against damage, as the end of a message. */
export const REMEDY = 'load its sources again; `skill-discovery check` lists what is damaged';

/**
 * The error of a catalogue that is damaged.
 *
 * @param problem what is wrong, as a sentence without a full stop
 * @param skill id of the skill at fault, if it is known
 */
export function damagedError(path: string, problem: string, skill?: string, cause?: unknown): SkillSearchError {
  const facts = { path, ...(skill === undefined ? {} : { skill }), cause };
  return new SkillSearchError('DATABASE_DAMAGED', `${path} is damaged: ${problem}; ${REMEDY}`, facts);
}

/** Whether an error says that what is stored is damaged. */
export function isDamage(error: unknown): error is SkillSearchError {
  return error instanceof SkillSearchError && error.code === 'DATABASE_DAMAGED';
}
