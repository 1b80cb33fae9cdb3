import { foldAccents, isUnspacedTerm } from '../characters.js';
import { stemOf } from '../stem.js';
import { lettersOf } from './letters.js';
import { compareCodePoints, packStrings } from './string-table.js';
import type { PackedDictionary } from './term-dictionary.js';

/** @returns the dictionary, and the numbers that the terms got */
export function packDictionary(terms: readonly string[]): { dictionary: PackedDictionary; numberOf: Uint32Array } {
  const forms = terms.map(foldAccents);
  const order = Uint32Array.from(terms.keys());
  const compare = (a: number, b: number): number =>
    compareCodePoints(forms[a] as string, forms[b] as string) ||
    compareCodePoints(terms[a] as string, terms[b] as string);
  order.sort(compare);
  const numberOf = new Uint32Array(terms.length);
  order.forEach((i, number) => {
    numberOf[i] = number;
  });
  const sortedForms = Array.from(order, (i) => forms[i] as string);
  const accentedNumbers: number[] = [];
  const accented: string[] = [];
  order.forEach((i, number) => {
    if (terms[i] === forms[i]) return;
    accentedNumbers.push(number);
    accented.push(terms[i] as string);
  });
  const dictionary = {
    forms: packStrings(sortedForms),
    accented: packStrings(accented),
    accentedNumbers: Uint32Array.from(accentedNumbers),
    ...packStems(sortedForms),
    ...packLengths(sortedForms),
  };
  return { dictionary, numberOf };
}

function packStems(forms: readonly string[]): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const byStem = new Map<string, number[]>();
  forms.forEach((form, number) => {
    if (isUnspacedTerm(form)) return;
    const stem = stemOf(form);
    const same = byStem.get(stem);
    if (same === undefined) byStem.set(stem, [number]);
    else same.push(number);
  });
  const stems = [...byStem.keys()].sort(compareCodePoints);
  const stemStarts = new Uint32Array(stems.length + 1);
  const stemTerms = new Uint32Array(forms.length);
  let at = 0;
  stems.forEach((stem, i) => {
    const numbers = byStem.get(stem) as number[];
    stemTerms.set(numbers, at);
    at += numbers.length;
    stemStarts[i + 1] = at;
  });
  return { stems: packStrings(stems), stemStarts, stemTerms: stemTerms.slice(0, at) };
}

function packLengths(forms: readonly string[]): Pick<PackedDictionary, 'byLength' | 'letters' | 'lengthStarts'> {
  const longest = forms.reduce((length, form) => Math.max(length, form.length), 0);
  const lengthStarts = new Uint32Array(longest + 2);
  const counted = forms.map((form) => (isUnspacedTerm(form) ? -1 : form.length));
  for (const length of counted) if (length >= 0) lengthStarts[length + 1] = (lengthStarts[length + 1] as number) + 1;
  for (let i = 1; i < lengthStarts.length; i++) {
    lengthStarts[i] = (lengthStarts[i] as number) + (lengthStarts[i - 1] as number);
  }
  const next = lengthStarts.slice();
  const count = lengthStarts[longest + 1] as number;
  const byLength = new Uint32Array(count);
  const letters = new Uint32Array(count);
  counted.forEach((length, number) => {
    // Terms of one form stand together: the first stands for all.
    if (length < 0) return;
    const at = next[length] as number;
    next[length] = at + 1;
    byLength[at] = number;
    letters[at] = lettersOf(forms[number] as string);
  });
  return { byLength, letters, lengthStarts };
}
