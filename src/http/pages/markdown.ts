import type { MarkdownIt, Token } from 'markdown-it';
import { decodePart, giveWay, OneAtATime } from '../../core/index.js';
import { codeBox, codeHtml, escapeHtml, shownProse } from './html.js';

// The bounds of what is formatted. Within them no step of the parser takes more than some hundredths of a second, and
// the event loop has its turns between the steps.

/** Quotes, lists and emphasis inside each other. */
const MAX_DEPTH = 40;
/** Tokens of blocks. A table of a few thousand characters can have a hundred thousand cells. */
const MAX_BLOCK_TOKENS = 20_000;
/** The longest paragraph, in UTF-16 units. */
const MAX_PARAGRAPH = 10_000;
/** The longest HTML, in UTF-16 units. A reference that is used a thousand times makes a long text of a short one. */
const MAX_HTML = 500_000;

/** Emphasis inside of emphasis that is shown. Browsers become slow with deep trees. */
const MAX_EMPHASIS = 16;
/** Longest target of a link, in characters. */
const MAX_TARGET = 2000;
const BREAK = /<br ?\/?>/gi;
const TASK = /^\[([ xX])\](?=\s)/;
const LANGUAGE = /^[\w+#.-]{1,30}/;

/** Where a link of a text leads. */
export interface MarkdownLink {
  readonly href: string;
  /** Whether it leads to another site. */
  readonly isOutside: boolean;
}

export interface MarkdownOptions {
  /** The level of the first heading, 1 to 6. */
  readonly highestHeading: number;
  /** The link for a target that is written in the text; undefined where it leads nowhere, and is shown as text. */
  readonly linkTo: (target: string) => MarkdownLink | undefined;
}

/** The tokens of a text take two hundred times its bytes. */
const texts = new OneAtATime();

let parser: Promise<MarkdownIt> | undefined;

/** Thrown inside of the parser only. */
class TooIntricate extends Error {
  override readonly name = 'TooIntricate' as const;
}

/**
 * A Markdown text as HTML: CommonMark with tables and strikethrough. HTML in it is text, and its images are links.
 *
 * @returns undefined if the text is beyond the bounds
 */
export function markdownHtml(text: string, options: MarkdownOptions): Promise<string | undefined> {
  return texts.run(async () => {
    parser ??= makeParser();
    try {
      return await write(await parser, text, options);
    } catch (error) {
      if (error instanceof TooIntricate) return undefined;
      throw error;
    }
  });
}

/** The parser is imported when the first text is read: a server may never show one. */
async function makeParser(): Promise<MarkdownIt> {
  const { default: createParser } = await import('markdown-it');
  const markdown = createParser({ html: false, linkify: true, maxNesting: MAX_DEPTH });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  // Which targets become links is decided where they are written.
  markdown.validateLink = () => true;
  markdown.normalizeLink = (target) => target;
  markdown.normalizeLinkText = (target) => target;
  markdown.block.State = class extends markdown.block.State {
    override push(...token: Parameters<InstanceType<MarkdownIt['block']['State']>['push']>): Token {
      // Otherwise the parser leaves out what nests deeper.
      if (this.level >= MAX_DEPTH || this.tokens.length >= MAX_BLOCK_TOKENS) throw new TooIntricate();
      return super.push(...token);
    }
  };
  Object.assign(markdown.renderer.rules, RULES);
  return markdown;
}

/** What is written otherwise than markdown-it does by itself. */
const RULES: MarkdownIt['renderer']['rules'] = {
  text: (tokens, i) => proseHtml(tokens[i]!.content),
  code_inline: (tokens, i) => `<code>${codeHtml(tokens[i]!.content)}</code>`,
  code_block: (tokens, i) => codeOf(tokens[i]!),
  fence: (tokens, i) => codeOf(tokens[i]!),
  // An image is not loaded: its text is shown.
  image: (tokens, i) => {
    const text = textOf(tokens[i]!.children ?? []).trim();
    return `<span class="image">Image</span>${text === '' ? '' : ` ${proseHtml(text)}`}`;
  },
  task: (tokens, i) => {
    const state = tokens[i]!.content === ' ' ? ' aria-label="to do"' : ' checked aria-label="done"';
    return `<input type="checkbox" disabled${state}>`;
  },
  // A wide table scrolls by itself. Who has no mouse needs the focus for that.
  table_open: () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n',
  table_close: () => '</table></div>\n',
};

function codeOf({ content, info }: Token): string {
  const language = LANGUAGE.exec(info.trim())?.[0] ?? '';
  const label = language === '' ? '' : `<span class="language">${escapeHtml(language)}</span>`;
  return `${codeBox(codeHtml(content), label)}\n`;
}

function proseHtml(text: string): string {
  return escapeHtml(shownProse(text).replace(BREAK, '\v')).replaceAll('\v', '<br>');
}

async function write(markdown: MarkdownIt, text: string, options: MarkdownOptions): Promise<string> {
  const [normalize, readBlocks, stripReferences, ...lineRules] = markdown.core.ruler.getRules('');
  const state = new markdown.core.State(text, markdown, {});
  for (const rule of [normalize, readBlocks, stripReferences]) rule?.(state);
  const { tokens } = state;
  for (const line of tokens) {
    if (line.type !== 'inline') continue;
    if (line.content.length > MAX_PARAGRAPH) throw new TooIntricate();
    const alone = new markdown.core.State('', markdown, state.env);
    alone.tokens = [line];
    for (const rule of lineRules) rule(alone);
    await giveWay();
  }
  const ids = numberHeadings(tokens, options.highestHeading);
  const linkTo = (target: string): MarkdownLink | undefined => {
    if (target.length > MAX_TARGET) return undefined;
    if (!target.startsWith('#')) return options.linkTo(target);
    const id = anchorOf(decodePart(target.slice(1)) ?? target.slice(1));
    return ids.has(id) ? { href: `#${encodeURIComponent(id)}`, isOutside: false } : undefined;
  };
  let html = '';
  let from = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'th_open' || token.type === 'td_open') formatCell(tokens, i);
    if (token.type === 'inline') formatLine(tokens, i, linkTo, state.Token);
    if (token.level > 0 || token.nesting === 1) continue;
    // A block of the text has ended.
    html += markdown.renderer.render(tokens.slice(from, i + 1), markdown.options, state.env);
    from = i + 1;
    if (html.length > MAX_HTML) throw new TooIntricate();
    await giveWay();
  }
  return html;
}

/** Sets the links of a line, and its box where it is a task. */
function formatLine(
  tokens: readonly Token[],
  at: number,
  linkTo: (target: string) => MarkdownLink | undefined,
  create: typeof Token,
): void {
  const line: Token[] = [];
  /** The link that is open. */
  let link: Token | undefined;
  let emphasis = 0;
  const open = (token: Token, attribute: 'href' | 'src', from = token): Token => {
    const to = linkTo(String(from.attrGet(attribute) ?? ''));
    token.hidden = to === undefined;
    token.attrs = [
      ['href', to?.href ?? ''],
      ...(to?.isOutside ? [['rel', 'nofollow noopener noreferrer']] : []),
    ] as never;
    return token;
  };
  for (const token of tokens[at]!.children ?? []) {
    if (token.type === 'link_open') link = open(token, 'href');
    if (token.type === 'link_close' && link !== undefined) {
      // A link without a text shows where it leads.
      if (line.at(-1) === link) line.push(Object.assign(new create('text', '', 0), { content: link.attrGet('href') }));
      token.hidden = link.hidden;
      link = undefined;
    }
    if (/^(?:em|strong|s)_/.test(token.type)) {
      token.hidden = token.nesting === 1 ? emphasis++ >= MAX_EMPHASIS : --emphasis >= MAX_EMPHASIS;
    }
    if (token.type !== 'image' || (link !== undefined && !link.hidden)) line.push(token);
    else {
      const own = open(new create('link_open', 'a', 1), 'src', token);
      line.push(own, token, Object.assign(new create('link_close', 'a', -1), { hidden: own.hidden }));
    }
  }
  const item = [tokens[at - 1], tokens[at - 2]].find((token) => token?.type === 'list_item_open');
  const task = item !== undefined && line[0]?.type === 'text' ? TASK.exec(line[0].content) : null;
  if (item !== undefined && task !== null) {
    item.attrSet('class', 'task');
    line[0]!.content = line[0]!.content.slice(task[0].length);
    line.unshift(Object.assign(new create('task', '', 0), { content: task[1] }));
  }
  tokens[at]!.children = line;
}

/** The policy of the pages forbids styles in elements. A cell of the first row without a text is no heading. */
function formatCell(tokens: readonly Token[], at: number): void {
  const [opening, line, end] = [tokens[at]!, tokens[at + 1], tokens[at + 2]];
  const side = /^text-align:(right|center)$/.exec(String(opening.attrGet('style')))?.[1];
  opening.attrs = side === undefined ? null : [['class', side]];
  if (end?.type === 'th_close' && textOf(line?.children ?? []).trim() === '') opening.tag = end.tag = 'td';
}

/** Before the id of every heading of a Markdown text: so it is never one of the page's own. */
const PREFIX = 'md-';
const LOWEST_LEVEL = 6;
/** Longest id, in UTF-16 units. */
const MAX_ID = 80;
const MAX_REPEATS = 50;

/**
 * Sets the level and the id of each heading. Levels begin under those of the page, and none is left out on the way
 * down: a level 4 after a level 1 becomes the next below it. Headings without a text are left out.
 *
 * @param highest the level of the text's first heading, 1 to 6
 * @returns the ids
 */
function numberHeadings(tokens: readonly Token[], highest: number): ReadonlySet<string> {
  const above: number[] = [];
  const taken = new Set<string>();
  for (const [i, opening] of tokens.entries()) {
    if (opening.type !== 'heading_open') continue;
    // A heading is three tokens: its opening, its line, its end.
    const [line, end] = [tokens[i + 1]!, tokens[i + 2]!];
    const text = textOf(line.children ?? []);
    if (text.trim() === '') {
      opening.hidden = end.hidden = true;
      line.children = [];
      continue;
    }
    const written = Number(opening.tag.slice(1));
    while (above.length > 0 && above.at(-1)! >= written) above.pop();
    above.push(written);
    opening.tag = end.tag = `h${Math.min(highest + above.length - 1, LOWEST_LEVEL)}`;
    opening.attrs = [['id', unusedId(anchorOf(text), taken)]];
  }
  return taken;
}

/** The id of a heading with this text, as GitHub makes it: `Use it well!` becomes `md-use-it-well`. */
function anchorOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-');
  return PREFIX + slug.slice(0, MAX_ID).toWellFormed();
}

function unusedId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  // A text of nothing but equal headings would count up from 1 for each.
  for (let i = 1; taken.has(id); i++) id = i < MAX_REPEATS ? `${wanted}-${i}` : `${wanted}-${taken.size}-`;
  taken.add(id);
  return id;
}

/** The text of some tokens of a line, without their marks. */
function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (const { type, content, children } of tokens) {
    if (type === 'text' || type === 'code_inline') text += content;
    else if (type === 'image') text += textOf(children ?? []);
    else if (type === 'softbreak' || type === 'hardbreak') text += ' ';
  }
  return text;
}
