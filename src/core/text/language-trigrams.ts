import { readFileSync } from 'node:fs';

const FILE = new URL('../../../data/language-trigrams.txt', import.meta.url);

/** How many trigrams of each language are known. */
const KNOWN = 300;

/** What is known of the trigrams of some languages. */
interface Trigrams {
  readonly languages: readonly string[];
  /** Where the frequencies of a trigram begin. */
  readonly starts: ReadonlyMap<string, number>;
  /**
   * For each trigram one number a language, in the order of `languages`: 1 for its most frequent trigram, falling with
   * the rank to 0 for one that is not among its 300 most frequent.
   */
  readonly frequencies: Float32Array;
}

let trigrams: Trigrams | undefined;

/** The trigrams of the bundled table. The first call reads it. */
export function readTrigrams(): Trigrams {
  trigrams ??= parse(readFileSync(FILE, 'utf8'));
  return trigrams;
}

function parse(table: string): Trigrams {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const languages = lines.map((line) => line.slice(0, 2));
  const ranked = lines.map((line) => line.slice(3).replaceAll('^', ' ').split('|'));
  const starts = new Map([...new Set(ranked.flat())].map((trigram, i) => [trigram, i * languages.length]));
  const frequencies = new Float32Array(starts.size * languages.length);
  for (const [language, list] of ranked.entries()) {
    for (const [rank, trigram] of list.entries()) frequencies[starts.get(trigram)! + language] = 1 - rank / KNOWN;
  }
  return { languages, starts, frequencies };
}
