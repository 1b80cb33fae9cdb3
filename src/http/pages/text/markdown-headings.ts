import type { MarkdownToken } from './markdown.js';

/** How a heading of a Markdown text is shown. */
export interface MarkdownHeading {
  readonly level: number;
  readonly id: string;
}

/** Before the id of every heading of a Markdown text: so it is never one of the page's own. */
const PREFIX = 'md-';
const LOWEST_LEVEL = 6;
/** Longest id, in UTF-16 units. */
const MAX_ID = 80;

/**
 * The level and the id of each heading of a Markdown text, by the place of its first token. Levels begin under those of
 * the page, and none is left out on the way down: a level 4 after a level 1 becomes the next below it. Headings
 * without a text are left out.
 *
 * @param highest the level of the text's first heading, 1 to 6
 */
export function headingsOf(tokens: readonly MarkdownToken[], highest: number): ReadonlyMap<number, MarkdownHeading> {
  const headings = new Map<number, MarkdownHeading>();
  const above: number[] = [];
  const taken = new Set<string>();
  for (const [i, { type, tag }] of tokens.entries()) {
    if (type !== 'heading_open') continue;
    const text = textOfTokens(tokens[i + 1]?.children ?? []);
    if (text.trim() === '') continue;
    const written = Number(tag.slice(1));
    while (above.length > 0 && above.at(-1)! >= written) above.pop();
    above.push(written);
    headings.set(i, { level: Math.min(highest + above.length - 1, LOWEST_LEVEL), id: unusedId(anchorOf(text), taken) });
  }
  return headings;
}

/** The id of a heading with this text, as GitHub makes it: `Use it well!` becomes `md-use-it-well`. */
export function anchorOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-');
  return PREFIX + slug.slice(0, MAX_ID).toWellFormed();
}

/** The text of some tokens of a line, without their marks. */
export function textOfTokens(tokens: readonly MarkdownToken[]): string {
  let text = '';
  for (const { type, content, children } of tokens) {
    if (type === 'text' || type === 'code_inline') text += content;
    else if (type === 'image') text += textOfTokens(children ?? []);
    else if (type === 'softbreak' || type === 'hardbreak') text += ' ';
  }
  return text;
}

function unusedId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  // A text of nothing but equal headings would count up from 1 for each.
  for (let i = 1; taken.has(id); i++) id = i < MAX_REPEATS ? `${wanted}-${i}` : `${wanted}-${taken.size}-`;
  taken.add(id);
  return id;
}

const MAX_REPEATS = 50;
