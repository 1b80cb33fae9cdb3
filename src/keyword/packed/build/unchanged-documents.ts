import { DROPPED } from './dropped.js';

/**
 * Which documents of a former state are as they were. Both states are in the same order, so what has stayed has stayed in
 * order, too.
 *
 * @param former two numbers of 32 bits a document, a hash of all that is in it
 * @param present the same of the present state
 * @returns by former document its present number, ascending; {@link DROPPED} where it is gone, or changed
 */
export function unchangedDocuments(former: Uint32Array, present: Uint32Array): Uint32Array {
  const size = former.length / 2;
  const documentOf = new Uint32Array(size).fill(DROPPED);
  // A hash table of former numbers + 1, with linear probing.
  const places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const mask = places.length - 1;
  for (let document = 0; document < size; document++) {
    let place = former[2 * document]! & mask;
    while (places[place] !== 0) place = (place + 1) & mask;
    places[place] = document + 1;
  }
  const find = (first: number, second: number): number => {
    for (let place = first & mask; places[place] !== 0; place = (place + 1) & mask) {
      const document = places[place]! - 1;
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
