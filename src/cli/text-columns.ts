import { createRequire } from 'node:module';
import type { WriteStream } from 'node:tty';
import type stringWidth from 'string-width';

/** Cuts a text to a number of columns. An ellipsis marks a cut. */
export function fitColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of characters().segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Pads a text with blanks to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Lays out rows of cells as lines, each column as wide as its widest cell. */
export function alignColumns(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** A range of a text: [start, end) in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/**
 * Breaks a text into lines of at most `columns`: between words, and inside a word only if it is longer than a line.
 */
export function wrapRanges(text: string, columns: number): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  let width = 0;
  for (const { segment, index } of plainPieces(text, columns) ?? pieces(text, columns)) {
    const added = widthOf(segment);
    if (width + added > columns && text.slice(start, index).trim() !== '') {
      ranges.push([start, index]);
      start = index;
      width = 0;
    }
    if (width === 0 && segment.trim() === '') start = index + segment.length;
    else width += added;
  }
  if (text.slice(start).trim() !== '') ranges.push([start, text.length]);
  return ranges;
}

/** Joins parts to lines of at most `columns`, without blanks at their ends. A wider part gets a line of its own. */
export function joinParts(parts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && widthOf((line + part).trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += part;
  }
  return line === '' ? lines : [...lines, line.trimEnd()];
}

/**
 * Texts of which the parts are known at once: what stands between blanks. Their letters, digits and marks need no rules
 * for where a word ends.
 */
const PLAIN = /^[ -~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u2013\u2014\u2018-\u201d\u2022\u2026\u2192]*$/;

/** What {@link pieces} says of a plain text; undefined for others, and if a word is longer than a line. */
function plainPieces(text: string, columns: number): Piece[] | undefined {
  if (!PLAIN.test(text)) return undefined;
  const parts = [...text.matchAll(/ +|[^ ]+/g)].map(({ 0: segment, index }) => ({ segment, index }));
  return parts.some(({ segment }) => segment.length > columns) ? undefined : parts;
}

interface Piece {
  readonly segment: string;
  readonly index: number;
}

/**
 * The parts of a text that stay whole: words with the punctuation at them, blanks, and single characters of a word that
 * is longer than a line. Between words without blanks (Chinese, Japanese, Thai) a line may break.
 */
function* pieces(text: string, columns: number): Generator<Piece> {
  let last: { segment: string; index: number; endsInWord: boolean } | undefined;
  for (const { segment, index, isWordLike = false } of wordsOf(text)) {
    const isAttached =
      !(last?.endsInWord === true && isWordLike) && /\S$/.test(last?.segment ?? ' ') && /^\S/.test(segment);
    if (last !== undefined && isAttached && widthOf(last.segment + segment) <= columns) {
      last = { segment: last.segment + segment, index: last.index, endsInWord: isWordLike };
      continue;
    }
    if (last !== undefined) yield last;
    last = undefined;
    if (widthOf(segment) <= columns) last = { segment, index, endsInWord: isWordLike };
    else for (const one of characters().segment(segment)) yield { segment: one.segment, index: index + one.index };
  }
  if (last !== undefined) yield last;
}

/** The most UTF-16 units of which words are looked for at once: in Thai the time grows faster than they do. */
const MOST_AT_ONCE = 500;

function* wordsOf(text: string): Generator<Piece & { readonly isWordLike?: boolean | undefined }> {
  for (let start = 0; start < text.length; ) {
    // A surrogate pair stays whole.
    const end = start + MOST_AT_ONCE + ((text.codePointAt(start + MOST_AT_ONCE - 1) ?? 0) > 0xffff ? 1 : 0);
    for (const { segment, index, isWordLike } of words().segment(text.slice(start, end))) {
      yield { segment, index: start + index, isWordLike };
    }
    start = end;
  }
}

// Loading what Node knows of scripts takes longer than all else of a short text's lines.
let [segmenterOfWords, segmenterOfCharacters]: Intl.Segmenter[] = [];

function words(): Intl.Segmenter {
  segmenterOfWords ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return segmenterOfWords;
}

function characters(): Intl.Segmenter {
  segmenterOfCharacters ??= new Intl.Segmenter();
  return segmenterOfCharacters;
}

/**
 * Characters that take one column, or two, whatever stands before and after them: no marks, nothing that joins or is
 * joined, and no characters that are pictures only with a selector. In the order of their code points.
 */
const SIMPLE: ReadonlyArray<readonly [first: number, last: number, columns: 1 | 2]> = [
  [0x20, 0x7e, 1],
  [0xa1, 0xac, 1],
  [0xae, 0x2ff, 1], // Latin with accents
  [0x386, 0x482, 1], // Greek, Cyrillic
  [0x48a, 0x52f, 1],
  [0x2010, 0x2027, 1], // dashes, quotation marks, bullets, …
  [0x2030, 0x205e, 1],
  [0x2190, 0x22ff, 1], // arrows, mathematics
  [0x2500, 0x25fc, 1], // frames, blocks
  [0x2605, 0x2606, 1], // stars
  [0x2705, 0x2705, 2],
  [0x2728, 0x2728, 2],
  [0x274c, 0x274c, 2],
  [0x3000, 0x3029, 2], // punctuation of Chinese and Japanese
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2], // Korean syllables
  [0xff01, 0xff60, 2],
  [0x1f600, 0x1f64f, 2], // faces
  [0x1f680, 0x1f6c5, 2], // vehicles
];

/** The columns that a text takes on a terminal; East Asian characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const columns = columnsOfSimple(character.codePointAt(0) as number);
    if (columns === undefined) return exactWidth(text);
    width += columns;
  }
  return width;
}

/** @returns undefined for a character that is not {@link SIMPLE} */
function columnsOfSimple(code: number): 1 | 2 | undefined {
  if (code <= 0x7e) return code >= 0x20 ? 1 : undefined;
  for (const [first, last, columns] of SIMPLE) {
    if (code <= last) return code >= first ? columns : undefined;
  }
  return undefined;
}

let measure: typeof stringWidth | undefined;

/** Loading the package takes as long as a search, with all that leads to it, so it is loaded for texts that need it. */
function exactWidth(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as { readonly default: typeof stringWidth }).default;
  return measure(text);
}

/** Emphasis for terminals with colours; plain text otherwise. */
export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  match(text: string): string;
}

const UNSTYLED: Styles = { bold: (text) => text, dim: (text) => text, match: (text) => text };

const STYLED: Styles = {
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  match: (text) => `\u001b[33m${text}\u001b[39m`,
};

export function stylesFor(stream: Partial<Pick<WriteStream, 'isTTY' | 'hasColors'>>): Styles {
  return stream.isTTY === true && stream.hasColors?.() === true ? STYLED : UNSTYLED;
}

/** A whole number as it is read: `94,254`. `toLocaleString` would load what Node knows of all languages first. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number and what is counted: `1 skill`, `1,024 skills`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const DAY = 86_400;

/** The time since a moment, short enough for a column: `today`, `3 days`, `5 months`, `2 years`, `unknown` for 0. */
export function ageOf(unixSeconds: number, now: number = Date.now() / 1000): string {
  if (unixSeconds <= 0) return 'unknown';
  const days = Math.floor((now - unixSeconds) / DAY);
  if (days < 1) return 'today';
  if (days < 31) return count(days, 'day');
  if (days < 365) return count(Math.floor(days / 30.44), 'month');
  return count(Math.floor(days / 365.25) || 1, 'year');
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
