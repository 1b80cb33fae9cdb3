import stringWidth from 'string-width';

/** Columns that a text takes on a terminal; East Asian characters take two. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to so many columns, with an ellipsis where something is left out. */
export function fitColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of CHARACTERS.segment(text)) {
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

/**
 * The parts of a text that stay whole: words with the punctuation at them, blanks, and single characters of a word that
 * is longer than a line. Between words without blanks (Chinese, Japanese, Thai) a line may break.
 */
function* pieces(text: string, columns: number): Generator<{ segment: string; index: number }> {
  let last: { segment: string; index: number; endsInWord: boolean } | undefined;
  for (const { segment, index, isWordLike = false } of WORDS.segment(text)) {
    const isAttached =
      !(last?.endsInWord === true && isWordLike) && /\S$/.test(last?.segment ?? ' ') && /^\S/.test(segment);
    if (last !== undefined && isAttached && widthOf(last.segment + segment) <= columns) {
      last = { segment: last.segment + segment, index: last.index, endsInWord: isWordLike };
      continue;
    }
    if (last !== undefined) yield last;
    last = undefined;
    if (widthOf(segment) <= columns) last = { segment, index, endsInWord: isWordLike };
    else for (const one of CHARACTERS.segment(segment)) yield { segment: one.segment, index: index + one.index };
  }
  if (last !== undefined) yield last;
}

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
const CHARACTERS = new Intl.Segmenter();
