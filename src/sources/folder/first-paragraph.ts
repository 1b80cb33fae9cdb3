import { cutCodePoints } from '../rows/clean-text.js';

const MAX_LENGTH = 1000;

const FENCE = /^\s*(`{3,}|~{3,})/;
const SKIPPED = [
  /^\s*#{1,6}(?:\s|$)/, // heading
  /^\s*(?:[-*_=]\s*){3,}$/, // rule
  /^\s*\|/, // table
  /^\s*\[[^\]]+\]:\s/, // link definition
  /^\s*<\/?[a-z][^>]*>\s*$/i, // a tag alone
  /^\s*(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+$/, // images and badges
];
/** Below a single line it makes a heading of that. */
const UNDERLINE = /^\s*(?:=+|-{2,})\s*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;
/** A line that gives what front matter should: `**Name:** x`, `version: 1`. */
const FIELD =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?(name|version|author|license|tags|title|id)(?:\*{1,2}|_{1,2}|`)?\s*:/i;
const DESCRIPTION =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?description(?:\*{1,2}|_{1,2}|`)?\s*:(?:\*{1,2}|_{1,2}|`)?\s*(\S.*)$/i;

/** How many lines from the top a line `**Description:** …` counts. */
const TOP_LINES = 20;
const MAX_LINES = 2000;

/**
 * The text that says best what a Markdown page is about: a line `**Description:** …` near its beginning, else its
 * first paragraph of words. One line, at most 1,000 code points; empty where there is none.
 */
export function firstParagraph(markdown: string): string {
  const lines = withoutFences(withoutComments(markdown).split(/\r\n|\n|\r/, MAX_LINES));
  const described = lines.slice(0, TOP_LINES).find((line) => DESCRIPTION.test(line));
  const text = described?.replace(DESCRIPTION, '$1') ?? paragraph(lines).join(' ');
  return cutCodePoints(text.replace(/\s+/g, ' ').trim(), MAX_LENGTH);
}

/** The lines of the first paragraph. */
function paragraph(lines: readonly string[]): string[] {
  const found: string[] = [];
  let inList = false;
  for (const line of lines) {
    const isItem = LIST_ITEM.test(line);
    if (found.length === 1 && UNDERLINE.test(line)) {
      found.length = 0; // it was a heading
      continue;
    }
    // A list is a paragraph of its own, unless a colon announces it.
    const listBegins = isItem && !inList && found.length > 0 && !/[:：]\s*$/.test(found.at(-1) ?? '');
    if (listBegins || line.trim() === '' || SKIPPED.some((pattern) => pattern.test(line))) {
      if (found.length > 0) return found;
    } else if (!FIELD.test(line)) {
      found.push(line);
      inList ||= isItem;
    }
  }
  return found;
}

function withoutComments(markdown: string): string {
  return markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, '\n');
}

/** The lines with a blank one for each that stands in a code fence. */
function withoutFences(lines: readonly string[]): string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return isCode ? '' : line;
  });
}
