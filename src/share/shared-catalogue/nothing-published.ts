import { SkillSearchError } from '../../core/index.js';

/**
 * The error of a database without a catalogue.
 *
 * @param shown its address
 */
export function nothingPublished(shown: string): SkillSearchError {
  const message = `${shown} holds no catalogue yet: load sources into it first`;
  return new SkillSearchError('DATABASE_NOT_FOUND', message, { path: shown });
}
