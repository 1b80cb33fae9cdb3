import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { dataFile } from '../data.js';
import { ACCENTS, foldAccents, foldCase, normaliseText } from './characters.js';

/** A part of a question, and what it is in English. */
export interface GlossPart {
  /** As the question has it, in lower case. */
  readonly asked: string;
  /** English words; empty for a word that says nothing, undefined for one that the table does not have. */
  readonly read: string | undefined;
}

/** A question in another language, read word by word in English. */
export interface Gloss {
  /** The English words, in the order of the question; words in plain Latin letters that no table knows stay. */
  readonly text: string;
  readonly parts: readonly GlossPart[];
}

/** Languages that have a table, as ISO 639-1 codes. */
const LANGUAGES: ReadonlySet<string> = new Set(
  'ar cs da de el es fa fr he hi id it ja ko nl pl pt ru sv th tr uk vi zh'.split(' '),
);
/** Languages without blanks between words, and Korean, which puts particles behind them. */
const UNSPACED: ReadonlySet<string> = new Set(['ja', 'ko', 'th', 'zh']);
/** Languages that write two nouns as one word. */
const COMPOUNDING: ReadonlySet<string> = new Set(['da', 'de', 'nl', 'sv']);
/** What stands between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'e'];
/** Letters of a compound's part at least, and of a compound. */
const PART = 3;
const COMPOUND = 7;
/** Letters that a part is worth more if it is an entry itself. */
const AS_IT_STANDS = 2.5;

/** Words that an entry of a table has at most, and characters where there are no blanks. */
const MOST_WORDS = 4;
const MOST_CHARACTERS = 14;

/**
 * What a path through a question costs: the fewest entries win, and an unknown word or character costs nearly as much
 * as two. A character behind a Korean word mostly belongs to a particle.
 */
const KNOWN = 5;
const UNKNOWN = 9;
const PARTICLE = 6;

/** Letters of a word that stay at least where an ending goes. */
const LEAST_STEM = 4;
const LONGEST_AFFIX = 4;

/**
 * Words of one language and what they are in English (a gloss): probable equivalents of words and short phrases, from
 * parallel texts and a glossary of this field. `scripts/gloss` makes the tables and says what from.
 */
export class GlossTable {
  readonly #language: string;
  readonly #entries: ReadonlyMap<string, string>;
  /** The same by stems, without accents. Of several entries with one stem the first of the table counts. */
  readonly #byStem: Map<string, string> = new Map();
  readonly #endings: ReadonlySet<string>;
  readonly #beginnings: ReadonlySet<string>;

  /**
   * @param text the endings that a stem is without, in a line, parted by blanks; beginnings in the next; then a line an
   *   entry: the words, a tab, what they are in English; entries with one stem in order, the most frequent first
   */
  constructor(language: string, text: string) {
    const [endings = '', beginnings = '', ...lines] = text.split('\n');
    this.#language = language;
    this.#endings = new Set(endings.split(' '));
    this.#beginnings = new Set(beginnings.split(' '));
    const entries = lines.filter((line) => line !== '').map((line) => line.split('\t') as [string, string]);
    this.#entries = new Map(entries);
    if (UNSPACED.has(language)) return;
    for (const [words, english] of entries) {
      const stem = this.stemOf(words);
      if (!this.#byStem.has(stem)) this.#byStem.set(stem, english);
    }
  }

  /** What a word, or several with blanks between them, have in common with their other forms. */
  stemOf(words: string): string {
    const folded = this.#language === 'vi' ? words : foldAccents(words);
    return folded
      .split(' ')
      .map((word) => this.#withoutEnding(this.#withoutBeginning(word)))
      .join(' ');
  }

  #withoutEnding(word: string): string {
    for (let length = Math.min(LONGEST_AFFIX, word.length - LEAST_STEM); length > 0; length--) {
      if (this.#endings.has(word.slice(-length))) return word.slice(0, -length);
    }
    return word;
  }

  #withoutBeginning(word: string): string {
    for (let length = Math.min(LONGEST_AFFIX, word.length - PART); length > 0; length--) {
      if (this.#beginnings.has(word.slice(0, length))) return word.slice(length);
    }
    return word;
  }

  /** English words for an entry, or for a word with the same stem. */
  #lookUp(words: string): string | undefined {
    return (
      this.#entries.get(words) ?? (UNSPACED.has(this.#language) ? undefined : this.#byStem.get(this.stemOf(words)))
    );
  }

  read(question: string): Gloss {
    const parts = pieces(question, this.#language).flatMap((units) => this.#readPiece(units));
    const words = parts.map(({ asked, read }) => read ?? (PLAIN_WORD.test(asked) ? asked : ''));
    return { text: words.filter((word) => word !== '').join(' '), parts };
  }

  /** The cheapest way through words, or through characters. */
  #readPiece(units: readonly string[]): GlossPart[] {
    const isUnspaced = UNSPACED.has(this.#language) && !PLAIN_WORD.test(units[0]!);
    const [joint, most] = isUnspaced ? ['', MOST_CHARACTERS] : [' ', MOST_WORDS];
    const costs = [0, ...units.map(() => Number.POSITIVE_INFINITY)];
    const last: { readonly from: number; readonly part: GlossPart }[] = [];
    const step = (from: number, to: number, part: GlossPart, cost: number): void => {
      const sum = costs[from]! + cost;
      // Of equals the one that begins later is longer before: the first word of a tie is the longest.
      if (sum >= costs[to]!) return;
      costs[to] = sum;
      last[to] = { from, part };
    };
    for (let from = 0; from < units.length; from++) {
      for (let to = Math.min(units.length, from + most); to > from; to--) {
        const asked = units.slice(from, to).join(joint);
        const read = this.#lookUp(asked);
        if (read !== undefined) step(from, to, { asked, read }, KNOWN);
        else if (to === from + 1) {
          const parts = isUnspaced ? undefined : this.#partsOf(asked);
          const cost = this.#language === 'ko' && isUnspaced && from > 0 ? PARTICLE : UNKNOWN;
          step(from, to, { asked, read: parts?.join(' ') }, cost);
        }
      }
    }
    const path: GlossPart[] = [];
    for (let to = units.length; to > 0; to = last[to]!.from) path.push(last[to]!.part);
    return joinUnknown(path.reverse(), isUnspaced);
  }

  /**
   * The parts of a compound, in English: two rather than three; then those whose shorter part is the longest, where one
   * that is known as it stands counts more than one with the same stem.
   */
  #partsOf(word: string, isPart = false): string[] | undefined {
    if (!COMPOUNDING.has(this.#language) || word.length < COMPOUND) return undefined;
    let best: string[] | undefined;
    let highest = 0;
    for (let at = word.length - PART; at >= PART; at--) {
      const second = this.#lookUp(word.slice(at));
      if (second === undefined || second === '') continue;
      for (const link of LINKS) {
        const first = word.slice(0, at - link.length);
        if (!word.slice(0, at).endsWith(link) || first.length < PART) continue;
        const read = this.#lookUp(first) || undefined;
        const known = [first, word.slice(at)].filter((part) => this.#entries.has(part)).length;
        const shorter = Math.min(first.length, word.length - at);
        const rank = shorter + AS_IT_STANDS * known + (read === undefined ? 0 : 2 * word.length);
        if (rank <= highest) continue;
        const firsts = read === undefined ? (isPart ? undefined : this.#partsOf(first, true)) : [read];
        if (firsts === undefined) continue;
        highest = rank;
        best = [...firsts, second];
      }
    }
    return best;
  }
}

/** A word in plain Latin letters: mostly a name, or English. */
const PLAIN_WORD = /^[a-z0-9+#.]+$/;
const LATIN = '\\p{Script=Latin}0-9';
/** In a text without blanks, words in Latin letters, and runs of others. */
const RUNS = new RegExp(`[${LATIN}+#.]*[${LATIN}+#]|(?:(?![${LATIN}])[\\p{L}\\p{M}])+`, 'gu');
const LATIN_RUN = new RegExp(`^[${LATIN}+#.]`, 'u');

const ARTICLE = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]{1,4}['\u2019](?=\p{L})/gu;
const APOSTROPHE = /['\u2019]/gu;
const ENDING = /(?<=\p{L})['\u2019]\p{L}+/gu;
/** What an apostrophe cuts off, where that is not an ending (PDF'yi): an article (l'image), or nothing (об'єкт). */
const CUT_OFF: Readonly<Record<string, RegExp>> = {
  fr: ARTICLE,
  he: APOSTROPHE,
  it: ARTICLE,
  pt: ARTICLE,
  uk: APOSTROPHE,
};

/** Words, and runs of letters of a language without blanks as its characters. */
function pieces(question: string, language: string): readonly (readonly string[])[] {
  const text = foldCase(normaliseText(question)).replace(ACCENTS, '');
  if (!UNSPACED.has(language)) {
    const words = text.replace(CUT_OFF[language] ?? ENDING, ' ').match(/[\p{L}\p{M}\p{N}]+[+#]*/gu);
    return words === null ? [] : [words];
  }
  const runs = (language === 'zh' ? foldAccents(text) : text).match(RUNS) ?? [];
  return runs.map((run) => (LATIN_RUN.test(run) ? [run] : [...run]));
}

/** How a table writes some words of its language. */
export function glossKey(words: string, language: string): string {
  return pieces(words, language)
    .map((units) => units.join(UNSPACED.has(language) ? '' : ' '))
    .join('');
}

function joinUnknown(parts: readonly GlossPart[], isUnspaced: boolean): GlossPart[] {
  if (!isUnspaced) return [...parts];
  const joined: GlossPart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (part.read !== undefined || before === undefined || before.read !== undefined) joined.push(part);
    else joined[joined.length - 1] = { asked: before.asked + part.asked, read: undefined };
  }
  return joined;
}

const tables = new Map<string, GlossTable>();

/**
 * Reads a question in another language word by word in English. The first question of a language takes some 30 ms, and
 * its table 2 to 4 MB of memory from then on.
 *
 * @param language of the question, ISO 639-1
 * @returns undefined for English and for languages without a table
 */
export function glossOf(question: string, language: string): Gloss | undefined {
  if (!LANGUAGES.has(language)) return undefined;
  let table = tables.get(language);
  if (table === undefined) {
    const packed = readFileSync(dataFile(`gloss/${language}.br`));
    table = new GlossTable(language, brotliDecompressSync(packed).toString());
    tables.set(language, table);
  }
  return table.read(question);
}
