import type { SortOrder } from '../src/index.js';
import type { Answer } from './engine.js';

/**
 * Whether a peer gave the same answer as we: the same exact total, and on the page the same skills. By date and by
 * stars in the same order as well; by relevance all score in ways of their own, and whoever reads the same records has
 * done the same work.
 */
function isSameAnswer(ours: Answer, theirs: Answer, sortBy: SortOrder): boolean {
  if (ours.total !== theirs.total || ours.ids.length !== theirs.ids.length) return false;
  if (sortBy !== 'relevance') return ours.ids.every((id, i) => id === theirs.ids[i]);
  const ids = new Set(ours.ids);
  return theirs.ids.every((id) => ids.has(id));
}

/** The questions, by their place in the class, that both answered the same. */
export function sameQuestions(ours: readonly Answer[], theirs: readonly Answer[], sortBy: SortOrder): number[] {
  const both = Math.min(ours.length, theirs.length);
  return Array.from({ length: both }, (_, i) => i).filter((i) =>
    isSameAnswer(ours[i] as Answer, theirs[i] as Answer, sortBy),
  );
}
