/**
 * The longest part of a file's text that a page shows at once, in UTF-16 units. A page of it has up to 100 KB, and
 * Markdown takes some tens of milliseconds. One text of a thousand is longer.
 */
export const MAX_PAGE_TEXT = 50_000;

/** Lines of a file's text that a page shows at once. Each is an element of its own. */
export const MAX_PAGE_LINES = 2000;

const LF = 0x0a;
const CR = 0x0d;

/** A part of a text, as much as a page shows at once. */
export interface TextPart {
  readonly text: string;
  /** From 1 on. */
  readonly number: number;
  /** Number of parts of the text, at least 1. */
  readonly count: number;
  /** The number of its first line in the text, from 1 on. */
  readonly firstLine: number;
}

/**
 * A part of a text: up to {@link MAX_PAGE_TEXT} UTF-16 units and {@link MAX_PAGE_LINES} lines. Ends at the end of a
 * line where there is one in its second half.
 *
 * @param number from 1 on
 * @returns undefined if the text has fewer parts
 */
export function textPart(text: string, number: number): TextPart | undefined {
  let part: Omit<TextPart, 'count'> | undefined;
  let count = 0;
  let firstLine = 1;
  for (let start = 0; start < text.length || count === 0; ) {
    const { end, lines } = endOfPart(text, start);
    count++;
    if (count === number) part = { text: text.slice(start, end), number, firstLine };
    firstLine += lines;
    start = end;
  }
  return part === undefined ? undefined : { ...part, count };
}

/** @returns where the part ends, and how many ends of lines it has */
function endOfPart(text: string, start: number): { end: number; lines: number } {
  const limit = start + MAX_PAGE_TEXT;
  let end = start;
  let lines = 0;
  for (let at = start; at < limit && at < text.length && lines < MAX_PAGE_LINES; at++) {
    if (!isEndOfLine(text, at)) continue;
    end = at + 1;
    lines++;
  }
  if (lines === MAX_PAGE_LINES) return { end, lines };
  if (text.length <= limit) return { end: text.length, lines };
  if (end > start + MAX_PAGE_TEXT / 2) return { end, lines };
  // A line as long as a part: it is cut, but not inside of a character.
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(limit - 1, limit + 1));
  return { end: isPair ? limit - 1 : limit, lines };
}

/** Whether a line ends with this character: with LF, CR LF, or the CR of old. */
function isEndOfLine(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LF || (unit === CR && text.charCodeAt(at + 1) !== LF);
}
