import { fileURLToPath } from 'node:url';
import {
  dataFile,
  invalidArgument,
  parameterOf,
  readWordPieces,
  SkillSearchError,
  type Tokenizer,
} from '../../core/index.js';

/** Words whose size in tokens is kept. A catalogue of 100,000 skills has some hundred thousand; most are rare. */
const TOKEN_CACHE_WORDS = 20_000;

/**
 * How many tokens a piece of the bundled model's vocabulary counts as. With this margin the counts of o200k, cl100k and
 * the one tokenizer that Anthropic has published stay below ours for 95 % of descriptions and more, in each script that
 * catalogues have. See docs/agents.md for the figures.
 */
const MARGIN = 1.25;

/** How much text fits into so many tokens, as a `textSize`. */
export function sizeOfTokens(tokens: number): number {
  return Math.floor((tokens * PIECE) / MARGIN);
}

/** Tokens for a `textSize`: a whole number. */
export function tokensOfSize(size: number): number {
  return Math.ceil((size * MARGIN) / PIECE);
}

/**
 * An estimate of the tokens that a text costs a language model, a quarter above what the bundled model's own tokenizer
 * counts. English has about 1.4 times the count of o200k or cl100k; no other model's vocabulary is needed. The first
 * call reads the vocabulary (some 50 ms), the model is not loaded.
 *
 * Models differ. Anthropic says of its newest tokenizer (Claude Opus 4.7) that it makes up to 1.35 times as many tokens
 * as the one before: give such a model three quarters of the budget.
 *
 * @returns 0 for an empty text, otherwise a whole number
 * @throws {SkillSearchError} `INVALID_PARAMETER` unless it is a string; `MODEL_NOT_FOUND` if the tokenizer's files are
 *   missing from the package
 * @example
 * countTokens('Fills in PDF forms.'); // 7
 */
export function countTokens(text: string): number {
  if (typeof text !== 'string') throw invalidArgument(parameterOf('text'), 'a string', text);
  return tokensOfSize(textSize(text));
}

/** {@link textSize} of a text that is one piece of the vocabulary. */
export const PIECE = 100;

/** Words in a row of letters, marks and digits; blanks; line ends; and everything else. */
const RUNS = /([\p{L}\p{M}\p{N}]+)|([^\S\r\n]+)|([\r\n]+)|([^\s\p{L}\p{M}\p{N}]+)/gu;

/** Longer words are read in parts: the tokenizer makes one unknown piece of a word of more than 100 characters. */
const LONGEST_WORD = 48;

/**
 * How large a text is for a language model, in hundredths of a piece of the bundled model's vocabulary.
 *
 * The size of a text is the sum of the sizes of its runs. So where two texts meet in runs of different kinds, or in
 * characters that are neither letters, digits nor white space, the size of both together is the sum of their sizes.
 */
export function textSize(text: string): number {
  let size = 0;
  for (const [run, word, blanks, lineEnds] of text.matchAll(RUNS)) {
    if (word !== undefined) size += wordSize(word);
    // A blank belongs to the word behind it. Many are one piece for every few.
    else if (blanks !== undefined) size += blanks === ' ' ? 0 : PIECE * Math.ceil(Buffer.byteLength(blanks) / 4);
    else if (lineEnds !== undefined) size += PIECE * Math.ceil(lineEnds.length / 2);
    else for (const sign of run) size += sign < '\u0080' ? PIECE : remembered(sign, signSize);
  }
  return size;
}

let sizes = new Map<string, number>();

/** Sizes of words are kept: the same words come again and again. */
function remembered(text: string, sizeOf: (text: string) => number): number {
  let size = sizes.get(text);
  if (size !== undefined) return size;
  size = Math.ceil(sizeOf(text));
  if (sizes.size >= TOKEN_CACHE_WORDS) sizes = new Map();
  sizes.set(text, size);
  return size;
}

function signSize(sign: string): number {
  const { pieces, unknown } = wordPieces(sign);
  return pieces > 0 && unknown === 0 ? PIECE * pieces : unknownSize(sign);
}

/** A byte is the smallest piece that models have for text that they do not know. Most pairs of bytes are one, too. */
function unknownSize(text: string): number {
  return 70 * Buffer.byteLength(text);
}

/**
 * Pieces of other scripts weigh differently: the vocabulary is English, and has little but single characters of them.
 * Measured against o200k and cl100k, see docs/agents.md.
 */
const SCRIPTS: readonly (readonly [script: RegExp, weight: number])[] = [
  // The tokenizer takes syllables apart.
  [/^\p{Script=Hangul}+$/u, 60],
  [/^\p{Script=Cyrillic}+$/u, 75],
  [/^[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]*[\p{Script=Hiragana}\p{Script=Katakana}]/u, 130],
];

function wordSize(word: string): number {
  let size = 0;
  for (let at = 0; at < word.length; at += LONGEST_WORD)
    size += remembered(word.slice(at, at + LONGEST_WORD), partSize);
  return size;
}

function partSize(part: string): number {
  const { pieces, unknown } = wordPieces(part);
  const weight = SCRIPTS.find(([script]) => script.test(part))?.[1] ?? PIECE;
  let size = weight * pieces;
  // A character of Chinese is a word for the tokenizer, so that one unknown piece is one character.
  if (/\p{Script=Han}/u.test(part)) size += 70 * unknown + 170 * count(part, RARE_HAN);
  else if (unknown > 0) size += unknownSize(part);
  const others = part.replace(/[\0-\x7f]+/g, '');
  if (others === '') return size;
  // The tokenizer drops accents, of which each may be a piece or two.
  size +=
    150 * count(others.normalize('NFC'), /\p{M}/gu) +
    50 * count(others, /[\u00c0-\u024f]/g) +
    100 * count(others, /[\u1e00-\u1eff]/g);
  return Math.max(size, (COMMON.test(others) ? 33 : 75) * Buffer.byteLength(others));
}

/** Characters of which no model has a piece. */
const RARE_HAN = /[\u3400-\u4dbf]|[\u{20000}-\u{3ffff}]/gu;

/** Scripts of which models know some words. Of others they know letters or single bytes. */
const COMMON =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{M}\p{N}ー]*$/u;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const FOLDER = fileURLToPath(dataFile('models/skill-minilm'));

let tokenizer: Tokenizer | undefined;

/**
 * How many pieces a word has by the vocabulary of the bundled model (WordPiece), and how many of them are unknown: they
 * stand for text which the vocabulary does not have, however long it is. The first call reads the vocabulary, which
 * takes some 10 ms; the model itself is not needed.
 *
 * @throws {SkillSearchError} `MODEL_NOT_FOUND` if the files of the tokenizer cannot be read
 */
function wordPieces(word: string) {
  tokenizer ??= tokenizerOfModel();
  const pieces = tokenizer.tokenize(word);
  return { pieces: pieces.length, unknown: pieces.filter((piece) => piece === '[UNK]').length };
}

function tokenizerOfModel(): Tokenizer {
  try {
    return readWordPieces(FOLDER);
  } catch (cause) {
    const message = `the tokenizer of the bundled model cannot be read: ${FOLDER}`;
    throw new SkillSearchError('MODEL_NOT_FOUND', message, { path: FOLDER, cause });
  }
}
