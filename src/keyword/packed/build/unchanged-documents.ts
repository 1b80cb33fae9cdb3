import type { DocumentNumber } from '../../../core/index.js';
import { DROPPED } from './dropped.js';

/**
 * Slots that are looked at for one document. With hashes of real contents a dozen is many. A file that was made up may
 * have a hash as often as there are documents: without an end, each would be compared with all.
 */
const MOST_PROBES = 1000;

/**
 * Finds the documents of a former state that have not changed. Documents are sorted in the same way in both states, so
 * nearly always the unchanged ones are in the same order. One that is not counts as changed.
 *
 * @param former a hash of the content of each document of the former state: two 32-bit numbers
 * @param present the same of the present state
 * @returns the present number of each former document, ascending; {@link DROPPED} if it is gone or changed
 */
export function unchangedDocuments(former: Uint32Array, present: Uint32Array): Uint32Array {
  const size = former.length / 2;
  const documentOf = new Uint32Array(size).fill(DROPPED);
  // A hash table with linear probing: in each slot the former number + 1, or 0 if it is free.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const mask = slots.length - 1;
  for (let document = 0; document < size; document++) {
    let slot = former[2 * document]! & mask;
    let left = MOST_PROBES;
    while (slots[slot] !== 0 && --left > 0) slot = (slot + 1) & mask;
    if (left > 0) slots[slot] = document + 1;
  }
  const find = (first: number, second: number): DocumentNumber => {
    let left = MOST_PROBES;
    for (let slot = first & mask; slots[slot] !== 0 && left > 0; slot = (slot + 1) & mask, left--) {
      const document = slots[slot]! - 1;
      if (former[2 * document] === first && former[2 * document + 1] === second) return document;
    }
    return -1;
  };
  let last = -1;
  for (let document = 0; 2 * document < present.length; document++) {
    const before = find(present[2 * document]!, present[2 * document + 1]!);
    if (before <= last) continue;
    documentOf[before] = document;
    last = before;
  }
  return documentOf;
}
