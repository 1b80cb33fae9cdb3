import type { KeywordSegment } from '../keyword-segment.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { DROPPED } from './dropped.js';
import { mergeKeywords } from './merge-keywords.js';

/**
 * Merges segments into one, without the documents that are gone. The result equals that of collecting the documents
 * that are left at once. All arrays of the segments must have been read.
 *
 * @param size number of documents that are left
 */
export function mergeSegments(
  size: number,
  segments: readonly Pick<KeywordSegment, 'keywords' | 'numbers'>[],
): PackedKeywords {
  const parts = segments.map(({ keywords, numbers }) => ({ keywords, documentOf: numbers }));
  return { ...mergeKeywords(size, parts), contentHashes: mergeContentHashes(size, segments) };
}

/** Empty if they are not known for a segment. */
function mergeContentHashes(
  size: number,
  segments: readonly Pick<KeywordSegment, 'keywords' | 'numbers'>[],
): Uint32Array {
  if (segments.some(({ keywords }) => keywords.contentHashes.length !== 2 * keywords.size)) return new Uint32Array();
  const merged = new Uint32Array(2 * size);
  for (const { keywords, numbers } of segments) {
    for (let former = 0; former < numbers.length; former++) {
      const document = numbers[former]!;
      if (document === DROPPED) continue;
      merged.set(keywords.contentHashes.subarray(2 * former, 2 * former + 2), 2 * document);
    }
  }
  return merged;
}
