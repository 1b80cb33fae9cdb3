import { isDeepStrictEqual } from 'node:util';
import { Composer, type Document, isMap, isNode, isScalar, Lexer, Parser, visit } from 'yaml';
import { toOneLine } from '../rows/texts.js';

/** Longest front matter that is read as YAML, in characters. A longer one is read key by key: none is so long. */
const MAX_YAML_LENGTH: number = 32 * 1024;

/** Tokens of front matter that are read as YAML. Real ones have up to some hundred, and a token may take 30 µs. */
export const MAX_YAML_TOKENS = 4000;

/** Lists and maps inside each other, in a line or in brackets, that are read as YAML: the parser goes into each. */
export const MAX_YAML_DEPTH: number = 64;

/** A parsed SKILL.md. */
export interface SkillMarkdown {
  /**
   * The fields of the front matter. Scalars are the text that the author wrote (`yes`, `123` and `2024-01-01` stay
   * text); other values are lists and plain objects. Keys without a value are left out.
   */
  readonly fields: ReadonlyMap<string, unknown>;
  /** The same with the keys without a value, which are null; undefined if there is no front matter. */
  readonly frontMatter: Readonly<Record<string, unknown>> | undefined;
  /** The text after the front matter. */
  readonly body: string;
  readonly warnings: readonly string[];
}

/** Aliases repeat the value of an anchor. A few are shorthand, many are an attack. */
const MAX_ALIASES = 20;

/** Parses a SKILL.md, even if its front matter is not quite valid. Never throws. */
export function readSkillMarkdown(text: string): SkillMarkdown {
  const yaml = new YamlReader();
  const parts = findFrontMatter(text, (block) => yaml.read(block).fields !== undefined);
  const warnings: string[] = [];
  if (parts.unclosed) warnings.push('the front matter is not closed: its leading keys were taken');

  const [first = new Map<string, unknown>(), second] = parts.blocks.map((block) => {
    const { fields, fault } = yaml.read(block);
    if (fields !== undefined) return fields;
    warnings.push(`the front matter is not YAML (${fault}): it was read key by key`);
    return readLooseFields(block, (entry, key) => yaml.read(entry).fields?.get(key));
  });
  if (second !== undefined) {
    warnings.push('two blocks of front matter: the second fills what the first has not');
    fill(first, second);
  }
  const frontMatter = first.size === 0 ? undefined : toObject(first);
  for (const [key, value] of first) {
    if (isBlankValue(value)) first.delete(key);
  }
  return { fields: first, frontMatter, body: parts.body, warnings };
}

function toObject(fields: ReadonlyMap<string, unknown>): Record<string, unknown> {
  // Unlike an assignment, this makes a property even of the key `__proto__`.
  return Object.fromEntries(Array.from(fields, ([key, value]) => [key, value ?? null]));
}

function fill(first: Map<string, unknown>, second: ReadonlyMap<string, unknown>): void {
  for (const [key, value] of second) {
    const present = first.get(key);
    // A block pasted over another one may leave such a description.
    const broken =
      key === 'description' && typeof present === 'string' && /^\s*(?:name|description)\s*:/i.test(present);
    if (isBlankValue(present) || (broken && !isBlankValue(value))) first.set(key, value);
  }
}

type Parsed =
  | { readonly fields: Map<string, unknown>; readonly fault?: undefined }
  | { readonly fields?: undefined; readonly fault: string };

/** Reads the parts of one SKILL.md as YAML, as far as it has no more tokens, and no deeper lists, than it may have. */
class YamlReader {
  #tokensLeft = MAX_YAML_TOKENS;
  /** Text and result of the last call: a block is asked about, and then read. */
  #last: readonly [text: string, parsed: Parsed] | undefined;

  read(text: string): Parsed {
    if (this.#last?.[0] !== text) this.#last = [text, this.#take(text) ? parseFields(text) : TOO_LONG];
    return this.#last[1];
  }

  /** Whether the text may be read. */
  #take(text: string): boolean {
    if (text.length > MAX_YAML_LENGTH) return false;
    let count = 0;
    // Open brackets, and marks of items and keys in one line: `- - ? a` is nested, too.
    let depth = 0;
    let marks = 0;
    for (const token of new Lexer().lex(text)) {
      if (++count > this.#tokensLeft) return false;
      if (token === '[' || token === '{') depth += 1;
      else if ((token === ']' || token === '}') && depth > 0) depth -= 1;
      else if (token === '-' || token === '?') marks += 1;
      else if (token === '\n' || token === '\r\n') marks = 0;
      if (depth + marks > MAX_YAML_DEPTH) return false;
    }
    this.#tokensLeft -= count;
    return true;
  }
}

const TOO_LONG: Parsed = { fault: 'longer or deeper than what is read as YAML' };

/**
 * The front matter with the types that YAML 1.2 gives its scalars: numbers, `true`, `false` and null, as a host that
 * parses the file gets them.
 *
 * @param block the text between the two rules
 * @returns undefined if it is no YAML, has other values than JSON has, or is larger than what is read as YAML
 */
export function readTypedFrontMatter(block: string): Record<string, unknown> | undefined {
  const { fields } = new YamlReader().read(block);
  if (fields === undefined) return undefined;
  try {
    const document = parseYaml(block, 'core');
    const plain: unknown = document?.toJS({ maxAliasCount: MAX_ALIASES });
    const json: unknown = JSON.parse(JSON.stringify(plain));
    return isDeepStrictEqual(json, plain) ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function parseFields(text: string): Parsed {
  try {
    const document = parseYaml(text, 'failsafe');
    if (document === undefined) return { fields: new Map() };
    if (document.contents === null) return { fields: new Map() };
    if (!isMap(document.contents)) return { fault: 'no keys and values' };

    let aliases = 0;
    visit(document, {
      Alias() {
        if (++aliases > MAX_ALIASES) throw new Error(`more than ${MAX_ALIASES} aliases`);
      },
      Scalar(_, node) {
        if (node.type === 'PLAIN' && /^(?:~|null)?$/i.test(String(node.value))) node.value = null;
      },
    });
    const fields = new Map<string, unknown>();
    for (const { key, value } of document.contents.items) {
      const name = isScalar(key) ? String(key.value) : String(key);
      const plain = isNode(value) ? value.toJS(document, { maxAliasCount: MAX_ALIASES }) : value;
      // Throws if an alias contains itself.
      if (aliases > 0) JSON.stringify(plain);
      if (!isBlankValue(plain) || !fields.has(name)) fields.set(name, plain);
    }
    return { fields };
  } catch (error) {
    return { fault: toOneLine(error instanceof Error ? error.message : String(error)) };
  }
}

/**
 * Parses the first document of a text, up to its first fault: finding all faults takes a hundred times as long.
 *
 * @throws the fault
 */
function parseYaml(text: string, schema: 'failsafe' | 'core'): Document.Parsed | undefined {
  // The failsafe schema knows only text, lists and maps. Tags are not resolved.
  const uniqueKeys = schema === 'core';
  const composer = new Composer({ schema, uniqueKeys, logLevel: 'error', prettyErrors: false });
  const throwFirst = (_source: unknown, _code: unknown, message: string, isWarning?: boolean): void => {
    if (isWarning !== true) throw new Error(message);
  };
  // What the composer reports its faults to.
  Object.assign(composer, { onError: throwFirst });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens(text), true, text.length)) {
    if (first !== undefined) throw new Error('several documents');
    first = document as Document.Parsed;
    const [error] = first.errors;
    if (error !== undefined) throw new Error(error.message);
  }
  return first;
}

function* tokens(text: string): ReturnType<Parser['parse']> {
  for (const token of new Parser().parse(text)) {
    if (token.type === 'error') throw new Error(token.message);
    yield token;
  }
}

/** A SKILL.md split into front matter and body. The front matter is not parsed yet. */
interface FrontMatterParts {
  /** Texts of the blocks of front matter, which follow each other directly. Empty if there is none. */
  readonly blocks: readonly string[];
  readonly body: string;
  /** Whether the front matter is opened but never closed. */
  readonly unclosed: boolean;
}

/** White space before a key that a formatter joined to the line above. */
const PULLED_UP_KEY = /(?<!\s)\s+(?=(?:name|description|version|license|author|homepage|metadata|allowed-tools):\s)/i;

interface Line {
  readonly text: string;
  /** Offset of the line's first character. */
  readonly start: number;
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** Index of the first line of the body. */
  readonly next: number;
  readonly unclosed: boolean;
}

const RULE = /^-{3,}\s*$/;
const CLOSING_RULE = /^(?:-{3,}|\.{3})\s*$/;
/** What a Markdown formatter makes of the opening `---`. */
const ANY_RULE = /^(?:-{3,}|\*{3,}|_{3,}|(?:\* ){2,}\*|(?:- ){2,}-)\s*$/;
const FENCE = /^(`{3,}|~{3,})\s*(?:ya?ml|markdown|md|front-?matter)?\s*$/i;
const HEADING = /^#{1,6}\s/;
const KEY = /^["']?[A-Za-z_][\w.-]*["']?\s*:(?:\s|$)/;
const MAIN_KEY = /^(?:#{1,6}\s+)?["']?(?:name|description)["']?\s*:/i;
const HEADING_KEY = /^#{1,6}\s+(?:name|description)\s*:/i;
const USUAL_KEY =
  /^(?:name|description|license|version|author|metadata|tags|category|allowed-tools|compatibility|model)\s*:/i;
const MULTIPART_BOUNDARY = /^-{10,}\w[\w-]*\s*$/;

/**
 * Finds the front matter of a SKILL.md: between `---` lines at its beginning, or where real files have it: below blank
 * lines, a comment, a heading or the header of a form upload; in a code fence; or opened but never closed.
 *
 * @param isYaml whether a text is valid front matter. Decides whether a rule further down closes the front matter
 */
function findFrontMatter(source: string, isYaml: (text: string) => boolean): FrontMatterParts {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const lines = splitLines(text);
  const preamble = skipPreamble(lines);
  const found = findBlock(lines, preamble, isYaml);
  if (found === undefined) return { blocks: [], body: text, unclosed: false };

  const blocks = [blockText(lines, found)];
  let { next } = found;
  const second = found.unclosed ? undefined : findSecond(lines, next);
  if (second !== undefined) {
    blocks.push(blockText(lines, second));
    next = second.next;
  }
  const before = preamble.upload ? '' : text.slice(0, lines[preamble.index]?.start ?? 0).trim();
  let body = text.slice(lines[next]?.start ?? text.length).replace(/^(?:[ \t]*\r?\n)+/, '');
  if (preamble.upload) body = withoutLastLine(body, MULTIPART_BOUNDARY);
  if (FENCE.test(lines[preamble.index]?.text ?? '')) body = withoutLastFence(body);
  return { blocks, body: before === '' ? body : `${before}\n\n${body}`, unclosed: found.unclosed };
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\n|\r/g;
  let start = 0;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    lines.push({ text: text.slice(start, end.index), start });
    start = ends.lastIndex;
  }
  if (start < text.length) lines.push({ text: text.slice(start), start });
  return lines;
}

function blockText(lines: readonly Line[], block: Block): string {
  return unmarkHeadings(lines.slice(block.from, block.to).map((line) => line.text)).join('\n');
}

interface Preamble {
  /** Index of the line where front matter may begin. */
  readonly index: number;
  /** Whether headings were skipped. Then only a block with a main key counts as front matter. */
  readonly headings: boolean;
  /** Whether the file begins with the header of a form upload. */
  readonly upload: boolean;
}

function skipPreamble(lines: readonly Line[]): Preamble {
  let headings = false;
  let upload = false;
  let index = 0;
  for (; index < lines.length; index++) {
    const line = textAt(lines, index);
    if (line.trim() === '') continue;
    if (line.startsWith('<!--')) {
      let end = index;
      while (end < lines.length && !textAt(lines, end).includes('-->')) end++;
      if (end === lines.length) break;
      index = end;
    } else if (MULTIPART_BOUNDARY.test(line) && /^content-/i.test(textAt(lines, index + 1))) {
      upload = true;
      while (index < lines.length && textAt(lines, index).trim() !== '') index++;
    } else if (HEADING.test(line) && !HEADING_KEY.test(line)) {
      headings = true;
    } else break;
  }
  return { index, headings, upload };
}

function findBlock(lines: readonly Line[], preamble: Preamble, isYaml: (text: string) => boolean): Block | undefined {
  const { index } = preamble;
  const first = textAt(lines, index);
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) return findFenced(lines, index + 1, fence);

  const inside = nextVisible(lines, index + 1);
  if (RULE.test(first)) {
    if (index < lines.length && CLOSING_RULE.test(textAt(lines, inside)) && !preamble.headings) {
      return { from: inside, to: inside, next: inside + 1, unclosed: false };
    }
    return closedOrNot(lines, index + 1, preamble.headings, isYaml);
  }
  if (ANY_RULE.test(first) && HEADING_KEY.test(textAt(lines, inside))) {
    return closedOrNot(lines, index + 1, true, isYaml);
  }
  // The opening rule is missing.
  if (MAIN_KEY.test(first) && !preamble.headings) {
    const end = leadingKeys(lines, index);
    const closing = nextVisible(lines, end);
    if (RULE.test(textAt(lines, closing))) return { from: index, to: end, next: closing + 1, unclosed: false };
    const both = lines.slice(index, end).filter((line) => MAIN_KEY.test(line.text)).length > 1;
    if (both || HEADING_KEY.test(first)) return { from: index, to: end, next: end, unclosed: true };
  }
  return undefined;
}

function closedOrNot(
  lines: readonly Line[],
  from: number,
  mustHaveMainKey: boolean,
  isYaml: (text: string) => boolean,
): Block | undefined {
  if (!beginsWithKey(lines, from)) return undefined;
  const end = leadingKeys(lines, from);
  const close = lines.findIndex((line, at) => at >= from && CLOSING_RULE.test(line.text));
  const block =
    close !== -1 && isClosedBy(lines, from, end, close, isYaml)
      ? { from, to: close, next: close + 1, unclosed: false }
      : { from, to: end, next: end, unclosed: true };
  const hasMainKey = lines.slice(from, block.to).some((line) => MAIN_KEY.test(line.text));
  return hasMainKey || (!mustHaveMainKey && !block.unclosed) ? block : undefined;
}

/** Whether a rule further down closes the front matter, and does not belong to the body. */
function isClosedBy(
  lines: readonly Line[],
  from: number,
  end: number,
  close: number,
  isYaml: (text: string) => boolean,
): boolean {
  if (end >= close) return true;
  const between = lines.slice(end, close).map((line) => line.text);
  if (isYaml(blockText(lines, { from, to: close, next: close, unclosed: false }))) {
    // In YAML a Markdown heading is a comment, so a body of headings alone would pass.
    return !between.some((line) => HEADING.test(line)) || between.some((line) => KEY.test(line));
  }
  if (textAt(lines, end).startsWith('#') && !HEADING_KEY.test(textAt(lines, end))) return false;
  // Text that lost its indentation.
  if (textAt(lines, end).trim() !== '') return true;
  // After a blank line the block goes on only if a key follows before any heading or code.
  const body = between.findIndex((line) => HEADING.test(line) || FENCE.test(line));
  return between.slice(0, body === -1 ? between.length : body).some((line) => USUAL_KEY.test(line));
}

/** Finds front matter in a code fence, with or without `---` lines in it. */
function findFenced(lines: readonly Line[], from: number, fence: string): Block | undefined {
  const closesFence = (line: string): boolean => line.trim() === fence;
  const first = nextVisible(lines, from);
  const ruled = RULE.test(textAt(lines, first));
  const start = ruled ? first + 1 : first;
  const end = lines.findIndex(
    ({ text }, at) => at >= start && (closesFence(text) || (ruled && CLOSING_RULE.test(text))),
  );
  if (end === -1 || !beginsWithKey(lines, start)) return undefined;
  if (!lines.slice(start, end).some((line) => MAIN_KEY.test(line.text))) return undefined;

  const after = nextVisible(lines, end + 1);
  const next = ruled && closesFence(textAt(lines, after)) ? after + 1 : end + 1;
  return { from: start, to: end, next, unclosed: false };
}

function findSecond(lines: readonly Line[], next: number): Block | undefined {
  const first = nextVisible(lines, next);
  if (!RULE.test(textAt(lines, first)) || !beginsWithKey(lines, first + 1)) return undefined;
  const close = lines.findIndex((line, at) => at > first && CLOSING_RULE.test(line.text));
  // A rule, `Note: …` and another rule may be plain Markdown.
  if (close === -1 || !lines.slice(first + 1, close).some((line) => MAIN_KEY.test(line.text))) return undefined;
  if (leadingKeys(lines, first + 1) < close) return undefined;
  return { from: first + 1, to: close, next: close + 1, unclosed: false };
}

function beginsWithKey(lines: readonly Line[], from: number): boolean {
  let at = nextVisible(lines, from);
  while (/^#/.test(textAt(lines, at)) && !HEADING_KEY.test(textAt(lines, at))) at = nextVisible(lines, at + 1);
  return KEY.test(textAt(lines, at)) || HEADING_KEY.test(textAt(lines, at)) || MAIN_KEY.test(textAt(lines, at));
}

/** Index of the line after the leading keys and the lines that belong to them. */
function leadingKeys(lines: readonly Line[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const line = textAt(lines, at);
    if (line.trim() === '') continue;
    const isKey = KEY.test(line) || MAIN_KEY.test(line);
    const isBelowKey = at > from && (/^[ \t]/.test(line) || (/^-\s/.test(line) && at === end));
    if (!isKey && !isBelowKey) {
      if (!line.startsWith('#')) break;
      // A run of lines with `#` is comments if a key follows directly, else headings.
      while (textAt(lines, at + 1).startsWith('#') && !HEADING_KEY.test(textAt(lines, at + 1))) at++;
      const below = textAt(lines, at + 1);
      if (!KEY.test(below) && !HEADING_KEY.test(below) && !/^[ \t]+\S/.test(below)) break;
    }
    end = at + 1;
  }
  return end;
}

/**
 * Undoes what a Markdown formatter did. It took the text above `---` for a heading (`## name: x`), and perhaps joined
 * the keys of the next lines to it. If the key is also there without `#`, the heading is a comment and stays.
 */
function unmarkHeadings(lines: readonly string[]): string[] {
  const present = new Set(lines.map((line) => /^(name|description)\s*:/i.exec(line)?.[1]?.toLowerCase()));
  return lines.flatMap((line) => {
    const [, key, rest = ''] = /^#{1,6}\s+(name|description)\s*:(.*)$/i.exec(line) ?? [];
    if (key === undefined || present.has(key.toLowerCase())) return [line];
    return `${key}:${rest}`.split(PULLED_UP_KEY);
  });
}

/** If the whole file is in a code fence, its last line closes that fence. */
function withoutLastFence(body: string): string {
  const fences = body.match(/^(?:`{3,}|~{3,})/gm)?.length ?? 0;
  return fences % 2 === 1 ? withoutLastLine(body, /^(?:`{3,}|~{3,})$/) : body;
}

function withoutLastLine(text: string, pattern: RegExp): string {
  const visible = text.trimEnd();
  const start = Math.max(visible.lastIndexOf('\n'), visible.lastIndexOf('\r')) + 1;
  return pattern.test(visible.slice(start)) ? `${visible.slice(0, start).trimEnd()}\n` : text;
}

function nextVisible(lines: readonly Line[], from: number): number {
  let at = from;
  while (at < lines.length && textAt(lines, at).trim() === '') at++;
  return at;
}

function textAt(lines: readonly Line[], index: number): string {
  return lines[index]?.text ?? '';
}

/** One key of front matter: its line, and the lines that belong to it. */
interface Entry {
  readonly key: string;
  readonly lines: string[];
}

const KEY_LINE = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w.-]*))\s*:(?:\s+(.*))?$/;
const BLOCK_HEADER = /^([|>])[+-]?\d?[+-]?\s*(?:#.*)?$/;
const MAX_ENTRIES = 500;

/**
 * Reads front matter that is not valid YAML, key by key: a broken entry cannot spoil another one. If a key occurs
 * twice, its last value that is not blank counts.
 *
 * @param parse reads a single entry as YAML; undefined if it is not YAML, and then its text is taken as it is
 */
function readLooseFields(text: string, parse: (entry: string, key: string) => unknown): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const entry of entries(text.split('\n'))) {
    const value = parse(entry.lines.join('\n'), entry.key) ?? plainValue(entry.lines);
    if (!isBlankValue(value) || !fields.has(entry.key)) fields.set(entry.key, value);
  }
  return fields;
}

/** Whether the value of a field is missing or blank. */
function isBlankValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function entries(lines: readonly string[]): Entry[] {
  const found: Entry[] = [];
  for (const line of lines) {
    const match = KEY_LINE.exec(line);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    if (key !== undefined && found.length < MAX_ENTRIES) found.push({ key, lines: [line] });
    // Text that lost its indentation belongs to the key above it.
    else if (!line.startsWith('#')) found.at(-1)?.lines.push(line);
  }
  return found;
}

function plainValue(lines: readonly string[]): string | undefined {
  const [, , , , first = ''] = KEY_LINE.exec(lines[0] ?? '') ?? [];
  const below = lines.slice(1);
  const style = BLOCK_HEADER.exec(first)?.[1];
  if (style !== undefined) return style === '|' ? unindent(below) : fold(below);

  const words = fold([first.replace(/^[|>][+-]?\d?[+-]?\s+/, '').replace(/^-\s+/, ''), ...below.map(withoutItemMark)]);
  if (words === '' || /^(?:~|null)$/i.test(words)) return undefined;
  return unquote(words);
}

function withoutItemMark(line: string): string {
  return line.replace(/^\s*-\s+/, '');
}

function unindent(lines: readonly string[]): string {
  const visible = lines.filter((line) => line.trim() !== '');
  const indent = Math.min(80, ...visible.slice(0, 1000).map((line) => line.length - line.trimStart().length));
  return lines
    .map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)))
    .join('\n')
    .trim();
}

/** Joins lines with spaces. A blank line becomes a line break. */
function fold(lines: readonly string[]): string {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    const words = line.trim();
    if (words !== '') paragraphs.at(-1)?.push(words);
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([]);
  }
  return paragraphs
    .map((words) => words.join(' '))
    .join('\n')
    .trim();
}

/** Removes quotes, even if only one of them is there, and resolves the usual escapes. */
function unquote(text: string): string {
  if (text.startsWith('"')) {
    const inner = text.slice(1).replace(/(?<!\\)"\s*$/, '');
    return inner.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/ntr]))/g, (_, hex: string | undefined, mark: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return { n: '\n', t: '\t', r: '\n' }[mark] ?? mark;
    });
  }
  if (text.startsWith("'")) return text.slice(1).replace(/'\s*$/, '').replaceAll("''", "'");
  if (text.startsWith('[') && text.endsWith(']')) return text.slice(1, -1).trim();
  return text;
}
