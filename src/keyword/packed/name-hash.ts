import { endianness } from 'node:os';
import type { PackedKeywords } from './packed-keywords.js';

/** 32 bits of the key of a name: FNV-1a of its UTF-16 units (G. Fowler, L. C. Noll, K.-P. Vo). */
export function hashOfName(key: string): number {
  return fnv(key, 0x811c9dc5);
}

/** 32 bits more, from another beginning, over the units from the last to the first. */
export function checkOfName(key: string): number {
  return fnv([...key].reverse().join(''), 0x5bd1e995);
}

function fnv(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];

/**
 * @param hashes those of the documents' names
 * @param nameChecks the other hashes of the same
 */
export function packNames(
  hashes: Uint32Array,
  nameChecks: Uint32Array,
): Pick<PackedKeywords, 'nameHashes' | 'nameDocuments' | 'nameChecks'> {
  // Hash and document as one number of 64 bits: sorting these needs no function that compares.
  const pairs = new BigUint64Array(hashes.length);
  const halves = new Uint32Array(pairs.buffer);
  for (let document = 0; document < hashes.length; document++) {
    halves[2 * document + HIGH] = hashes[document] as number;
    halves[2 * document + LOW] = document;
  }
  pairs.sort();
  return {
    nameHashes: hashes.map((_, i) => halves[2 * i + HIGH] as number),
    nameDocuments: hashes.map((_, i) => halves[2 * i + LOW] as number),
    nameChecks,
  };
}
