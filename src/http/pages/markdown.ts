import type { Env, MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it';
import { decodePart, nextTurn, OneAtATime } from '../../core/index.js';
import { codeHtml, escapeHtml, shownProse } from './html.js';

/**
 * The most work for one Markdown text of a page, in units of about 50 ns. The longest text that a page shows takes up
 * to three quarters of it, if somebody wrote it for people. Beyond, the text is shown as it is written.
 */
export const MAX_MARKDOWN_WORK = 1_000_000;

/** Quotes, lists and emphasis inside each other in a Markdown text of a page. The parser goes into each. */
export const MAX_MARKDOWN_DEPTH = 40;

/** A piece of a Markdown text: a tag that opens or closes, a text, a code block, …; what markdown-it calls a token. */
export type MarkdownToken = Pick<
  Token,
  'type' | 'tag' | 'nesting' | 'content' | 'info' | 'attrs' | 'hidden' | 'children'
>;

// What the steps of the parser take, in units of about 50 ns.

/** A token: an object with a dozen fields, and its share of the answer. */
const TOKEN_WORK = 40;
/** A try of all rules at one place. */
const RULES_WORK = 6;
/** A step over something that was read before. */
const STEP_WORK = 1;
/** So many characters of a link's target or title are read in a unit. */
const CHARACTERS_A_UNIT = 32;
/** The parser gives the event loop a turn after so much work. */
const WORK_A_TURN = MAX_MARKDOWN_WORK / 8;

/** Thrown inside of the parser only. */
class TooCostly extends Error {
  override readonly name = 'TooCostly' as const;
}

/** Counts the work for one text. */
class Work {
  #done = 0;
  #turns = 0;

  /** @throws {TooCostly} */
  add(units: number): void {
    this.#done += units;
    if (this.#done > MAX_MARKDOWN_WORK) throw new TooCostly();
  }

  /** Whether the event loop should get a turn. */
  isTurnOver(): boolean {
    const turns = Math.floor(this.#done / WORK_A_TURN);
    if (turns === this.#turns) return false;
    this.#turns = turns;
    return true;
  }
}

const WORK = Symbol('work');

let parser: Promise<MarkdownIt> | undefined;

/**
 * Reads Markdown: CommonMark with tables and strikethrough. HTML in it is text. The time is bounded for any text: the
 * work is counted, not the time, so the same text always gets the same answer.
 *
 * @returns undefined if the text would take more work than {@link MAX_MARKDOWN_WORK}, or nests deeper than
 *   {@link MAX_MARKDOWN_DEPTH}
 */
export async function parseMarkdown(text: string): Promise<readonly MarkdownToken[] | undefined> {
  parser ??= makeParser();
  const markdown = await parser;
  const work = new Work();
  const environment: Env = { [WORK]: work };
  const tokens: Token[] = [];
  try {
    markdown.block.parse(text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd'), markdown, environment, tokens);
    for (const token of tokens) {
      if (token.type !== 'inline') continue;
      if (work.isTurnOver()) await nextTurn();
      token.children = [];
      markdown.inline.parse(token.content, markdown, environment, token.children);
      token.children = joinTexts(token.children);
    }
  } catch (error) {
    if (error instanceof TooCostly) return undefined;
    throw error;
  }
  return tokens.filter(({ type }) => type !== 'reference_definition');
}

/** The parser is imported when the first text is read: a server may never show one. */
async function makeParser(): Promise<MarkdownIt> {
  const { default: createParser } = await import('markdown-it');
  const markdown = createParser({ html: false, linkify: false, typographer: false, maxNesting: MAX_MARKDOWN_DEPTH });
  // Which targets become links is decided where they are written.
  markdown.validateLink = () => true;
  markdown.normalizeLink = (target) => target;
  countTokens(markdown);
  countRules(markdown);
  countCharacters(markdown);
  return markdown;
}

function countTokens(markdown: MarkdownIt): void {
  markdown.block.State = class extends markdown.block.State {
    override push(...token: Parameters<StateBlock['push']>): Token {
      // Otherwise the parser leaves out what nests deeper.
      if (this.level >= MAX_MARKDOWN_DEPTH) throw new TooCostly();
      workOf(this).add(TOKEN_WORK);
      return super.push(...token);
    }
  };
  markdown.inline.State = class extends markdown.inline.State {
    override push(...token: Parameters<StateInline['push']>): Token {
      workOf(this).add(TOKEN_WORK);
      return super.push(...token);
    }
  };
}

/** Rules that match nothing, before all others. */
function countRules(markdown: MarkdownIt): void {
  const count = (state: StateBlock | StateInline): boolean => {
    workOf(state).add(RULES_WORK);
    return false;
  };
  markdown.block.ruler.before('table', 'work', count, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  markdown.inline.ruler.before('text', 'work', count);
  const skipToken = markdown.inline.skipToken.bind(markdown.inline);
  markdown.inline.skipToken = (state) => {
    workOf(state).add(STEP_WORK);
    skipToken(state);
  };
}

/** The parser looks for the end of a target or title up to the end of the paragraph, and does so for each link. */
function countCharacters(markdown: MarkdownIt): void {
  const { parseLinkLabel } = markdown.helpers;
  markdown.helpers = {
    ...markdown.helpers,
    parseLinkLabel(state, start, disableNested) {
      workOf(state).add((state.posMax - start) / CHARACTERS_A_UNIT);
      return parseLinkLabel(state, start, disableNested);
    },
  };
}

function workOf({ env }: StateBlock | StateInline): Work {
  return env[WORK] as Work;
}

/** Makes one token of texts that follow each other: escapes and entities stand apart. */
function joinTexts(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    if (token.type === 'text_special') token.type = 'text';
    if (token.children !== null) token.children = joinTexts(token.children);
    const last = joined.at(-1);
    if (token.type === 'text' && last?.type === 'text') last.content += token.content;
    else joined.push(token);
  }
  return joined;
}

/**
 * The longest HTML of a Markdown text of a page, in UTF-16 units. Texts for people become twice as long; a reference
 * that is used a thousand times makes a long text of a short one.
 */
export const MAX_MARKDOWN_HTML = 500_000;

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

/** Emphasis inside of emphasis that is shown. Browsers become slow with deep trees. */
const MAX_EMPHASIS = 16;
/** Longest target of a link, in characters. */
const MAX_TARGET = 2000;
/** An address in a text. No brackets of Markdown, and ASCII only: Chinese texts go on behind it without a blank. */
const ADDRESS = /https?:\/\/[!#$%&()*+,./:;=?@A-Z[\]_a-z~0-9-]+/g;
const AFTER_ADDRESS = '!*,.:;?_~';
const BREAK = /<br ?\/?>/gi;
const TASK = /^\[([ xX])\](?=\s)/;
const LANGUAGE = /^[\w+#.-]{1,30}/;

/** Elements that are written as they are, by the type of the token that opens them. */
const PLAIN_BLOCKS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bullet_list: 'ul',
  blockquote: 'blockquote',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
};
const EMPHASIS: Readonly<Record<string, string>> = { em: 'em', strong: 'strong', s: 's' };
const ALIGNED: Readonly<Record<string, string>> = {
  'text-align:right': ' class="right"',
  'text-align:center': ' class="center"',
};

/** The tokens of a text take two hundred times its bytes. */
const texts = new OneAtATime();

/**
 * A Markdown text as HTML. No tag, attribute or address of the text comes into it as it is: all elements are written
 * here, from what the parser found.
 *
 * @returns undefined if the text is too costly, see {@link parseMarkdown}, or its HTML is longer than
 *   {@link MAX_MARKDOWN_HTML}
 */
export function markdownHtml(text: string, options: MarkdownOptions): Promise<string | undefined> {
  return texts.run(async () => {
    const tokens = await parseMarkdown(text);
    return tokens === undefined ? undefined : new MarkdownWriter(tokens, options).write();
  });
}

class MarkdownWriter {
  readonly #tokens: readonly MarkdownToken[];
  readonly #options: MarkdownOptions;
  readonly #headings: ReadonlyMap<number, MarkdownHeading>;
  readonly #ids: ReadonlySet<string>;
  #html = '';

  constructor(tokens: readonly MarkdownToken[], options: MarkdownOptions) {
    this.#tokens = tokens;
    this.#options = options;
    this.#headings = headingsOf(tokens, options.highestHeading);
    this.#ids = new Set([...this.#headings.values()].map(({ id }) => id));
  }

  write(): string | undefined {
    for (const [i, token] of this.#tokens.entries()) {
      if (!token.hidden) this.#writeBlock(token, i);
      if (this.#html.length > MAX_MARKDOWN_HTML) return undefined;
    }
    return this.#html;
  }

  #writeBlock(token: MarkdownToken, at: number): void {
    const kind = token.type.replace(/_(?:open|close)$/, '');
    const plain = PLAIN_BLOCKS[kind];
    if (plain !== undefined) {
      this.#html += token.nesting === 1 ? `<${plain}>` : `</${plain}>\n`;
      return;
    }
    switch (kind) {
      case 'inline':
        this.#writeLine(token, at);
        break;
      case 'heading':
        this.#writeHeading(token, at);
        break;
      case 'ordered_list':
        this.#html += token.nesting === 1 ? `<ol${startOf(token)}>` : '</ol>\n';
        break;
      case 'list_item':
        this.#html += token.nesting === 1 ? `<li${this.#isTask(at) ? ' class="task"' : ''}>` : '</li>\n';
        break;
      case 'table':
        // A wide table scrolls by itself. Who has no mouse needs the focus for that.
        this.#html +=
          token.nesting === 1
            ? '<div class="table" role="group" aria-label="Table" tabindex="0"><table>'
            : '</table></div>\n';
        break;
      case 'th':
      case 'td':
        this.#writeCell(token, at);
        break;
      case 'hr':
        this.#html += '<hr>\n';
        break;
      case 'fence':
      case 'code_block':
        this.#writeCode(token);
        break;
    }
  }

  /** Headings without a text are not written. */
  #writeHeading({ nesting }: MarkdownToken, at: number): void {
    // A heading is three tokens: its opening, its line, its end.
    const heading = this.#headings.get(nesting === 1 ? at : at - 2);
    if (heading === undefined) return;
    const { level, id } = heading;
    this.#html += nesting === 1 ? `<h${level} id="${escapeHtml(id)}">` : `</h${level}>\n`;
  }

  /** A cell of the first row without a text is no heading of a column. */
  #writeCell({ nesting, tag, attrs }: MarkdownToken, at: number): void {
    const line = this.#tokens[nesting === 1 ? at + 1 : at - 1];
    const name = tag === 'th' && textOfTokens(line?.children ?? []).trim() !== '' ? 'th' : 'td';
    const style = attrs?.find(([attribute]) => attribute === 'style')?.[1] ?? '';
    this.#html += nesting === 1 ? `<${name}${ALIGNED[style] ?? ''}>` : `</${name}>`;
  }

  #writeCode({ content, info }: MarkdownToken): void {
    const language = LANGUAGE.exec(info.trim())?.[0] ?? '';
    const label = language === '' ? '' : `<span class="language">${escapeHtml(language)}</span>`;
    // The script of the page shows the button.
    this.#html +=
      `<div class="code"><div class="code-head">${label}<button type="button" class="copy" hidden>Copy</button></div>` +
      `<pre dir="ltr" tabindex="0"><code>${codeHtml(content)}</code></pre></div>\n`;
  }

  #isTask(at: number): boolean {
    return TASK.test(this.#firstText(at + 1) ?? this.#firstText(at + 2) ?? '');
  }

  #firstText(at: number): string | undefined {
    const token = this.#tokens[at];
    return token?.type === 'inline' && token.children?.[0]?.type === 'text' ? token.children[0].content : undefined;
  }

  #writeLine({ children }: MarkdownToken, at: number): void {
    const tokens = children ?? [];
    const isItem = this.#tokens[at - 1]?.type === 'list_item_open' || this.#tokens[at - 2]?.type === 'list_item_open';
    const task = isItem && tokens[0]?.type === 'text' ? TASK.exec(tokens[0].content) : null;
    if (task === null || tokens[0] === undefined) {
      this.#html += this.#lineHtml(tokens);
      return;
    }
    const done = task[1] === ' ' ? ' aria-label="to do"' : ' checked aria-label="done"';
    const first = { ...tokens[0], content: tokens[0].content.slice(task[0].length) };
    this.#html += `<input type="checkbox" disabled${done}>${this.#lineHtml([first, ...tokens.slice(1)])}`;
  }

  #lineHtml(tokens: readonly MarkdownToken[]): string {
    let html = '';
    let emphasis = 0;
    /** The end of the link that is open; undefined outside of links. */
    let linkEnd: string | undefined;
    for (const [i, token] of tokens.entries()) {
      switch (token.type) {
        case 'text':
          html += linkEnd === undefined ? this.#textHtml(token.content) : proseHtml(token.content);
          break;
        case 'code_inline':
          html += `<code>${codeHtml(token.content)}</code>`;
          break;
        case 'softbreak':
          html += '\n';
          break;
        case 'hardbreak':
          html += '<br>\n';
          break;
        case 'link_open':
          [html, linkEnd] = this.#openLink(html, tokens, i);
          break;
        case 'link_close':
          html += linkEnd ?? '';
          linkEnd = undefined;
          break;
        case 'image':
          html += this.#imageHtml(token, linkEnd !== undefined && linkEnd !== '');
          break;
        default: {
          const name = EMPHASIS[token.type.replace(/_(?:open|close)$/, '')];
          if (name === undefined) break;
          if (token.nesting === 1 ? emphasis++ < MAX_EMPHASIS : --emphasis < MAX_EMPHASIS) {
            html += token.nesting === 1 ? `<${name}>` : `</${name}>`;
          }
        }
      }
      if (html.length > MAX_MARKDOWN_HTML) return html;
    }
    return html;
  }

  /** A text outside of links: addresses in it become links. */
  #textHtml(text: string): string {
    let html = '';
    let from = 0;
    for (const { 0: found, index } of text.matchAll(ADDRESS)) {
      if (found.length > MAX_TARGET) continue;
      const address = withoutEnd(found);
      const link = this.#options.linkTo(address);
      if (link === undefined) continue;
      html += `${proseHtml(text.slice(from, index))}${openingTag(link)}${escapeHtml(address)}</a>`;
      from = index + address.length;
    }
    return html + proseHtml(text.slice(from));
  }

  /** @returns the HTML so far with the link's beginning, and its end: empty where the target leads nowhere */
  #openLink(html: string, tokens: readonly MarkdownToken[], at: number): [html: string, end: string] {
    const target = String(tokens[at]?.attrs?.find(([name]) => name === 'href')?.[1] ?? '');
    const link = this.#linkTo(target);
    if (link === undefined) return [html, ''];
    let end = at + 1;
    while (end < tokens.length && tokens[end]?.type !== 'link_close') end++;
    const hasText = textOfTokens(tokens.slice(at + 1, end)).trim() !== '';
    return [`${html}${openingTag(link)}${hasText ? '' : escapeHtml(link.href)}`, '</a>'];
  }

  /** An image is not loaded: its text is shown, as a link to it where none is open. */
  #imageHtml({ attrs, children }: MarkdownToken, isInLink: boolean): string {
    const text = textOfTokens(children ?? []).trim();
    const shown = `<span class="image">Image</span>${text === '' ? '' : ` ${proseHtml(text)}`}`;
    const link = isInLink ? undefined : this.#linkTo(String(attrs?.find(([name]) => name === 'src')?.[1] ?? ''));
    return link === undefined ? shown : `${openingTag(link)}${shown}</a>`;
  }

  #linkTo(target: string): MarkdownLink | undefined {
    if (target.length > MAX_TARGET) return undefined;
    if (!target.startsWith('#')) return this.#options.linkTo(target);
    const written = target.slice(1);
    const id = anchorOf(decodePart(written) ?? written);
    return this.#ids.has(id) ? { href: `#${encodeURIComponent(id)}`, isOutside: false } : undefined;
  }
}

function proseHtml(text: string): string {
  return escapeHtml(shownProse(text).replace(BREAK, '\v')).replaceAll('\v', '<br>');
}

function openingTag({ href, isOutside }: MarkdownLink): string {
  const rel = isOutside ? ' rel="nofollow noopener noreferrer"' : '';
  return `<a href="${escapeHtml(href)}"${rel}>`;
}

function startOf({ attrs }: MarkdownToken): string {
  const start = Number(attrs?.find(([name]) => name === 'start')?.[1] ?? 1);
  return Number.isSafeInteger(start) && start !== 1 ? ` start="${start}"` : '';
}

/** An address without the punctuation of the sentence that it stands in. */
function withoutEnd(found: string): string {
  // No regular expressions: within a long row of such signs they would begin again at each of them.
  const end = endBefore(found, found.length, AFTER_ADDRESS);
  const closes = end - endBefore(found, end, ')]');
  if (closes === 0) return found.slice(0, end);
  const address = found.slice(0, end);
  const opens = address.match(/[([]/g)?.length ?? 0;
  const all = address.match(/[)\]]/g)?.length ?? 0;
  return address.slice(0, end - Math.min(closes, Math.max(0, all - opens)));
}

/** Where the characters end that stand before those of a set at the end of a text. */
function endBefore(text: string, end: number, set: string): number {
  let at = end;
  while (at > 0 && set.includes(text.charAt(at - 1))) at--;
  return at;
}

/** How a heading of a Markdown text is shown. */
interface MarkdownHeading {
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
function headingsOf(tokens: readonly MarkdownToken[], highest: number): ReadonlyMap<number, MarkdownHeading> {
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
function anchorOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-');
  return PREFIX + slug.slice(0, MAX_ID).toWellFormed();
}

/** The text of some tokens of a line, without their marks. */
function textOfTokens(tokens: readonly MarkdownToken[]): string {
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
