import type { TermNumber } from '../../../core/index.js';
import { countingSort, isUnspacedTerm, stemOf } from '../../../core/index.js';
import { isAscii, type PackedStrings, pickStrings } from '../packed-strings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { sortByBytes } from './sort-strings.js';
import { TermTable } from './term-table.js';

/** Marks a term of a text without spaces: it has no stem. */
const NO_STEM = -1;

/**
 * The stems of a dictionary, and the terms of each.
 *
 * @param forms in the order of the terms' numbers
 */
export function packStems(forms: PackedStrings): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const table = new TermTable();
  const stemOfTerm = new Int32Array(forms.starts.length - 1);
  for (let term = 0; term < stemOfTerm.length; term++) stemOfTerm[term] = addStem(table, forms, term);

  const order = Uint32Array.from({ length: table.size }, (_, i) => i);
  sortByBytes(table.strings, order);
  const rankOf = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank;
  for (let term = 0; term < stemOfTerm.length; term++) {
    const stem = stemOfTerm[term]!;
    if (stem !== NO_STEM) stemOfTerm[term] = rankOf[stem]!;
  }
  const { starts, items } = countingSort(stemOfTerm, order.length);
  return { stems: pickStrings(table.strings, order), stemStarts: starts, stemTerms: items };
}

/** @returns the number of the term's stem in the table, or {@link NO_STEM} */
function addStem(table: TermTable, { bytes, starts }: PackedStrings, term: TermNumber): number {
  const [start, end] = [starts[term]!, starts[term + 1]!];
  if (isAscii(bytes, start, end) && !isEnglish(bytes, start, end)) return table.addBytes(bytes, start, end);
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end);
  return isUnspacedTerm(form) ? NO_STEM : table.add(stemOf(form));
}

/** Whether a form has only the letters `a` to `z` and is long enough to differ from its stem. */
function isEnglish(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let i = start; i < end; i++) if (bytes[i]! < 0x61 || bytes[i]! > 0x7a) return false;
  return true;
}
