import stringWidth from 'string-width';

// Control characters, among them those that begin a terminal's escape sequences, and bidirectional overrides: text of
// a catalogue must not be able to move the cursor, change colours or reorder a line.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff]+/g;

/** Text of a catalogue on one line of a terminal. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
}

/** Text of a catalogue over several lines: line ends and tabs stay. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replaceAll('\t', '  ').replace(UNSAFE, ' ').trimEnd())
    .join('\n');
}

/** Columns that a text takes on a terminal; East Asian characters take two. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to so many columns, with an ellipsis where something is left out. */
export function fitColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Fills a text up to so many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Takes what is not safe out of a text without changing its length. */
export function blankUnsafe(text: string): string {
  return text.replace(UNSAFE, (run) => ' '.repeat(run.length));
}

/** A stretch of a text: [start, end) in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/**
 * Where to break a text into lines of so many columns: between words, inside one only where it is longer than a line.
 */
export function wrapRanges(text: string, columns: number): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  let width = 0;
  for (const { segment, index } of pieces(text, columns)) {
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

/** Lines of as many parts as go into so many columns; a part that is wider has a line of its own. Ends in no blanks. */
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

function* pieces(text: string, columns: number): Generator<{ segment: string; index: number }> {
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (widthOf(segment) <= columns) yield { segment, index };
    else
      for (const one of new Intl.Segmenter().segment(segment)) yield { segment: one.segment, index: index + one.index };
  }
}
