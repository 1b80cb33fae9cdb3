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
/** Makes the single line above it a heading. */
const UNDERLINE = /^\s*(?:=+|-{2,})\s*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;
/** A line with what belongs into front matter: `**Name:** x`, `version: 1`. */
const FIELD =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?(name|version|author|license|tags|title|id)(?:\*{1,2}|_{1,2}|`)?\s*:/i;
const DESCRIPTION =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?description(?:\*{1,2}|_{1,2}|`)?\s*:(?:\*{1,2}|_{1,2}|`)?\s*(\S.*)$/i;

/** Lines from the top in which a line `**Description:** …` counts. */
const TOP_LINES = 20;
const MAX_LINES = 2000;

/**
 * The text that best says what a Markdown page is about: a line `**Description:** …` near its beginning, else its first
 * paragraph.
 *
 * @returns one line, at most 1,000 code points; empty if there is no such text
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
      // What looked like a paragraph is a heading.
      found.length = 0;
      continue;
    }
    // A list is a paragraph of its own, unless the line before ends with a colon.
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

/** The lines, with those in code fences blanked. */
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
