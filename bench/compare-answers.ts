import type { Answer } from './engine.js';

/**
 * Whether a peer gave the same answer as we: the same exact total, and on the page the same skills in the same order.
 */
function isSameAnswer(ours: Answer, theirs: Answer): boolean {
  if (ours.total !== theirs.total || ours.ids.length !== theirs.ids.length) return false;
  return ours.ids.every((id, i) => id === theirs.ids[i]);
}

/** The questions, by their place in the class, that both answered the same. */
export function sameQuestions(ours: readonly Answer[], theirs: readonly Answer[]): number[] {
  return [...theirs.keys()].filter((i) => isSameAnswer(ours[i] as Answer, theirs[i] as Answer));
}

/** Why a peer is not compared where it answers otherwise, as far as one can tell from the answers. */
export function differenceOf(ours: readonly Answer[], theirs: readonly Answer[]): string {
  if (theirs.length === 0) return 'cannot be asked';
  const pairs = theirs.map((answer, i) => [ours[i] as Answer, answer] as const);
  const same = pairs.filter(([a, b]) => isSameAnswer(a, b)).length;
  const sameTotal = pairs.filter(([a, b]) => a.total === b.total).length;
  if (same === pairs.length) return '';
  if (sameTotal === pairs.length) return `${same} of ${pairs.length} in the same order`;
  return `${same} of ${pairs.length} the same, ${sameTotal} of the same total`;
}
