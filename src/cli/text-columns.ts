import { widthOf } from './text-width.js';

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
