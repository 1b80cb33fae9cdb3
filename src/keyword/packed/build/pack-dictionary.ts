import { foldAccents, isUnspacedTerm } from '../../../text/characters.js';
import { stemOf } from '../../../text/stem.js';
import { GROUPS, groupOf, lettersOf, lettersOfBytes } from '../letters.js';
import { compareBytes, isAscii, pickStrings } from '../packed-strings.js';
import type { PackedStrings } from '../string-table.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { sortByBytes } from './sort-strings.js';
import { TermTable } from './term-table.js';

/**
 * @param terms each once, in any order
 * @returns the dictionary, and the numbers that the terms got
 */
export function packDictionary(terms: PackedStrings): { dictionary: PackedDictionary; numberOf: Uint32Array } {
  const { forms, accented } = formsOf(terms);
  const order = Uint32Array.from({ length: terms.starts.length - 1 }, (_, i) => i);
  sortByBytes(forms, order);
  sortSameForms(terms, forms, order);
  const numberOf = new Uint32Array(order.length);
  for (let number = 0; number < order.length; number++) numberOf[order[number]!] = number;

  const sortedForms = pickStrings(forms, order);
  const accentedNumbers = Uint32Array.from(accented, (i) => numberOf[i]!).sort();
  const dictionary = {
    forms: sortedForms,
    accented: pickStrings(
      terms,
      accentedNumbers.map((number) => order[number]!),
    ),
    accentedNumbers,
    ...packStems(sortedForms),
    ...packGroups(sortedForms),
  };
  return { dictionary, numberOf };
}

/** The form of each term, and which terms differ from theirs. */
function formsOf(terms: PackedStrings): { forms: PackedStrings; accented: number[] } {
  const { bytes, starts } = terms;
  const text = bufferOf(bytes);
  const accented: number[] = [];
  const others: Buffer[] = [];
  let length = starts.at(-1) as number;
  for (let i = 0; i + 1 < starts.length; i++) {
    const [start, end] = [starts[i]!, starts[i + 1]!];
    if (isAscii(bytes, start, end)) continue;
    const term = text.toString('utf8', start, end);
    const form = foldAccents(term);
    if (form === term) continue;
    const other = Buffer.from(form);
    accented.push(i);
    others.push(other);
    length += other.length - (end - start);
  }
  if (accented.length === 0) return { forms: terms, accented };
  const formBytes = new Uint8Array(length);
  const formStarts = new Uint32Array(starts.length);
  let [from, at] = [0, 0];
  // Between two accented terms all bytes stay as they are.
  const copyUpTo = (to: number): void => {
    const shift = at - starts[from]!;
    formBytes.set(bytes.subarray(starts[from], starts[to]), at);
    for (let i = from; i <= to; i++) formStarts[i] = starts[i]! + shift;
    at = formStarts[to]!;
  };
  for (const [n, i] of accented.entries()) {
    copyUpTo(i);
    formBytes.set(others[n]!, at);
    at += others[n]!.length;
    formStarts[i + 1] = at;
    from = i + 1;
  }
  copyUpTo(starts.length - 1);
  return { forms: { bytes: formBytes, starts: formStarts }, accented };
}

/** Terms of one form stand in the order of themselves. */
function sortSameForms(terms: PackedStrings, forms: PackedStrings, order: Uint32Array): void {
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && compareBytes(forms, order[from]!, forms, order[to]!) === 0) to += 1;
    if (to - from > 1) sortByBytes(terms, order.subarray(from, to));
    from = to;
  }
}

function packStems(forms: PackedStrings): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const size = forms.starts.length - 1;
  const table = new TermTable();
  const stemOfTerm = new Int32Array(size);
  let count = 0;
  for (let number = 0; number < size; number++) {
    const stem = addStem(table, forms, number);
    stemOfTerm[number] = stem;
    if (stem !== NO_STEM) count += 1;
  }
  const order = Uint32Array.from({ length: table.size }, (_, i) => i);
  sortByBytes(table.strings, order);
  const placeOf = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) placeOf[order[place]!] = place;

  const stemStarts = new Uint32Array(order.length + 1);
  for (const stem of stemOfTerm) {
    if (stem === NO_STEM) continue;
    const place = placeOf[stem]!;
    stemStarts[place + 1] = stemStarts[place + 1]! + 1;
  }
  for (let i = 1; i < stemStarts.length; i++) {
    stemStarts[i] = stemStarts[i]! + stemStarts[i - 1]!;
  }
  const next = stemStarts.slice();
  const stemTerms = new Uint32Array(count);
  for (let number = 0; number < size; number++) {
    const stem = stemOfTerm[number]!;
    if (stem === NO_STEM) continue;
    const place = placeOf[stem]!;
    stemTerms[next[place]!] = number;
    next[place] = next[place]! + 1;
  }
  return { stems: pickStrings(table.strings, order), stemStarts, stemTerms };
}

/** Stands for the stem of a term of a text without spaces. */
const NO_STEM = -1;

function addStem(table: TermTable, { bytes, starts }: PackedStrings, number: number): number {
  const [start, end] = [starts[number]!, starts[number + 1]!];
  if (isAscii(bytes, start, end) && !isEnglish(bytes, start, end)) return table.addBytes(bytes, start, end);
  const form = bufferOf(bytes).toString('utf8', start, end);
  return isUnspacedTerm(form) ? NO_STEM : table.add(stemOf(form));
}

/** Whether a term is of `a` to `z` only and long enough to have a stem of its own. */
function isEnglish(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let i = start; i < end; i++) if (bytes[i]! < 0x61 || bytes[i]! > 0x7a) return false;
  return true;
}

/** @param forms in the order of the terms' numbers */
export function packGroups(forms: PackedStrings): Pick<PackedDictionary, 'byGroup' | 'letters' | 'groupStarts'> {
  const { bytes, starts } = forms;
  const size = starts.length - 1;
  // Of each term the length of its form, and its group; none of a text without spaces.
  const places = new Int32Array(size);
  const lettersOfTerm = new Uint32Array(size);
  const text = bufferOf(bytes);
  let longest = 0;
  for (let number = 0; number < size; number++) {
    const [start, end] = [starts[number]!, starts[number + 1]!];
    let length = end - start;
    let letters: number;
    if (isAscii(bytes, start, end)) {
      letters = lettersOfBytes(bytes, start, end);
    } else {
      const form = text.toString('utf8', start, end);
      length = isUnspacedTerm(form) ? -1 : form.length;
      letters = lettersOf(form);
    }
    lettersOfTerm[number] = letters;
    places[number] = length < 0 ? -1 : length * GROUPS.length + groupOf(letters);
    longest = Math.max(longest, length);
  }
  const groupStarts = new Uint32Array((longest + 1) * GROUPS.length + 1);
  for (const place of places) if (place >= 0) groupStarts[place + 1] = groupStarts[place + 1]! + 1;
  for (let i = 1; i < groupStarts.length; i++) {
    groupStarts[i] = groupStarts[i]! + groupStarts[i - 1]!;
  }
  const next = groupStarts.slice();
  const count = groupStarts.at(-1) as number;
  const byGroup = new Uint32Array(count);
  const letters = new Uint32Array(count);
  for (let number = 0; number < size; number++) {
    const place = places[number]!;
    if (place < 0) continue;
    const at = next[place]!;
    next[place] = at + 1;
    byGroup[at] = number;
    letters[at] = lettersOfTerm[number]!;
  }
  return { byGroup, letters, groupStarts };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
