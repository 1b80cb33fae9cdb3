import { foldCase, MAX_TERM_LENGTH, type Token } from '../../../src/core/index.js';
import { CharacterClass, classOf } from '../../../src/core/text/characters.js';

interface Part {
  readonly start: number;
  readonly end: number;
}

/** The tokens of a normalised text, taken apart without haste: an object for each, no shortcut for plain words. */
export function naiveWords(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  let i = 0;
  while (i < text.length) {
    const codePoint = text.codePointAt(i) as number;
    const kind = classOf(codePoint);
    if (kind === CharacterClass.unspaced) {
      const end = endOfRun(text, i);
      position = addRun(tokens, text, i, end, position);
      i = end;
    } else if (isPossessive(text, i)) {
      i += 1;
    } else if (startsWord(kind)) {
      const chunk = new Chunk(text, i);
      position = chunk.addTo(tokens, position);
      i = chunk.end;
    } else {
      i += codePoint > 0xffff ? 2 : 1;
    }
  }
  return tokens;
}

/** The `s` of `user's`: no word, so that `user guide` finds it. */
function isPossessive(text: string, i: number): boolean {
  if ((text[i] !== 's' && text[i] !== 'S') || i < 2 || classAt(text, i - 1) !== CharacterClass.apostrophe) return false;
  return continuesWord(classAt(text, i - 2)) && !continuesWord(classAt(text, i + 1));
}

function startsWord(kind: number): boolean {
  return kind === CharacterClass.lower || kind === CharacterClass.upper || kind === CharacterClass.digit;
}

function continuesWord(kind: number): boolean {
  return startsWord(kind) || kind === CharacterClass.mark;
}

function classAt(text: string, i: number): number {
  const codePoint = text.codePointAt(i);
  return codePoint === undefined ? CharacterClass.other : classOf(codePoint);
}

function widthAt(text: string, i: number): number {
  return (text.codePointAt(i) as number) > 0xffff ? 2 : 1;
}

function endOfRun(text: string, start: number): number {
  let i = start;
  while (i < text.length && classAt(text, i) === CharacterClass.unspaced) i += widthAt(text, i);
  return i;
}

/** Overlapping pairs, then the last character by itself: every character of the run begins one of these terms. */
function addRun(tokens: Token[], text: string, start: number, end: number, firstPosition: number): number {
  let position = firstPosition;
  for (let i = start; i < end; position++) {
    const next = i + widthAt(text, i);
    const last = next >= end;
    const stop = last ? next : next + widthAt(text, next);
    const kind = last ? 'character' : 'pair';
    tokens.push({ term: termOf(text, i, stop), kind, position, span: 1, start: i, end: stop });
    i = next;
  }
  return position;
}

function termOf(text: string, start: number, end: number): string {
  return cut(foldCase(text.slice(start, end)));
}

function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term;
  const last = term.charCodeAt(MAX_TERM_LENGTH - 1);
  return term.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH);
}

/**
 * A run of letters and digits with the joiners and dots inside it, `React-Testing.js_old`, taken apart in three
 * levels: segments (between joiners), pieces (between dots), parts (between the humps of camelCase).
 */
class Chunk {
  readonly #text: string;
  readonly #start: number;
  readonly end: number;
  readonly #leadingDot: boolean;
  /** Pieces by segment. */
  readonly #segments: Part[][] = [];

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.#leadingDot = start > 0 && text[start - 1] === '.' && isFreeDot(text, start - 1);
    this.end = this.#scan();
  }

  #scan(): number {
    const text = this.#text;
    let pieces: Part[] = [];
    this.#segments.push(pieces);
    let i = this.#start;
    for (;;) {
      const pieceStart = i;
      while (i < text.length && continuesWord(classAt(text, i))) i += widthAt(text, i);
      i = endOfSuffix(text, pieceStart, i);
      pieces.push({ start: pieceStart, end: i });
      const kind = classAt(text, i);
      if (kind === CharacterClass.dot && startsWord(classAt(text, i + 1))) {
        i += 1;
        continue;
      }
      let next = i;
      while (next < text.length && classAt(text, next) === CharacterClass.joiner) next += 1;
      if (next === i || !startsWord(classAt(text, next))) return i;
      pieces = [];
      this.#segments.push(pieces);
      i = next;
    }
  }

  addTo(tokens: Token[], firstPosition: number): number {
    const text = this.#text;
    const start = this.#start;
    if (this.#segments.length === 1 && (this.#segments[0] as Part[]).length === 1 && !this.#leadingDot) {
      return this.#addPiece(tokens, (this.#segments[0] as Part[])[0] as Part, firstPosition, false);
    }
    let position = firstPosition;
    for (const pieces of this.#segments) {
      const segmentPosition = position;
      const first = pieces[0] as Part;
      const last = pieces[pieces.length - 1] as Part;
      const dotted = pieces.length > 1 || (this.#leadingDot && first.start === start);
      for (const piece of pieces) position = this.#addPiece(tokens, piece, position, dotted);
      if (!dotted) continue;
      const from = this.#leadingDot && first.start === start ? start - 1 : first.start;
      const term = cut(joinDotted(foldCase(text.slice(from, last.end))));
      const span = position - segmentPosition;
      tokens.push({ term, kind: 'dotted', position: segmentPosition, span, start: from, end: last.end });
    }
    if (this.#segments.length > 1) {
      const whole = joinDotted(foldCase(text.slice(start, this.end))).replace(/[-_\u2010\u2011]+/g, '');
      const span = position - firstPosition;
      tokens.push({ term: cut(whole), kind: 'joined', position: firstPosition, span, start, end: this.end });
    }
    return position;
  }

  #addPiece(tokens: Token[], piece: Part, firstPosition: number, dotted: boolean): number {
    const text = this.#text;
    const { start, end } = piece;
    const humps = splitHumps(text, start, end);
    if (humps === undefined) {
      const kind = dotted ? 'dotted-part' : 'word';
      tokens.push({ term: termOf(text, start, end), kind, position: firstPosition, span: 1, start, end });
      return firstPosition + 1;
    }
    const pascal = classAt(text, start) === CharacterClass.upper;
    const kind = pascal ? 'inner' : dotted ? 'dotted-part' : 'word';
    for (let h = 0; h < humps.length; h++) {
      const from = humps[h] as number;
      const to = humps[h + 1] ?? end;
      tokens.push({ term: termOf(text, from, to), kind, position: firstPosition + h, span: 1, start: from, end: to });
    }
    const whole = pascal ? 'pascal' : 'camel';
    const span = humps.length;
    tokens.push({ term: termOf(text, start, end), kind: whole, position: firstPosition, span, start, end });
    return firstPosition + span;
  }
}

/** A dot that begins a word, `.net`: nothing but white space or an opening mark before it. */
function isFreeDot(text: string, dot: number): boolean {
  if (dot === 0) return classAt(text, dot + 1) !== CharacterClass.digit;
  const before = text.charCodeAt(dot - 1);
  const kind = classOf(before >= 0xd800 && before <= 0xdfff ? 0xfffd : before);
  return kind === CharacterClass.other && classAt(text, dot + 1) !== CharacterClass.digit;
}

/** `c++` and `c#` stay words: two plus signs after any word, a hash after a single letter. */
function endOfSuffix(text: string, start: number, end: number): number {
  if (text[end] === '+' && text[end + 1] === '+') return end + 2;
  const singleLetter = end - start === 1 && classAt(text, start) !== CharacterClass.digit;
  if (singleLetter && text[end] === '#' && !continuesWord(classAt(text, end + 1))) return end + 1;
  return end;
}

/**
 * Where the humps of a camelCase word begin, or undefined where it has one only: `reactTesting`, `XMLHttpRequest`.
 * Not split: a hump of one letter (`iPhone`, `vLLM`), a plural of capitals (`APIs`).
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
    if ((humps[h + 1] ?? end) - (humps[h] as number) < 2) return undefined;
  }
  return humps;
}

function isPlural(text: string, i: number, end: number): boolean {
  return i === end - 1 && text[i] === 's';
}

/** `node.js` and `nodejs` are the same word; the dot stays between digits (`3.12`) and in front (`.net`). */
function joinDotted(term: string): string {
  return term.replace(/(?<=[^\d.])\.|\.(?=[^\d.])(?<!^\.)/g, '');
}
