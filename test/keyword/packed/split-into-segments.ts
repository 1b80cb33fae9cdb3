import { ALL_IN_MEMORY } from '../../../src/core/index.js';
import { collectKeywords } from '../../../src/keyword/build/collect-keywords.js';
import type { KeywordDocument } from '../../../src/keyword/keyword-index.js';
import { GONE, type KeywordSegment } from '../../../src/keyword/packed-keywords.js';
import { sourceOf } from '../arbitrary-catalogue.js';

/** Where each document of a catalogue goes, and what is gone around it. */
export interface Split {
  /** Number of segments, at least 1. */
  readonly count: number;
  /** By document: the segment it is in. Counts anew from the end, and past the last segment. */
  readonly owners: readonly number[];
  /** By document: a document that was before it in the segment and is gone; undefined if there was none. */
  readonly gone: readonly (KeywordDocument | undefined)[];
}

/** Splits a catalogue into segments. Each also has some documents that are gone. */
export function splitIntoSegments(documents: readonly KeywordDocument[], split: Split): KeywordSegment[] {
  const { count, owners, gone } = split;
  const parts = Array.from({ length: count }, () => ({ documents: [] as KeywordDocument[], numbers: [] as number[] }));
  for (const [number, document] of documents.entries()) {
    const part = parts[(owners[number % owners.length] ?? 0) % count]!;
    const before = gone[number % gone.length];
    if (before !== undefined) {
      part.documents.push(before);
      part.numbers.push(GONE);
    }
    part.documents.push(document);
    part.numbers.push(number);
  }
  // The last of a segment may be gone, too, and all of them.
  const last = gone.findLast((one) => one !== undefined);
  if (last !== undefined) {
    parts[0]!.documents.push(last);
    parts[0]!.numbers.push(GONE);
  }
  return parts.map((part) => ({
    keywords: collectKeywords(sourceOf(part.documents)),
    pager: ALL_IN_MEMORY,
    numbers: Uint32Array.from(part.numbers),
  }));
}
