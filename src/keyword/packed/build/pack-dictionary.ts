import { foldAccents } from '../../../core/index.js';
import { compareBytes, isAscii, type PackedStrings, pickStrings } from '../packed-strings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { packLetterGroups } from './pack-letter-groups.js';
import { packStems } from './pack-stems.js';
import { sortByBytes } from './sort-strings.js';

/**
 * Builds a dictionary.
 *
 * @param terms each once, in any order
 * @returns the dictionary, and by index in `terms` the number of each term in it
 */
export function packDictionary(terms: PackedStrings): { dictionary: PackedDictionary; numberOf: Uint32Array } {
  const { forms, accented } = formsOf(terms);
  const order = Uint32Array.from({ length: terms.starts.length - 1 }, (_, i) => i);
  sortByBytes(forms, order);
  sortEqualForms(terms, forms, order);
  const numberOf = new Uint32Array(order.length);
  for (let term = 0; term < order.length; term++) numberOf[order[term]!] = term;

  const sortedForms = pickStrings(forms, order);
  const accentedNumbers = Uint32Array.from(accented, (i) => numberOf[i]!).sort();
  const dictionary = {
    forms: sortedForms,
    accented: pickStrings(
      terms,
      accentedNumbers.map((term) => order[term]!),
    ),
    accentedNumbers,
    ...packStems(sortedForms),
    ...packLetterGroups(sortedForms),
  };
  return { dictionary, numberOf };
}

/** The form of each term, and the indexes of the terms that differ from their form. */
function formsOf(terms: PackedStrings): { forms: PackedStrings; accented: number[] } {
  const { bytes, starts } = terms;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const accented: number[] = [];
  const accentedForms: Buffer[] = [];
  let length = starts.at(-1)!;
  for (let i = 0; i + 1 < starts.length; i++) {
    const [start, end] = [starts[i]!, starts[i + 1]!];
    if (isAscii(bytes, start, end)) continue;
    const term = text.toString('utf8', start, end);
    const form = foldAccents(term);
    if (form === term) continue;
    const formBytes = Buffer.from(form);
    accented.push(i);
    accentedForms.push(formBytes);
    length += formBytes.length - (end - start);
  }
  if (accented.length === 0) return { forms: terms, accented };
  const formBytes = new Uint8Array(length);
  const formStarts = new Uint32Array(starts.length);
  let [from, at] = [0, 0];
  // The bytes between two accented terms stay as they are.
  const copyUpTo = (to: number): void => {
    const shift = at - starts[from]!;
    formBytes.set(bytes.subarray(starts[from], starts[to]), at);
    for (let i = from; i <= to; i++) formStarts[i] = starts[i]! + shift;
    at = formStarts[to]!;
  };
  for (const [n, i] of accented.entries()) {
    copyUpTo(i);
    const form = accentedForms[n]!;
    formBytes.set(form, at);
    at += form.length;
    formStarts[i + 1] = at;
    from = i + 1;
  }
  copyUpTo(starts.length - 1);
  return { forms: { bytes: formBytes, starts: formStarts }, accented };
}

/** Sorts terms of the same form by their own bytes. */
function sortEqualForms(terms: PackedStrings, forms: PackedStrings, order: Uint32Array): void {
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && compareBytes(forms, order[from]!, forms, order[to]!) === 0) to += 1;
    if (to - from > 1) sortByBytes(terms, order.subarray(from, to));
    from = to;
  }
}
