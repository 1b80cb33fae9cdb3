import type { Comparator } from './top.js';

/** What is left of a list of documents when one stands for all its copies. */
export interface Collapsed {
  readonly numbers: readonly number[];
  /** How many documents of the list a kept one stands for; only where that is more than one. */
  readonly counts: ReadonlyMap<number, number>;
}

/**
 * Keeps one document of each group of copies.
 *
 * @param groupOf group of each document number; documents of one group are copies of each other
 * @param preference which of a group is kept: the first in this order
 */
export function collapseCopies(
  numbers: ArrayLike<number>,
  groupOf: ArrayLike<number>,
  preference: Comparator,
): Collapsed {
  const kept = new Map<number, number>();
  const counts = new Map<number, number>();
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    const group = groupOf[number] as number;
    const other = kept.get(group);
    if (other === undefined) {
      kept.set(group, number);
      continue;
    }
    const count = (counts.get(other) ?? 1) + 1;
    const winner = preference(number, other) < 0 ? number : other;
    counts.delete(other);
    counts.set(winner, count);
    kept.set(group, winner);
  }
  return { numbers: [...kept.values()], counts };
}
