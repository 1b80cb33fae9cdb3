import { SCORED_FIELDS } from '../../result.js';
import { LengthNorms } from '../bm25.js';
import { GONE, type KeywordSegment } from '../packed-keywords.js';

/**
 * The length norms of the documents of several segments, without those that are gone.
 *
 * @param size number of documents of the whole
 * @returns by scored field
 */
export function segmentedNorms(size: number, segments: readonly KeywordSegment[]): LengthNorms[] {
  for (const { keywords, pager } of segments) pager.need(keywords.lengths);
  return SCORED_FIELDS.map((_, field) => {
    const lengths = new Uint32Array(size);
    let [total, greatest] = [0, 0];
    for (const { keywords, numbers } of segments) {
      const from = field * keywords.size;
      for (let i = 0; i < numbers.length; i++) {
        const document = numbers[i]!;
        if (document === GONE) continue;
        const length = keywords.lengths[from + i]!;
        lengths[document] = length;
        total += length;
        if (length > greatest) greatest = length;
      }
    }
    return new LengthNorms(lengths, total, greatest);
  });
}
