import { endianness } from 'node:os';
import type { PackedKeywords } from './packed-keywords.js';

/** 32 bits of the key of a name: FNV-1a of its UTF-16 units (G. Fowler, L. C. Noll, K.-P. Vo). */
export function hashOfName(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];

/** @param hashes those of the documents' names */
export function packNames(hashes: Uint32Array): Pick<PackedKeywords, 'nameHashes' | 'nameDocuments'> {
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
  };
}
