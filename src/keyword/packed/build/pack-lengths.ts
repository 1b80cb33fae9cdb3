import { SCORED_FIELDS } from '../../../result.js';
import type { PackedKeywords } from '../packed-keywords.js';

/**
 * Computes the sums and maxima of lengths.
 *
 * @param lengths by scored field, then by document
 */
export function packLengths(
  lengths: Uint32Array,
): Pick<PackedKeywords, 'lengths' | 'totalLengths' | 'greatestLengths'> {
  const size = lengths.length / SCORED_FIELDS.length;
  const totalLengths = new Float64Array(SCORED_FIELDS.length);
  const greatestLengths = new Uint32Array(SCORED_FIELDS.length);
  for (let field = 0; field < SCORED_FIELDS.length; field++) {
    let [total, greatest] = [0, 0];
    for (let i = field * size; i < (field + 1) * size; i++) {
      const length = lengths[i]!;
      total += length;
      if (length > greatest) greatest = length;
    }
    totalLengths[field] = total;
    greatestLengths[field] = greatest;
  }
  return { lengths, totalLengths, greatestLengths };
}
