import { Members } from '../arrays/members.js';
import type { Comparator } from '../arrays/top.js';

/** What is left of a list of documents when one stands for all its copies. */
export interface Collapsed {
  readonly numbers: Uint32Array;
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
  const keptOf = spaceOf(groupOf);
  const counts = new Map<number, number>();
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    const group = groupOf[number]!;
    const other = keptOf[group]! - 1;
    if (other === -1) {
      keptOf[group] = number + 1;
      continue;
    }
    const count = (counts.get(other) ?? 1) + 1;
    const winner = preference(number, other) < 0 ? number : other;
    counts.delete(other);
    counts.set(winner, count);
    keptOf[group] = winner + 1;
  }
  const kept = new Uint32Array(numbers.length);
  let count = 0;
  for (let i = 0; i < numbers.length; i++) {
    const group = groupOf[numbers[i]!]!;
    if (keptOf[group] === 0) continue;
    kept[count++] = keptOf[group]! - 1;
    keptOf[group] = 0;
  }
  return { numbers: kept.subarray(0, count), counts };
}

/**
 * All documents of the groups of some.
 *
 * @param groupOf group of each document number, named by one of its documents; it must not change
 */
export function allCopiesOf(numbers: readonly number[], groupOf: Uint32Array): number[] {
  let members = membersByGroups.get(groupOf);
  if (members === undefined) {
    members = new Members(groupOf, groupOf.length);
    membersByGroups.set(groupOf, members);
  }
  const groups = new Set(numbers.map((number) => groupOf[number]!));
  return [...groups].flatMap((group) => [...(members as Members).of(group)]);
}

/** By the groups of a catalogue, which stay as they are: made when copies are first looked for. */
const membersByGroups = new WeakMap<Uint32Array, Members>();

/** By group the document that is kept so far, plus one; all 0 between two calls. */
const spaces = new WeakMap<ArrayLike<number>, Int32Array>();

function spaceOf(groupOf: ArrayLike<number>): Int32Array {
  let space = spaces.get(groupOf);
  if (space === undefined) {
    // Groups are named by one of their documents.
    space = new Int32Array(groupOf.length);
    spaces.set(groupOf, space);
  }
  return space;
}
