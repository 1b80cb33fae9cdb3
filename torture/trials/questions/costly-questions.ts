import { ALL_IN_MEMORY } from '../../../src/core/index.js';
import type { PackedKeywords } from '../../../src/keyword/packed-keywords.js';
import { TermDictionary } from '../../../src/keyword/term-dictionary.js';

/** Words of a catalogue to make questions of. */
export interface CatalogueTerms {
  /** The most frequent ones, the most frequent first. */
  readonly frequent: readonly string[];
  /** Of all frequencies. */
  readonly any: readonly string[];
  /** Characters that begin many pairs of characters; empty where there are none. */
  readonly characters: readonly string[];
}

type Random = () => number;

/** How many frequent words are known, and how many of others. */
const FREQUENT = 2000;
const OTHERS = 5000;
const CHARACTERS = 200;

export function termsOf({ dictionary, postings }: PackedKeywords): CatalogueTerms {
  const terms = new TermDictionary(dictionary, ALL_IN_MEMORY);
  const { listStarts, entryStarts } = postings;
  const sizeOf = (term: number): number => entryStarts[listStarts[term + 1]!]! - entryStarts[listStarts[term]!]!;
  const bySize = Uint32Array.from({ length: terms.size }, (_, term) => term).sort((a, b) => sizeOf(b) - sizeOf(a));
  const step = Math.max(1, Math.floor(terms.size / OTHERS));
  const any = Array.from({ length: Math.floor(terms.size / step) }, (_, i) => terms.termAt(i * step));
  const pairs = new Map<string, number>();
  for (let term = 0; term < terms.size; term++) {
    const [first = ''] = dictionary.forms.bytes[dictionary.forms.starts[term]!]! < 0x80 ? '' : terms.termAt(term);
    if (/\p{Lo}/u.test(first)) pairs.set(first, (pairs.get(first) ?? 0) + 1);
  }
  return {
    frequent: Array.from(bySize.subarray(0, FREQUENT), (term) => terms.termAt(term)),
    any,
    characters: [...pairs]
      .sort((a, b) => b[1] - a[1])
      .slice(0, CHARACTERS)
      .map(([character]) => character),
  };
}

/** A word: mostly one of the most frequent. */
function word({ frequent, any, characters }: CatalogueTerms, random: Random): string {
  const draw = random();
  if (draw < 0.15) return pick(any, random);
  if (draw < 0.25 && characters.length > 0) {
    return Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(characters, random)).join('');
  }
  return frequent[Math.floor(random() ** 3 * frequent.length)] ?? 'a';
}

const SEPARATORS = [' ', ' ', ' ', ' ', '-', '_', '.', '" "', ' "', '" '];

/** A question of random words in a random manner. */
export function newQuestion(terms: CatalogueTerms, longest: number, random: Random): string {
  const separator = pick(SEPARATORS, random);
  const few = Array.from({ length: 1 + Math.floor(random() * 6) }, () => word(terms, random));
  const isRepeated = random() < 0.3;
  const words: string[] = [];
  for (let length = 0; length < longest * random(); length += words.at(-1)!.length + 1) {
    words.push(isRepeated ? pick(few, random) : word(terms, random));
  }
  const change = pick(CHANGES_OF_A_WORD, random);
  const changed = random() < 0.5 ? words : words.map((one) => change(one, random));
  const text = changed.join(separator);
  return random() < 0.3 ? `"${text}"` : text;
}

/** A change of a question that was slow. */
export function mutate(text: string, terms: CatalogueTerms, random: Random): string {
  let changed = text;
  do {
    const words = changed.split(' ');
    const at = Math.floor(random() * words.length);
    const change = random();
    if (change < 0.2) words.splice(at, 0, word(terms, random));
    else if (change < 0.4) words[at] = word(terms, random);
    else if (change < 0.5) words.splice(at, 1);
    else if (change < 0.65) words[at] = pick(CHANGES_OF_A_WORD, random)(words[at]!, random);
    else if (change < 0.75) words.splice(at, 2, words.slice(at, at + 2).join(pick(SEPARATORS, random)));
    else if (change < 0.85) words.splice(at, 3, `"${words.slice(at, at + 3).join(' ')}"`);
    else if (change < 0.92) words.push(...words.slice(at));
    else words.unshift(words.pop()!);
    changed = words.join(' ');
  } while (random() < 0.5);
  return changed;
}

const ACCENTED: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú', c: 'ç', n: 'ñ' };

/** Ways to write a word otherwise. */
const CHANGES_OF_A_WORD: readonly ((word: string, random: Random) => string)[] = [
  (one) => one.replace(/[aeioucn]/, (letter) => ACCENTED[letter]!),
  (one) => one.charAt(0).toUpperCase() + one.slice(1),
  (one, random) => one.slice(0, 3 + Math.floor(random() * 3)),
  (one, random) => spliced(one, random, ''),
  (one, random) => spliced(one, random, 'x'),
  (one) => `x${one}`,
  (one) => `"${one} ${one}"`,
  (one) => [...one].join('-'),
  (one) => [...one].join(' '),
  (one) => one + one.charAt(0).toUpperCase() + one.slice(1),
];

/** A word in which a letter is replaced. */
function spliced(one: string, random: Random, letter: string): string {
  const at = Math.floor(random() * one.length);
  return one.slice(0, at) + letter + one.slice(at + 1);
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)]!;
}
