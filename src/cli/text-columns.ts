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

/** White space, a character between which and others a line may break, or a word of any others. */
const PIECES = /\s+|[\u2e80-\u9fff\uac00-\ud7a3\uff01-\uff60]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uff01-\uff60]+/g;

/**
 * Breaks a text into lines of at most `columns`: between words, between characters of Chinese, Japanese and Korean, and
 * inside a word only if it is longer than a line.
 */
export function wrapRanges(text: string, columns: number): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  let width = 0;
  const add = (piece: string, index: number): void => {
    const added = widthOf(piece);
    if (width + added > columns && text.slice(start, index).trim() !== '') {
      ranges.push([start, index]);
      start = index;
      width = 0;
    }
    if (width === 0 && piece.trim() === '') start = index + piece.length;
    else width += added;
  };
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    if (widthOf(piece) <= columns) add(piece, index);
    else for (const one of characters().segment(piece)) add(one.segment, index + one.index);
  }
  if (text.slice(start).trim() !== '') ranges.push([start, text.length]);
  return ranges;
}

/** The lines of {@link wrapRanges}, without blanks at their ends. */
export function wrapLines(text: string, columns: number): string[] {
  return wrapRanges(text, columns).map(([start, end]) => text.slice(start, end).trimEnd());
}

let segmenter: Intl.Segmenter | undefined;

/** Loading what Node knows of scripts takes longer than all else of a short text's lines. */
function characters(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter();
  return segmenter;
}

/**
 * Characters that take one column, or two, whatever stands before and after them: no marks, nothing that joins or is
 * joined, and no characters that are pictures only with a selector. In the order of their code points.
 */
const SIMPLE: ReadonlyArray<readonly [first: number, last: number, columns: 1 | 2]> = [
  [0x20, 0x7e, 1],
  [0xa1, 0xac, 1],
  [0xae, 0x2ff, 1], // Latin with accents
  [0x2010, 0x2027, 1], // dashes, quotation marks, bullets, …
  [0x2190, 0x22ff, 1], // arrows, mathematics
  [0x2605, 0x2606, 1], // stars
  [0x3000, 0x3029, 2], // punctuation of Chinese and Japanese
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2], // Korean syllables
  [0xff01, 0xff60, 2],
];

/** The columns that a text takes on a terminal; East Asian characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const [first, , columns] = SIMPLE.find(([, last]) => code <= last) ?? [Number.POSITIVE_INFINITY, 0, 0];
    if (code < first) return exactWidth(text);
    width += columns;
  }
  return width;
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

export function stylesFor(stream: Partial<Pick<WriteStream, 'isTTY' | 'hasColors'>>): Styles {
  const isStyled = stream.isTTY === true && stream.hasColors?.() === true;
  const between =
    (start: number, end: number) =>
    (text: string): string =>
      isStyled ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return { bold: between(1, 22), dim: between(2, 22), match: between(33, 39) };
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
  if (days < 31) return counted(days, 'day');
  if (days < 365) return counted(Math.floor(days / 30.44), 'month');
  return counted(Math.floor(days / 365.25) || 1, 'year');
}
