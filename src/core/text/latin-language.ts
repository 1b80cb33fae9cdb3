import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { dataFile } from '../data.js';
import { foldAccents } from './characters.js';
import { ENGLISH_SIGNS, functionWords, LISTED_LANGUAGES } from './function-words.js';

/**
 * Languages in Latin letters that are told apart. The first is taken unless there is evidence for another. The table of
 * trigrams has the same order, without the last.
 */
const LANGUAGES = ['en', 'cs', 'da', 'de', 'es', 'fr', 'id', 'it', 'nl', 'pl', 'pt', 'sv', 'tr', 'vi'] as const;
type LatinLanguage = (typeof LANGUAGES)[number];

// Evidence is counted in natural logarithms of odds, so it adds up. The numbers were chosen on short questions in these
// languages and 24,000 English ones: docs/ranking.md has the figures.

/** English goes before: most questions are. */
const ENGLISH = Math.log(8);
/** A function word, beside a language that does not have it. A short one may be an abbreviation or a variable. */
const WORD = Math.log(20);
const SHORT_WORD = Math.log(4);
/** A word that English texts do not have. */
const OTHER_WORD = Math.log(60);
const SHORT_WORD_LENGTH = 2;
/** A word with a letter that some languages have: if it is one language's own, and if several share it. */
const OWN_LETTER = Math.log(15);
const SHARED_LETTER = Math.log(6);
/** The most frequent trigram of a language; less by rank. */
const TRIGRAM = 0.65;
/** Neighbouring trigrams depend on each other, so a long text does not prove more than one of so many characters. */
const TRIGRAMS_COUNT = 40;
/** What is read for trigrams at most, in UTF-16 units. */
const TRIGRAM_TEXT = 160;
/** Trigrams, which take the most time, are not read if words put a language so far ahead of all others. */
const DECIDED = Math.log(1000);
/** English is certain from this probability on; another language if this is the probability of all others together… */
const CERTAIN = 0.9;
/** …and its own is this: to take Spanish for Portuguese is a smaller error than to take either for English. */
const LIKELY = 0.5;

const LETTERS: readonly (readonly [letters: string, languages: readonly LatinLanguage[]])[] = [
  ['äöü', ['de', 'sv', 'tr']],
  ['ß', ['de']],
  ['ñ', ['es']],
  ['áéíóú', ['cs', 'es', 'pt', 'vi']],
  ['ãõ', ['pt', 'vi']],
  ['ç', ['fr', 'pt', 'tr']],
  ['êô', ['fr', 'pt', 'vi']],
  ['èëîïœûù', ['fr']],
  ['é', ['fr']],
  ['à', ['fr', 'it', 'pt']],
  ['èìòù', ['it']],
  ['ëï', ['nl']],
  ['ığş', ['tr']],
  ['łąęśżźćńó', ['pl']],
  ['ěščřžůďťň', ['cs']],
  ['ý', ['cs', 'vi']],
  ['å', ['da', 'sv']],
  ['æø', ['da']],
  ['ơưđăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ', ['vi']],
];

const PLAIN = /^[\x00-\x7f]*$/;

let wordMasks: ReadonlyMap<string, number> | undefined;
let otherWordMasks: ReadonlyMap<string, number> | undefined;
let letterMasks: ReadonlyMap<string, number> | undefined;

/** By function word: a bit for each language that has it. */
function makeWordMasks(): ReadonlyMap<string, number> {
  const masks = new Map<string, number>();
  for (const [i, language] of LANGUAGES.entries()) {
    const listed = LISTED_LANGUAGES.find((other) => other === language);
    const words = language === 'en' ? ENGLISH_SIGNS : listed === undefined ? [] : functionWords(listed);
    for (const word of words) masks.set(word, (masks.get(word) ?? 0) | (1 << i));
  }
  return masks;
}

/** By letter outside of ASCII: a bit for each language that has it. */
function makeLetterMasks(): ReadonlyMap<string, number> {
  const masks = new Map<string, number>();
  for (const [letters, languages] of LETTERS) {
    for (const letter of letters) {
      for (const language of languages) {
        masks.set(letter, (masks.get(letter) ?? 0) | (1 << LANGUAGES.indexOf(language)));
      }
    }
  }
  return masks;
}

/**
 * The language of words in Latin letters, by their function words, their letters with accents, and their trigrams.
 *
 * @param terms lower case, accents kept, in the order of the text
 * @returns ISO 639-1; undefined if the words do not show it
 */
export function latinLanguage(terms: readonly string[]): string | undefined {
  wordMasks ??= makeWordMasks();
  letterMasks ??= makeLetterMasks();
  const evidence = new Float64Array(LANGUAGES.length);
  evidence[0] = ENGLISH;
  for (const term of new Set(terms)) {
    const isPlain = PLAIN.test(term);
    const folded = isPlain ? term : foldAccents(term);
    addEvidence(evidence, wordMasks.get(folded) ?? 0, folded.length > SHORT_WORD_LENGTH ? WORD : SHORT_WORD);
    if (!isPlain) addLetters(evidence, term, letterMasks);
  }
  if (!isDecided(evidence)) addTrigrams(evidence, terms);
  return mostProbable(evidence) ?? mostProbable(addOtherWords(evidence, terms));
}

/** Terse questions have no function words: then the words of its trade tell a language. */
function addOtherWords(evidence: Float64Array, terms: readonly string[]): Float64Array {
  otherWordMasks ??= readOtherWords();
  for (const term of new Set(terms)) addEvidence(evidence, otherWordMasks.get(foldAccents(term)) ?? 0, OTHER_WORD);
  return evidence;
}

/** Words of requests that English texts do not have, by language: `scripts/gloss` makes the list. */
function readOtherWords(): ReadonlyMap<string, number> {
  const lines = brotliDecompressSync(readFileSync(dataFile('gloss/latin.br')))
    .toString()
    .trim()
    .split('\n');
  const masks = new Map<string, number>();
  for (const [language, ...words] of lines.map((line) => line.split(' '))) {
    const bit = 1 << LANGUAGES.indexOf(language as LatinLanguage);
    for (const word of words) masks.set(word, (masks.get(word) ?? 0) | bit);
  }
  return masks;
}

function addEvidence(evidence: Float64Array, mask: number, weight: number): void {
  // The lowest bit is taken away each time: most words belong to one language.
  for (let rest = mask; rest !== 0; rest &= rest - 1) evidence[31 - Math.clz32(rest & -rest)]! += weight;
}

/** Each language counts a word once. */
function addLetters(evidence: Float64Array, term: string, masks: ReadonlyMap<string, number>): void {
  let shared = 0;
  let own = 0;
  for (const letter of term.normalize('NFC')) {
    const mask = masks.get(letter) ?? 0;
    if ((mask & (mask - 1)) === 0) own |= mask;
    else shared |= mask;
  }
  addEvidence(evidence, own, OWN_LETTER);
  addEvidence(evidence, shared & ~own, SHARED_LETTER);
}

/** Whether one language is far ahead. */
function isDecided(evidence: Float64Array): boolean {
  let [first, second] = [0, 0];
  for (let i = 0; i < evidence.length; i++) {
    const value = evidence[i]!;
    if (value > first) {
      second = first;
      first = value;
    } else if (value > second) {
      second = value;
    }
  }
  return first - second >= DECIDED;
}

/**
 * Trigrams as in W. B. Cavnar and J. M. Trenkle, N-Gram-Based Text Categorization (1994): the more frequent those of
 * the text are in a language, the likelier is the language.
 */
function addTrigrams(evidence: Float64Array, terms: readonly string[]): void {
  const text = ` ${terms.join(' ').slice(0, TRIGRAM_TEXT)} `;
  const { languages, starts, frequencies } = readTrigrams();
  const weight = TRIGRAM * Math.min(1, TRIGRAMS_COUNT / text.length);
  const sums = new Float64Array(languages.length);
  for (let i = 0; i + 3 <= text.length; i++) {
    const start = starts.get(text.slice(i, i + 3));
    if (start === undefined) continue;
    for (let l = 0; l < sums.length; l++) sums[l]! += frequencies[start + l]!;
  }
  for (let l = 0; l < sums.length; l++) evidence[l]! += weight * sums[l]!;
}

/** The language of some evidence, if it is certain enough. */
function mostProbable(evidence: Float64Array): LatinLanguage | undefined {
  let best = 0;
  for (let i = 1; i < evidence.length; i++) if (evidence[i]! > evidence[best]!) best = i;
  let sum = 0;
  for (let i = 0; i < evidence.length; i++) sum += Math.exp(evidence[i]! - evidence[best]!);
  const english = Math.exp(evidence[0]! - evidence[best]!) / sum;
  if (best === 0) return english >= CERTAIN ? 'en' : undefined;
  return 1 - english >= CERTAIN && 1 / sum >= LIKELY ? LANGUAGES[best] : undefined;
}

const FILE = dataFile('language-trigrams.txt');

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
