import type { DocumentNumber } from '../../core/index.js';
import type { PostingList } from './posting-list.js';

/**
 * Number of documents in any of a few posting lists.
 *
 * @param among one bit a document: only documents whose bit is set count; all by default
 */
export function countDocuments(lists: readonly PostingList[], among?: Uint32Array): number {
  let count = 0;
  const [longest, ...others] = [...lists].sort((a, b) => b.size - a.size);
  if (longest === undefined) return 0;
  if (among === undefined) count = longest.size;
  else {
    const { documents } = longest;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      count += (among[document >>> 5]! >>> (document & 31)) & 1;
    }
  }
  for (const [i, list] of others.entries()) {
    const before = [longest, ...others.slice(0, i)];
    const least = before.map(({ from }) => from);
    const { documents } = list;
    for (let d = 0; d < documents.length; d++) {
      const document = documents[d]!;
      if (among !== undefined && ((among[document >>> 5]! >>> (document & 31)) & 1) === 0) continue;
      let isNew = true;
      for (let b = 0; b < before.length && isNew; b++) {
        const entry = before[b]!.entryOf(document, least[b]!);
        least[b] = entry;
        isNew = entry === before[b]!.to || before[b]!.documentAt(entry) !== document;
      }
      if (isNew) count += 1;
    }
  }
  return count;
}

/**
 * Some documents as a set of bits.
 *
 * @param size number of all documents
 */
export function bitsOf(documents: ArrayLike<DocumentNumber>, size: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    bits[document >>> 5] = bits[document >>> 5]! | (1 << (document & 31));
  }
  return bits;
}
