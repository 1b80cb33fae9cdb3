import {
  foldAccents,
  foldCase,
  functionWords,
  glossOf,
  invalidArgument,
  isFunctionWord,
  isListedLanguage,
  isPartKind,
  isUnspacedTerm,
  japaneseFunctionPairs,
  languageOf,
  languageOfTokens,
  MAX_TERM_LENGTH,
  normaliseText,
  readWords,
  type SkillSearchError,
  type Token,
} from '../core/index.js';
import type { TranslatedWords } from '../result.js';

/** Distinct words of a question that are used. More words find nothing better, and each costs its postings. */
export const MAX_QUESTION_WORDS = 64;

/**
 * One word of a question. A text has it if it has any of these terms, as they stand or by their stem. The first term is
 * the word itself, the others are the compounds that contain it (`testing` of `react-testing`: `testing`,
 * `reacttesting`).
 */
export interface QuestionWord {
  /** Lower case, accents kept. */
  readonly terms: readonly string[];
  /** Weight among the words: 1, for a pair of characters mostly less, see {@link weighPairs}. Above 0. */
  readonly weight: number;
}

/** Words in quotation marks, which must stand together: the tokens of the quoted text, by position. */
export interface Phrase {
  readonly tokens: readonly Token[];
  readonly length: number;
}

/**
 * A question, split into words.
 *
 * A word in PascalCase (`GitHub`, `JavaScript`) is mostly a name. So the first step reads it as one word (`words`), in
 * questions and texts alike: a search for `java` by date should not list every skill about JavaScript. All later steps
 * see its parts as well (`looseWords`), so that `builder` finds `PipelineBuilder` if nothing else does.
 */
export interface Question {
  readonly text: string;
  /**
   * What is meant by a question whose last word is unfinished, or what was typed of it: names may begin with it, and its
   * last word counts whole and as a beginning. Absent for a question that is done.
   */
  readonly typed?: string | undefined;
  /** ISO 639-1; `en` if the question does not show another. What is quoted does not count. */
  readonly language: string;
  readonly words: readonly QuestionWord[];
  readonly looseWords: readonly QuestionWord[];
  /** The last of `looseWords` in the order of the text. It may be the beginning of a longer word. */
  readonly lastWord: QuestionWord | undefined;
  readonly phrases: readonly Phrase[];
}

const NO_STOP_WORDS: StopWords = new Set();

interface Piece {
  readonly tokens: readonly Token[];
  readonly quoted: boolean;
}

interface WordOfPiece extends QuestionWord {
  readonly stop: boolean;
}

/**
 * Reads a question: words, and phrases in straight or typographic quotation marks.
 *
 * @param stopWords are left out, unless they are quoted, part of a compound, or all that the question has; by default
 *   those of the question's language
 */
export function readQuestion(text: string, stopWords?: StopWords): Question {
  return PLAIN_WORD.test(text) ? questionOfWord(text) : questionOfText(text, stopWords);
}

/** A text that is one plain word: it is required whether it is a stop word or not. */
const PLAIN_WORD = new RegExp(`^[a-z0-9]{1,${MAX_TERM_LENGTH}}$`);

/** A question in another language, read in English. */
export interface GlossQuestion extends Question {
  /** The parts of the question that are read as other words, each once. */
  readonly parts: readonly TranslatedWords[];
}

/** What a question in another language is in English; undefined if there is nothing that it would add. */
export function glossQuestion(
  text: string,
  { language }: Question,
  stopWords: StopWords = ENGLISH,
): GlossQuestion | undefined {
  const gloss = glossOf(text, language);
  const parts = new Map<string, TranslatedWords>();
  for (const { asked, read = '' } of gloss?.parts ?? []) {
    if (read !== '' && read !== asked) parts.set(asked, { asked, read });
  }
  return parts.size === 0
    ? undefined
    : Object.assign(readQuestion(gloss!.text, stopWords), { parts: [...parts.values()] });
}

/** Many questions are one word. This is {@link questionOfText} without looking for what such a text cannot have. */
function questionOfWord(text: string): Question {
  const word: QuestionWord = { terms: [text], weight: 1 };
  const words = [word];
  let language: string | undefined;
  return {
    text,
    get language() {
      language ??= languageOf(text).code;
      return language;
    },
    words,
    looseWords: words,
    lastWord: word,
    phrases: [],
  };
}

function questionOfText(text: string, stopWords: StopWords | undefined): Question {
  const pieces = limitWords(splitQuotes(text));
  let found: string | undefined;
  const language = (): string => {
    found ??= languageOfPieces(pieces);
    return found;
  };
  const leftOut = stopWords ?? (hasStopWords(pieces) ? stopWordsOf(language()) : NO_STOP_WORDS);
  const looseWords = requiredWords(pieces, leftOut, true);
  return {
    text,
    get language() {
      return language();
    },
    words: distinct(requiredWords(pieces, leftOut, false)),
    looseWords: distinct(looseWords),
    lastWord: looseWords.at(-1),
    phrases: distinctPhrases(pieces.filter((piece) => piece.quoted).flatMap(toPhrase)),
  };
}

/** Whether some word may be a stop word, whatever the language. */
function hasStopWords(pieces: readonly Piece[]): boolean {
  return pieces.some(({ tokens }) => tokens.some(({ term }) => mayBeStopWord(foldAccents(term))));
}

/** Equal phrases are required once. */
function distinctPhrases(phrases: readonly Phrase[]): Phrase[] {
  const keyOf = ({ tokens }: Phrase): string =>
    tokens.map(({ term, kind, position, span }) => `${kind} ${position} ${span} ${term}`).join('\n');
  return [...new Map(phrases.map((phrase) => [keyOf(phrase), phrase])).values()];
}

function splitQuotes(text: string): Piece[] {
  const parts = text.split(/["\u201c\u201d\u201e]/);
  // An opening quotation mark without a closing one is ignored.
  const closed = parts.length % 2 === 1 ? parts.length : parts.length - 1;
  return parts
    .map((part, i) => ({ tokens: readWords(part), quoted: i % 2 === 1 && i < closed }))
    .filter((piece) => piece.tokens.length > 0);
}

function limitWords(pieces: readonly Piece[]): Piece[] {
  const seen = new Set<string>();
  const kept: Piece[] = [];
  for (const piece of pieces) {
    let end = Number.POSITIVE_INFINITY;
    for (const token of piece.tokens) {
      if (!isPartKind(token.kind) || seen.has(token.term)) continue;
      if (seen.size === MAX_QUESTION_WORDS) {
        end = token.position;
        break;
      }
      seen.add(token.term);
    }
    kept.push({ ...piece, tokens: piece.tokens.filter((token) => token.position + token.span <= end) });
    if (end !== Number.POSITIVE_INFINITY) break;
  }
  return kept.filter((piece) => piece.tokens.length > 0);
}

/** Who asks in one language may quote another. */
function languageOfPieces(pieces: readonly Piece[]): string {
  const own = pieces.filter((piece) => !piece.quoted);
  return languageOfTokens((own.length > 0 ? own : pieces).flatMap(({ tokens }) => tokens)).code;
}

function requiredWords(pieces: readonly Piece[], stopWords: StopWords, loose: boolean): QuestionWord[] {
  const all = pieces.flatMap((piece) => wordsOf(piece, stopWords, loose));
  return all.some((word) => !word.stop) ? all.filter((word) => !word.stop) : all;
}

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byTerms = new Map<string, QuestionWord>();
  for (const { terms, weight } of words) {
    const key = terms.join(' ');
    byTerms.set(key, { terms, weight: Math.max(weight, byTerms.get(key)?.weight ?? 0) });
  }
  return [...byTerms.values()];
}

function wordsOf(piece: Piece, stopWords: StopWords, loose: boolean): WordOfPiece[] {
  const { tokens, quoted } = piece;
  const wholes = tokens.filter((token) => !isPartKind(token.kind));
  const pairWeights = weighPairs(tokens);
  const words: WordOfPiece[] = [];
  for (const token of tokens) {
    if (!isUnit(token, tokens, wholes, loose)) continue;
    const around = wholes.filter((whole) => whole !== token && covers(whole, token));
    const stop = !quoted && around.length === 0 && stopWords.has(foldAccents(token.term));
    const terms = [...new Set([token.term, ...around.map((whole) => whole.term)])];
    words.push({ terms, weight: pairWeights.get(token) ?? 1, stop });
  }
  return words;
}

/** Whether a token is a word of the question: a part of the text, or a compound that is not split. */
function isUnit(token: Token, tokens: readonly Token[], wholes: readonly Token[], loose: boolean): boolean {
  if (!isPartKind(token.kind))
    return !isOpen(token, loose) && !wholes.some((w) => w !== token && closesOver(w, token, loose));
  if (wholes.some((whole) => closesOver(whole, token, loose))) return false;
  if (token.kind !== 'character') return true;
  // The last character of a run is in a pair already.
  return !tokens.some(
    (other) => other.kind === 'pair' && other.position === token.position - 1 && other.end === token.end,
  );
}

/** Whether a compound is split: then its parts are the words of the question, otherwise the compound is one word. */
function isOpen(whole: Token, loose: boolean): boolean {
  return whole.kind === 'camel' || whole.kind === 'joined' || (whole.kind === 'pascal' && loose);
}

function closesOver(whole: Token, token: Token, loose: boolean): boolean {
  return !isOpen(whole, loose) && covers(whole, token);
}

function covers(whole: Token, token: Token): boolean {
  return whole.position <= token.position && token.position + token.span <= whole.position + whole.span;
}

function toPhrase(piece: Piece): Phrase[] {
  const tokens = piece.tokens.filter((token) => token.kind !== 'dotted-part');
  const length = Math.max(...tokens.map((token) => token.position + token.span));
  return [{ tokens, length }];
}

/** Whether a term is one character of the `UNSPACED_SCRIPTS`: every pair that begins with it answers it. */
export function isSingleCharacter(term: string): boolean {
  return isUnspacedTerm(term) && [...term].length === 1;
}

/** Average length of a word in characters, where neither spaces nor the script show where words end. */
const CHARACTERS_A_WORD = 2;

/** Weight of a pair across a change of script, which mostly belongs to two words: `をテ` of `データをテスト`. */
const ACROSS_SCRIPTS = 0.25;

/**
 * The weights of the pairs of characters in a question. A word with spaces around it has weight 1. A word of seven
 * characters makes six pairs; with weight 1 each they would outweigh all other words. So the pairs of a stretch of one
 * script share the weight of its words: one word for Hangul and Katakana, whose words are stretches; for other scripts
 * one word for every two characters.
 *
 * @param tokens of a text, in order
 * @returns the weight of each pair and single character; other tokens are left out
 */
function weighPairs(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const weights = new Map<Token, number>();
  let run: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'pair' && token.kind !== 'character') continue;
    run.push(token);
    if (token.kind !== 'character') continue;
    weighRun(run, weights);
    run = [];
  }
  // A question that was cut may end inside a run.
  weighRun(run, weights);
  return weights;
}

/** @param run the pairs and the last character of a run: each character begins one of these tokens */
function weighRun(run: readonly Token[], weights: Map<Token, number>): void {
  const scripts = run.map(({ term }) => scriptOf(term));
  for (let start = 0; start < run.length; ) {
    let end = start + 1;
    while (end < run.length && scripts[end] === scripts[start]) end += 1;
    const length = end - start;
    const words = scripts[start] === 'word' ? 1 : length / CHARACTERS_A_WORD;
    for (let i = start; i < end - 1; i++) weights.set(run[i]!, words / (length - 1));
    const last = run[end - 1]!;
    weights.set(last, last.kind === 'character' ? 1 : ACROSS_SCRIPTS);
    start = end;
  }
}

/** `word` for scripts whose stretches are words. */
function scriptOf(term: string): 'word' | 'hiragana' | 'other' {
  if (/^[\p{Script=Hangul}\p{Script=Katakana}\u30fc]/u.test(term)) return 'word';
  return /^\p{Script=Hiragana}/u.test(term) ? 'hiragana' : 'other';
}

/**
 * Reads stop words in the same way as the words of a question: without case and accents, `don't` as `don` and `t`.
 *
 * @param words an iterable of words; empty for no stop words
 * @returns undefined for undefined: then each question has those of its language
 * @throws {SkillSearchError} `INVALID_OPTION` for anything else
 */
export function readStopWords(words: unknown): StopWords | undefined {
  if (words === undefined) return undefined;
  if (typeof words !== 'object' || words === null || !(Symbol.iterator in words)) {
    throw refusal('a list of words', words);
  }
  const terms = new Set<string>();
  for (const word of words as Iterable<unknown>) for (const term of termsOf(word)) terms.add(term);
  return terms;
}

function termsOf(word: unknown): string[] {
  if (typeof word !== 'string') throw refusal('words', word);
  const read = readQuestion(foldCase(normaliseText(word)), NO_STOP_WORDS).looseWords;
  // The parts of a compound are required together, so none of them can be a stop word by itself.
  const single = read.length > 0 && !/\s/u.test(word.trim()) && read.every(({ terms }) => terms.length === 1);
  if (!single) throw refusal('single words', word);
  return read.map(({ terms }) => foldAccents(terms[0]!));
}

function refusal(expected: string, value: unknown): SkillSearchError {
  return invalidArgument({ name: 'stopWords', code: 'INVALID_OPTION' }, expected, value);
}

/**
 * The default stop words of English: the usual list of 33 words (Lucene's), and the pronouns, question words and
 * auxiliaries that are frequent in requests in plain language. Lower case, without accents.
 */
export const STOP_WORDS: readonly string[] = Object.freeze(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with
  about am any can could did do does from had has have he her his how i its just me my our please should so some than
  us want we were what when where which who why would you your`.split(/\s+/),
);

/** Words that are required only if a question has no others, as terms without accents. */
export type StopWords = ReadonlySet<string>;

const ENGLISH: StopWords = new Set(STOP_WORDS);

/**
 * The default stop words of a language: what is a small word in one means something in another (`die`, `son`, `para`).
 *
 * @param language ISO 639-1
 * @returns none for a language without a list
 */
export function stopWordsOf(language: string): StopWords {
  if (language === 'en') return ENGLISH;
  if (language === 'ja') return japaneseFunctionPairs();
  return isListedLanguage(language) ? functionWords(language) : NO_STOP_WORDS;
}

/**
 * Whether a term is a stop word of some language, perhaps. Where no word of a question is, its language need not be
 * found out for its stop words, and that takes as long as opening a catalogue.
 *
 * @param term without accents
 */
export function mayBeStopWord(term: string): boolean {
  return ENGLISH.has(term) || isUnspacedTerm(term) || isFunctionWord(term);
}
