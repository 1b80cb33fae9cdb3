import { countingSort, isUnspacedTerm } from '../../../core/index.js';
import { LETTER_GROUP_COUNT, letterGroupOf, lettersOf, lettersOfBytes } from '../letters.js';
import { isAscii, type PackedStrings } from '../packed-strings.js';
import type { PackedDictionary } from '../term-dictionary.js';

/** Length of a term of a text without spaces, which is in no group. */
const NO_LENGTH = -1;

/**
 * Groups the terms of a dictionary by length, then by letter group. See {@link PackedDictionary}.
 *
 * @param forms in the order of the terms' numbers
 */
export function packLetterGroups(forms: PackedStrings): Pick<PackedDictionary, 'byGroup' | 'letters' | 'groupStarts'> {
  const { bytes, starts } = forms;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const termCount = starts.length - 1;
  /** Length and letter group of each term as one key; negative for a term that is in no group. */
  const groupOfTerm = new Int32Array(termCount);
  const lettersOfTerm = new Uint32Array(termCount);
  let longest = 0;
  for (let term = 0; term < termCount; term++) {
    const [start, end] = [starts[term]!, starts[term + 1]!];
    let length = end - start;
    let letters: number;
    if (isAscii(bytes, start, end)) {
      letters = lettersOfBytes(bytes, start, end);
    } else {
      const form = text.toString('utf8', start, end);
      length = isUnspacedTerm(form) ? NO_LENGTH : form.length;
      letters = lettersOf(form);
    }
    lettersOfTerm[term] = letters;
    groupOfTerm[term] = length === NO_LENGTH ? -1 : length * LETTER_GROUP_COUNT + letterGroupOf(letters);
    longest = Math.max(longest, length);
  }
  const { starts: groupStarts, items: byGroup } = countingSort(groupOfTerm, (longest + 1) * LETTER_GROUP_COUNT);
  return { byGroup, letters: byGroup.map((term) => lettersOfTerm[term]!), groupStarts };
}
