import type { Env, MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it';
import { nextTurn } from '../../../core/index.js';

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
