import { MAX_LOGGED_UNPUBLISHED } from '../limits.js';
import type { UnpublishedListener } from './skills/published-skills.js';

/** Says of each skill once why it is not published, up to a number of skills. */
export function unpublishedLog(
  log: (message: string, facts: Readonly<Record<string, unknown>>) => void,
): UnpublishedListener {
  const told = new Set<string>();
  return (skill, reason) => {
    if (told.has(skill) || told.size > MAX_LOGGED_UNPUBLISHED) return;
    told.add(skill);
    if (told.size > MAX_LOGGED_UNPUBLISHED) log('further skills are found but not published; they are not named', {});
    else log('found but not published', { skill, reason });
  };
}
