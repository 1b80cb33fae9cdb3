import { CharacterClass, classOf, foldCase, isUnspacedTerm, normaliseText } from './characters.js';

/**
 * The origin of a term.
 *
 * - `word`: a word, or a part of a compound: `react` of `react-testing`
 * - `inner`: a part of a word in PascalCase: `hub` of `GitHub`. Such words are mostly names, so their parts count
 *   only if nothing else is found; see `question.ts`.
 * - `dotted-part`: a part of a dotted word: `node` of `Node.js`
 * - `camel`, `pascal`, `dotted`, `joined`: the whole of a compound: `reacttesting`, `github`, `nodejs`
 * - `pair`, `character`: of text without spaces; `character` is the last one of a run
 */
export type TokenKind =
  | 'word'
  | 'inner'
  | 'dotted-part'
  | 'camel'
  | 'pascal'
  | 'dotted'
  | 'joined'
  | 'pair'
  | 'character';

/**
 * A term and its position. The finest parts are numbered 0, 1, 2, … (`position`). The whole of a compound covers as
 * many positions as it has parts (`span`), so a phrase matches through the whole or through the parts:
 *
 *     JavaScript     framework
 *     java | script | framework      positions 0, 1, 2
 *     javascript    | framework      span 2 at position 0
 */
export interface Token {
  /** Lower case, accents kept, at most {@link MAX_TERM_LENGTH} UTF-16 units. */
  readonly term: string;
  readonly kind: TokenKind;
  readonly position: number;
  readonly span: number;
  /** UTF-16 offsets in the normalised text. */
  readonly start: number;
  readonly end: number;
}

/** Longer words (hashes, encoded data) are cut, in texts and in questions. In UTF-16 units. */
export const MAX_TERM_LENGTH = 64;

/**
 * Receives one token of a text, see {@link Token}.
 *
 * @param term undefined for most tokens: then it is {@link plainTerm} of the text between `start` and `end`
 */
export type WordVisitor = (
  term: string | undefined,
  kind: TokenKind,
  position: number,
  span: number,
  start: number,
  end: number,
) => void;

/** Reads the words of a text. The text is normalised first; offsets refer to the normalised form. */
export function readWords(text: string): Token[] {
  return readNormalisedWords(normaliseText(text));
}

/** {@link readWords} for a text that `normaliseText` returned. */
export function readNormalisedWords(text: string): Token[] {
  const tokens: Token[] = [];
  visitWords(text, (term, kind, position, span, start, end) => {
    tokens.push({ term: term ?? plainTerm(text, start, end), kind, position, span, start, end });
  });
  return tokens;
}

/**
 * The term of a stretch of ASCII characters: lower case, without joiners, and without dots except in front (`.net`) and
 * between digits (`3.12`).
 */
export function plainTerm(text: string, start: number, end: number): string {
  const lower = text.slice(start, end).toLowerCase();
  return PUNCTUATION.test(lower) ? joinDotted(lower).replace(JOINERS, '') : lower;
}

const PUNCTUATION = /[-_.]/;

/**
 * Visits each token of a text that `normaliseText` returned. Most words are plain Latin letters, and no object or
 * string is made for these: a catalogue has tens of millions of them.
 *
 * @returns the number of positions
 */
export function visitWords(text: string, visit: WordVisitor): number {
  let chunks: ChunkReader | undefined;
  let position = 0;
  let i = 0;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80 && WORD_UNITS[unit] === 0) {
      i += 1;
      continue;
    }
    const codePoint = unit < 0x80 ? unit : text.codePointAt(i)!;
    const kind = classOf(codePoint);
    if (kind === CharacterClass.unspaced) {
      const end = endOfRun(text, i);
      position = visitRun(text, i, end, position, visit);
      i = end;
    } else if (isPossessive(text, i, unit)) {
      i += 1;
    } else if (startsWord(kind)) {
      const end = endOfPlainWord(text, i);
      if (end !== -1) {
        visit(undefined, 'word', position++, 1, i, end);
        i = end;
      } else {
        chunks ??= new ChunkReader(text, visit);
        position = chunks.read(i, position);
        i = chunks.end;
      }
    } else {
      i += codePoint > 0xffff ? 2 : 1;
    }
  }
  return position;
}

const ASCII_CLASSES = Uint8Array.from({ length: 0x80 }, (_, unit) => classOf(unit));

/** By ASCII character: 2 for capitals, 1 for small letters and digits, 0 for others. */
const WORD_UNITS = ASCII_CLASSES.map((kind) => (kind === CharacterClass.upper ? 2 : startsWord(kind) ? 1 : 0));

/**
 * The end of a plain word: a whole chunk of Latin letters and digits, not too long and without humps.
 *
 * @returns -1 if the word is not plain, or not certainly
 */
function endOfPlainWord(text: string, start: number): number {
  let capitals = 0;
  let end = start;
  let unit = text.charCodeAt(end);
  for (; unit < 0x80; unit = text.charCodeAt(++end)) {
    const kind = WORD_UNITS[unit]!;
    if (kind === 0) break;
    capitals += kind >> 1;
  }
  const length = end - start;
  if (length === 0 || length > MAX_TERM_LENGTH) return -1;
  const capitalised = capitals === 1 && WORD_UNITS[text.charCodeAt(start)] === 2;
  if (capitals > 0 && !capitalised && capitals < length) return -1;
  if (start > 0 && text.charCodeAt(start - 1) === DOT && isFreeDot(text, start - 1)) return -1;
  return endsChunk(text, end, unit, length) ? end : -1;
}

/**
 * Whether a chunk ends behind the letters of a word.
 *
 * @param unit the code unit at `end`; NaN at the end of the text
 */
function endsChunk(text: string, end: number, unit: number, length: number): boolean {
  if (Number.isNaN(unit)) return true;
  switch (classAt(text, end)) {
    case CharacterClass.other:
    case CharacterClass.apostrophe:
    case CharacterClass.unspaced:
      return true;
    case CharacterClass.plus:
      return text.charCodeAt(end + 1) !== unit;
    case CharacterClass.hash:
      return length > 1;
    case CharacterClass.dot:
      return !startsWord(classAt(text, end + 1));
    case CharacterClass.joiner:
      return !startsWord(classAt(text, endOfJoiners(text, end)));
    default:
      return false;
  }
}

const DOT = 0x2e;
const SMALL_S = 0x73;

function endOfJoiners(text: string, start: number): number {
  let end = start;
  while (end < text.length && classAt(text, end) === CharacterClass.joiner) end += 1;
  return end;
}

/** Whether tokens of this kind are the finest parts of a text: there is one at each position. */
export function isPartKind(kind: TokenKind): boolean {
  return kind === 'word' || kind === 'inner' || kind === 'dotted-part' || kind === 'pair' || kind === 'character';
}

/** Whether this is the `s` of `user's`. It is not a word, so that the phrase `user guide` finds `user's guide`. */
function isPossessive(text: string, i: number, unit: number): boolean {
  if ((unit | 0x20) !== SMALL_S || i < 2 || classAt(text, i - 1) !== CharacterClass.apostrophe) return false;
  return continuesWord(classAt(text, i - 2)) && !continuesWord(classAt(text, i + 1));
}

function startsWord(kind: number): boolean {
  return kind === CharacterClass.lower || kind === CharacterClass.upper || kind === CharacterClass.digit;
}

function continuesWord(kind: number): boolean {
  return startsWord(kind) || kind === CharacterClass.mark;
}

function classAt(text: string, i: number): number {
  const unit = text.charCodeAt(i);
  if (unit < 0x80) return ASCII_CLASSES[unit]!;
  const codePoint = text.codePointAt(i);
  return codePoint === undefined ? CharacterClass.other : classOf(codePoint);
}

function widthAt(text: string, i: number): number {
  return text.codePointAt(i)! > 0xffff ? 2 : 1;
}

function endOfRun(text: string, start: number): number {
  let i = start;
  while (i < text.length && classAt(text, i) === CharacterClass.unspaced) i += widthAt(text, i);
  return i;
}

/** Overlapping pairs, then the last character by itself: every character of the run begins one term. */
function visitRun(text: string, start: number, end: number, firstPosition: number, visit: WordVisitor): number {
  let position = firstPosition;
  for (let i = start; i < end; position++) {
    const next = i + widthAt(text, i);
    const last = next >= end;
    const stop = last ? next : next + widthAt(text, next);
    // These scripts have no capitals.
    visit(text.slice(i, stop), last ? 'character' : 'pair', position, 1, i, stop);
    i = next;
  }
  return position;
}

/** @returns undefined if it is the {@link plainTerm} */
function termOf(text: string, start: number, end: number): string | undefined {
  return isPlain(text, start, end) ? undefined : cut(foldCase(text.slice(start, end)));
}

function isPlain(text: string, start: number, end: number): boolean {
  if (end - start > MAX_TERM_LENGTH) return false;
  for (let i = start; i < end; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term;
  const last = term.charCodeAt(MAX_TERM_LENGTH - 1);
  return term.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH);
}

/**
 * Reads chunks: runs of letters and digits with joiners and dots inside them, like `React-Testing.js_old`. A chunk is
 * split in three levels: segments (between joiners), pieces (between dots), parts (between the humps of camelCase).
 */
class ChunkReader {
  readonly #text: string;
  readonly #visit: WordVisitor;
  /** The end of the chunk that was read last. */
  end = 0;
  // The bounds of the pieces, and the first piece of each segment. The arrays keep their length, with values of earlier
  // chunks at the end: emptying an array would free its memory.
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #pieces = 0;
  readonly #firsts: number[] = [];
  #segments = 0;

  constructor(text: string, visit: WordVisitor) {
    this.#text = text;
    this.#visit = visit;
  }

  /** @returns the position after the chunk */
  read(start: number, firstPosition: number): number {
    const plain = this.#scan(start);
    const text = this.#text;
    const leadingDot = start > 0 && text.charCodeAt(start - 1) === DOT && isFreeDot(text, start - 1);
    if (this.#pieces === 1 && !leadingDot) return this.#visitPiece(0, firstPosition, false);
    let position = firstPosition;
    for (let segment = 0; segment < this.#segments; segment++) {
      const segmentPosition = position;
      const first = this.#firsts[segment]!;
      const behind = segment + 1 < this.#segments ? this.#firsts[segment + 1]! : this.#pieces;
      const dotFirst = leadingDot && first === 0;
      const dotted = dotFirst || behind - first > 1;
      for (let piece = first; piece < behind; piece++) position = this.#visitPiece(piece, position, dotted);
      if (!dotted) continue;
      const from = dotFirst ? start - 1 : this.#starts[first]!;
      const to = this.#ends[behind - 1]!;
      const isPlain = plain && to - from <= MAX_TERM_LENGTH;
      const term = isPlain ? undefined : cut(joinDotted(foldCase(text.slice(from, to))));
      this.#visit(term, 'dotted', segmentPosition, position - segmentPosition, from, to);
    }
    if (this.#segments > 1) {
      const isPlain = plain && this.end - start <= MAX_TERM_LENGTH;
      const term = isPlain ? undefined : cut(joinDotted(foldCase(text.slice(start, this.end))).replace(JOINERS, ''));
      this.#visit(term, 'joined', firstPosition, position - firstPosition, start, this.end);
    }
    return position;
  }

  /** @returns whether all characters are ASCII */
  #scan(start: number): boolean {
    const text = this.#text;
    let plain = true;
    this.#pieces = 0;
    this.#segments = 1;
    this.#firsts[0] = 0;
    let i = start;
    for (;;) {
      const pieceStart = i;
      for (; i < text.length && continuesWord(classAt(text, i)); i += widthAt(text, i)) {
        if (text.charCodeAt(i) >= 0x80) plain = false;
      }
      i = endOfSuffix(text, pieceStart, i);
      this.#starts[this.#pieces] = pieceStart;
      this.#ends[this.#pieces++] = i;
      this.end = i;
      if (text.charCodeAt(i) === DOT && startsWord(classAt(text, i + 1))) {
        i += 1;
        continue;
      }
      const next = endOfJoiners(text, i);
      if (next === i || !startsWord(classAt(text, next))) return plain;
      for (; i < next; i++) if (text.charCodeAt(i) >= 0x80) plain = false;
      this.#firsts[this.#segments++] = this.#pieces;
    }
  }

  #visitPiece(piece: number, firstPosition: number, dotted: boolean): number {
    const text = this.#text;
    const start = this.#starts[piece]!;
    const end = this.#ends[piece]!;
    const humps = splitHumps(text, start, end);
    if (humps === undefined) {
      this.#visit(termOf(text, start, end), dotted ? 'dotted-part' : 'word', firstPosition, 1, start, end);
      return firstPosition + 1;
    }
    const pascal = classAt(text, start) === CharacterClass.upper;
    const kind = pascal ? 'inner' : dotted ? 'dotted-part' : 'word';
    const span = humps.length;
    for (let h = 0; h < span; h++) {
      const from = humps[h]!;
      const to = humps[h + 1] ?? end;
      this.#visit(termOf(text, from, to), kind, firstPosition + h, 1, from, to);
    }
    this.#visit(termOf(text, start, end), pascal ? 'pascal' : 'camel', firstPosition, span, start, end);
    return firstPosition + span;
  }
}

const JOINERS = /[-_\u2010\u2011]+/g;

/** Whether a dot begins a word, as in `.net`: only white space or an opening mark is before it. */
function isFreeDot(text: string, dot: number): boolean {
  if (dot === 0) return classAt(text, dot + 1) !== CharacterClass.digit;
  const before = text.charCodeAt(dot - 1);
  const kind = classOf(before >= 0xd800 && before <= 0xdfff ? 0xfffd : before);
  return kind === CharacterClass.other && classAt(text, dot + 1) !== CharacterClass.digit;
}

/**
 * The end of a word with its suffix, so that `c++` and `c#` are words: `++` after any word, `#` after a single
 * letter.
 */
function endOfSuffix(text: string, start: number, end: number): number {
  if (text[end] === '+' && text[end + 1] === '+') return end + 2;
  const singleLetter = end - start === 1 && classAt(text, start) !== CharacterClass.digit;
  if (singleLetter && text[end] === '#' && !continuesWord(classAt(text, end + 1))) return end + 1;
  return end;
}

/**
 * The offsets at which the humps of a camelCase word begin (`reactTesting`, `XMLHttpRequest`); undefined if there is
 * only one. A word with a hump of one letter (`iPhone`, `vLLM`) or a plural of capitals (`APIs`) is not split.
 */
function splitHumps(text: string, start: number, end: number): number[] | undefined {
  let humps: number[] | undefined;
  let before: number = CharacterClass.other;
  for (let i = start; i < end; ) {
    const kind = classAt(text, i);
    const width = widthAt(text, i);
    if (kind === CharacterClass.upper && i > start) {
      const afterSmall = before === CharacterClass.lower || before === CharacterClass.digit;
      const beforeSmall = before === CharacterClass.upper && classAt(text, i + width) === CharacterClass.lower;
      if (afterSmall || (beforeSmall && !isPlural(text, i + width, end))) {
        humps ??= [start];
        humps.push(i);
      }
    }
    if (kind !== CharacterClass.mark) before = kind;
    i += width;
  }
  if (humps === undefined) return undefined;
  for (let h = 0; h < humps.length; h++) {
    if ((humps[h + 1] ?? end) - humps[h]! < 2) return undefined;
  }
  return humps;
}

function isPlural(text: string, i: number, end: number): boolean {
  return i === end - 1 && text[i] === 's';
}

/**
 * Removes dots, so that `node.js` and `nodejs` are the same word, except between digits (`3.12`) and in front
 * (`.net`).
 */
function joinDotted(term: string): string {
  return term.replace(/(?<=[^\d.])\.|\.(?=[^\d.])(?<!^\.)/g, '');
}

/** The word at the end of a text that somebody is typing. */
export interface TypedWord {
  /** Everything before it, as it is. */
  readonly before: string;
  /** Its letters so far, normalised, lower case, accents kept; at least one. */
  readonly letters: string;
}

const LETTER = /^[\p{L}\p{M}\p{N}]$/u;

/** The end of a word behind an apostrophe, `t` of `don't`, is no beginning of another. */
const APOSTROPHE = /[\p{L}\p{M}\p{N}]['\u2019]$/u;

/**
 * The word at the end of a text. There is none behind a blank or other punctuation, where the last word is done, and
 * none in scripts whose words have no spaces between them.
 */
export function typedWord(text: string): TypedWord | undefined {
  const characters = [...text];
  // One by one from the end: a pattern would look at a long run once for each of its letters.
  let start = characters.length;
  while (start > 0 && LETTER.test(characters[start - 1]!) && !isUnspacedTerm(characters[start - 1]!)) start -= 1;
  const before = characters.slice(0, start).join('');
  const letters = characters.slice(start).join('');
  if (letters === '' || APOSTROPHE.test(before)) return undefined;
  return { before, letters: foldCase(normaliseText(letters)) };
}

/**
 * Version of the tokens, stems and name keys of a text: of `words.ts`, `characters.ts` and `keys.ts`; and of which of
 * them an index has. Raise it with every change: the next load then rebuilds keyword indexes made by other rules.
 */
export const WORD_RULES = 5;
