import { type ErrorCode, SkillSearchError } from '../core/index.js';
import { ToolFault } from './tools/tool.js';

/** What the caller may do after an error of the library. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  MISSING_QUERY: 'Give a query of some words.',
  INVALID_QUERY: 'Correct the query and call again.',
  INVALID_PARAMETER: 'Correct the argument and call again.',
  BUSY: 'Call again in a few seconds.',
  RATE_LIMIT_EXCEEDED: 'Wait that long, then call again.',
  DAILY_QUOTA_EXCEEDED: 'Tell the user: an API key of this server, or one with a larger quota, may search more.',
  SERVICE_UNAVAILABLE: 'Call again in a few seconds.',
  DATABASE_NOT_FOUND: 'The user has to load a catalogue: skill-discovery load. Then call again; no restart is needed.',
  DATABASE_NOT_READABLE: 'The user has to look at the file. Then call again; no restart is needed.',
  DATABASE_DAMAGED: 'The user has to load the sources again: skill-discovery check says what is damaged.',
  NOT_A_CATALOGUE: 'The user has to name the file of a catalogue.',
  UNSUPPORTED_FORMAT: 'The user has to load the sources again with this version.',
};

/** The text of a tool error: what is wrong, and what to do next. */
export function toolErrorText(error: unknown): string {
  if (error instanceof ToolFault) return error.message;
  if (!(error instanceof SkillSearchError))
    return 'The server failed unexpectedly. Its log says more; call again, or tell the user.';
  const advice = ADVICE[error.code] ?? 'Tell the user.';
  return `${error.message}${/[.!?]$/.test(error.message) ? '' : '.'} ${advice}`;
}

/** Whether the caller is not told what is behind an error, so that it belongs into the log. */
export function isUnexpected(error: unknown): boolean {
  return !(error instanceof ToolFault || error instanceof SkillSearchError);
}
