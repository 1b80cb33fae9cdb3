import type { Comparator } from '../../core/index.js';

/** The first few of the numbers from `from` up to `to` in an order. */
export function firstOf(from: number, to: number, compare: Comparator, limit: number): number[] {
  const first: number[] = [];
  for (let i = from; i < to; i++) {
    if (first.length === limit && compare(i, first[limit - 1]!) > 0) continue;
    let at = first.length === limit ? limit - 1 : first.length;
    for (; at > 0 && compare(i, first[at - 1]!) < 0; at--) first[at] = first[at - 1]!;
    first[at] = i;
  }
  return first;
}
