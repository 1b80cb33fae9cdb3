import { isDamage, isKnownOutage } from '../core/index.js';
import { type DamagedSkill, type SkillSearch, SkillSearchError } from '../index.js';
import type { LogEvent } from './log-event.js';

/** What was logged of each search, so that a damaged skill is logged once and not with every answer. */
const logged = new WeakMap<SkillSearch, Set<string>>();

/** Most damaged skills that are logged, so that a file full of damage does not fill the log. */
const MOST_LOGGED = 1000;

/** Logs the skills that an answer lacks. The client sees a shorter page. */
export function logDamaged(
  damaged: readonly DamagedSkill[],
  search: SkillSearch,
  requestId: string,
  log: (event: LogEvent) => void,
): void {
  const known = logged.get(search) ?? new Set();
  logged.set(search, known);
  for (const { id = 'of which the id cannot be read', reason } of damaged) {
    const line = `the skill ${id}: ${reason}; load its source again`;
    if (known.has(line) || known.size >= MOST_LOGGED) continue;
    known.add(line);
    const error = new SkillSearchError('DATABASE_DAMAGED', line, { skill: id });
    log({ kind: 'failure', requestId, error });
  }
}

/**
 * Logs an error whose details its client does not see. A damaged skill is logged once, however often it is asked for,
 * and so is a database that does not answer, however many requests fail meanwhile.
 */
export function logFailure(
  error: unknown,
  search: SkillSearch,
  requestId: string,
  log: (event: LogEvent) => void,
): void {
  if (isDamage(error) && error.skill !== undefined) {
    const reason = 'what is stored of it is damaged, so it is not shown';
    logDamaged([{ id: error.skill, reason }], search, requestId, log);
  } else if (!isKnownOutage(error)) log({ kind: 'failure', requestId, error });
}
