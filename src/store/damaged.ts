import { isDamage, SkillSearchError } from '../core/index.js';

/** What helps against damage, as the end of a message. */
const REMEDY = 'load its sources again; `skill-discovery check` lists what is damaged';

/** What helps where damage keeps a load or a check from going on: neither of them can mend it. */
export const NEW_FILE = 'load all sources into a new file';

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

/** The error of a catalogue that no load can mend. */
export function beyondRepair(path: string, problem: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('DATABASE_DAMAGED', `${path} is damaged: ${problem}; ${NEW_FILE}`, { path, cause });
}

/**
 * What {@link damagedError} says, as a load or a check says it: to load its sources or to check it is no remedy for
 * that. Returns any other error as it is.
 */
export function asBeyondRepair(error: unknown): unknown {
  if (!isDamage(error) || error.path === undefined) return error;
  return beyondRepair(error.path, problemIn(error), error.cause);
}

/** What is wrong, without the remedy. */
export function problemIn({ message, path }: SkillSearchError): string {
  const start = `${path} is damaged: `;
  const end = [REMEDY, NEW_FILE].find((remedy) => message.endsWith(`; ${remedy}`));
  if (!message.startsWith(start) || end === undefined) return message;
  return message.slice(start.length, -`; ${end}`.length);
}
