import { readFileSync } from 'node:fs';

const FILE = new URL('../../data/language-trigrams.txt', import.meta.url);

/** How many trigrams of each language are known. */
const KNOWN = 300;

/** What is known of the trigrams of some languages. */
export interface Trigrams {
  readonly languages: readonly string[];
  /**
   * For each trigram one number a language, in the order of `languages`: 1 for its most frequent trigram, falling with
   * the rank to 0 for one that is not among its 300 most frequent.
   */
  readonly frequency: ReadonlyMap<string, Float32Array>;
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
  const frequency = new Map<string, Float32Array>();
  for (const [i, line] of lines.entries()) {
    for (const [rank, trigram] of line.slice(3).replaceAll('^', ' ').split('|').entries()) {
      let row = frequency.get(trigram);
      if (row === undefined) {
        row = new Float32Array(languages.length);
        frequency.set(trigram, row);
      }
      row[i] = 1 - rank / KNOWN;
    }
  }
  return { languages, frequency };
}
