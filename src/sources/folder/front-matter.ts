import { isDeepStrictEqual } from 'node:util';
import { Composer, type Document, isMap, isNode, isScalar, Lexer, Parser, visit } from 'yaml';
import { orUndefined } from '../../core/index.js';
import { toOneLine } from '../rows/texts.js';

/** Longest front matter that is read as YAML, in characters. A longer one is read key by key: none is so long. */
const MAX_YAML_LENGTH: number = 32 * 1024;

/** Tokens of front matter that are read as YAML. Real ones have up to some hundred, and a token may take 30 µs. */
const MAX_YAML_TOKENS = 4000;

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
  const read = yamlReader();
  const { blocks, body, isOpen } = findFrontMatter(text);
  const warnings = isOpen ? ['the front matter is not closed: its leading keys were taken'] : [];
  const [first = new Map<string, unknown>(), second] = blocks.map((block) => {
    const { fields, fault } = read(block);
    if (fields !== undefined) return fields;
    warnings.push(`the front matter is not YAML (${fault}): it was read key by key`);
    return readLooseFields(block, (entry, key) => read(entry).fields?.get(key));
  });
  if (second !== undefined) warnings.push('two blocks of front matter: the second fills what the first has not');
  for (const [key, value] of second ?? []) {
    const present = first.get(key);
    // A block pasted over another one may leave such a description.
    const isBroken = key === 'description' && /^\s*(?:name|description)\s*:/i.test(String(present));
    if (isBlankValue(present) || (isBroken && !isBlankValue(value))) first.set(key, value);
  }
  const fields = new Map([...first].filter(([, value]) => !isBlankValue(value)));
  // Unlike an assignment, this makes a property even of the key `__proto__`.
  const object = Object.fromEntries(Array.from(first, ([key, value]) => [key, value ?? null]));
  return { fields, frontMatter: first.size === 0 ? undefined : object, body, warnings };
}

type Parsed =
  | { readonly fields: Map<string, unknown>; readonly fault?: undefined }
  | { readonly fields?: undefined; readonly fault: string };

/** Reads the parts of one SKILL.md as YAML, as far as it has no more tokens, and no deeper lists, than it may have. */
function yamlReader(): (text: string) => Parsed {
  let tokensLeft = MAX_YAML_TOKENS;
  const isAllowed = (text: string): boolean => {
    if (text.length > MAX_YAML_LENGTH) return false;
    let count = 0;
    // Open brackets, and marks of items and keys in one line: `- - ? a` is nested, too.
    let depth = 0;
    let marks = 0;
    for (const token of new Lexer().lex(text)) {
      if (++count > tokensLeft) return false;
      if (token === '[' || token === '{') depth += 1;
      else if ((token === ']' || token === '}') && depth > 0) depth -= 1;
      else if (token === '-' || token === '?') marks += 1;
      else if (token === '\n' || token === '\r\n') marks = 0;
      if (depth + marks > MAX_YAML_DEPTH) return false;
    }
    tokensLeft -= count;
    return true;
  };
  return (text) => (isAllowed(text) ? parseFields(text) : { fault: 'longer or deeper than what is read as YAML' });
}

/**
 * The front matter with the types that YAML 1.2 gives its scalars: numbers, `true`, `false` and null, as a host that
 * parses the file gets them.
 *
 * @param block the text between the two rules
 * @returns undefined if it is no YAML, has other values than JSON has, or is larger than what is read as YAML
 */
export function readTypedFrontMatter(block: string): Record<string, unknown> | undefined {
  if (yamlReader()(block).fields === undefined) return undefined;
  return orUndefined(() => {
    const document = parseYaml(block, 'core');
    const plain: unknown = document?.toJS({ maxAliasCount: MAX_ALIASES });
    const json: unknown = JSON.parse(JSON.stringify(plain));
    return isDeepStrictEqual(json, plain) ? (json as Record<string, unknown>) : undefined;
  });
}

function parseFields(text: string): Parsed {
  try {
    const document = parseYaml(text, 'failsafe');
    if (document === undefined || document.contents === null) return { fields: new Map() };
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

interface Block {
  readonly from: number;
  readonly to: number;
  /** Index of the first line of the body. */
  readonly next: number;
  readonly isOpen: boolean;
}

/** Lines with their ends. */
const LINE = /[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g;
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
const UPLOAD = /^(-{10,}\w[\w-]*)\r?\n(?:content-[^\r\n]*\r?\n)+/i;

/**
 * Finds the front matter of a SKILL.md: between `---` lines at its beginning, or where real files have it: below blank
 * lines, a comment, a heading or the header of a form upload; in a code fence; or opened but never closed (`isOpen`).
 * The texts of its blocks follow each other directly. They are not parsed yet.
 */
function findFrontMatter(source: string) {
  const text = withoutUpload(source.replace(/^\ufeff/, ''));
  const lines: readonly string[] = text.match(LINE) ?? [];
  const { index, hasHeadings } = skipPreamble(lines);
  const found = findBlock(lines, index, hasHeadings);
  if (found === undefined) return { blocks: [], body: text, isOpen: false };
  const second = found.isOpen ? undefined : findSecond(lines, found.next);
  const { next, isOpen } = second ?? found;
  const before = lines.slice(0, index).join('').trim();
  const rest = lines.slice(nextVisible(lines, next)).join('');
  const body = FENCE.test(lines[index] ?? '') ? withoutLastFence(rest) : rest;
  const blocks = [found, second].flatMap((block) => (block === undefined ? [] : blockText(lines, block)));
  return { blocks, body: before === '' ? body : `${before}\n\n${body}`, isOpen };
}

/** The text without the header of a form upload, and what closes it. */
function withoutUpload(text: string): string {
  const [header = '', boundary = ''] = UPLOAD.exec(text) ?? [];
  const end = text.lastIndexOf(`\n${boundary}`) + 1;
  const isClosed = header !== '' && end > header.length && text.slice(end).trim() === `${boundary}--`;
  return isClosed ? text.slice(header.length, end).replace(/\r\n$/, '\n') : text.slice(header.length);
}

/** Index of the line where front matter may begin, and whether headings stand above it. */
function skipPreamble(lines: readonly string[]): { index: number; hasHeadings: boolean } {
  let hasHeadings = false;
  let index = 0;
  for (; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.startsWith('<!--')) {
      let end = index;
      while (end < lines.length && !lines[end]!.includes('-->')) end++;
      if (end === lines.length) break;
      index = end;
    } else if (HEADING.test(line) && !HEADING_KEY.test(line)) hasHeadings = true;
    else if (line.trim() !== '') break;
  }
  return { index, hasHeadings };
}

/** @param hasHeadings whether only a block with a main key counts as front matter */
function findBlock(lines: readonly string[], index: number, hasHeadings: boolean): Block | undefined {
  const [first = ''] = lines.slice(index, index + 1);
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) return findFenced(lines, index + 1, fence);
  const inside = nextVisible(lines, index + 1);
  const below = lines[inside] ?? '';
  if (RULE.test(first)) {
    if (!CLOSING_RULE.test(below) || hasHeadings) return closedOrOpen(lines, index + 1, hasHeadings);
    return { from: inside, to: inside, next: inside + 1, isOpen: false };
  }
  if (ANY_RULE.test(first) && HEADING_KEY.test(below)) return closedOrOpen(lines, index + 1, true);
  if (!MAIN_KEY.test(first) || hasHeadings) return undefined;
  // The opening rule is missing.
  const end = leadingKeys(lines, index);
  const closing = nextVisible(lines, end);
  if (RULE.test(lines[closing] ?? '')) return { from: index, to: end, next: closing + 1, isOpen: false };
  const hasBoth = lines.slice(index, end).filter((line) => MAIN_KEY.test(line)).length > 1;
  return hasBoth || HEADING_KEY.test(first) ? { from: index, to: end, next: end, isOpen: true } : undefined;
}

function closedOrOpen(lines: readonly string[], from: number, mustHaveMainKey: boolean): Block | undefined {
  if (!beginsWithKey(lines, from)) return undefined;
  const end = leadingKeys(lines, from);
  const close = lines.findIndex((line, at) => at >= from && CLOSING_RULE.test(line));
  const isOpen = close === -1 || !isClosedBy(lines.slice(end, close));
  const [to, next] = isOpen ? [end, end] : [close, close + 1];
  const hasMainKey = lines.slice(from, to).some((line) => MAIN_KEY.test(line));
  return hasMainKey || !(mustHaveMainKey || isOpen) ? { from, to, next, isOpen } : undefined;
}

/**
 * Whether a rule further down closes the front matter, and does not belong to the body.
 *
 * @param between what stands between the leading keys and the rule
 */
function isClosedBy(between: readonly string[]): boolean {
  const [first = ''] = between;
  // Text that lost its indentation.
  if (between.length === 0 || (first.trim() !== '' && !first.startsWith('#'))) return true;
  // Else the block goes on only if a key follows before any code.
  const code = between.findIndex((line) => FENCE.test(line));
  return between.slice(0, code === -1 ? between.length : code).some((line) => USUAL_KEY.test(line));
}

/** Finds front matter in a code fence, with or without `---` lines in it. */
function findFenced(lines: readonly string[], from: number, fence: string): Block | undefined {
  const closesFence = (line = ''): boolean => line.trim() === fence;
  const first = nextVisible(lines, from);
  const isRuled = RULE.test(lines[first] ?? '');
  const start = isRuled ? first + 1 : first;
  const end = lines.findIndex((line, at) => at >= start && (closesFence(line) || (isRuled && CLOSING_RULE.test(line))));
  if (end === -1 || !lines.slice(start, end).some((line) => MAIN_KEY.test(line))) return undefined;
  const after = nextVisible(lines, end + 1);
  const next = isRuled && closesFence(lines[after]) ? after + 1 : end + 1;
  return { from: start, to: end, next, isOpen: false };
}

function findSecond(lines: readonly string[], next: number): Block | undefined {
  const first = nextVisible(lines, next);
  if (!RULE.test(lines[first] ?? '') || !beginsWithKey(lines, first + 1)) return undefined;
  const close = lines.findIndex((line, at) => at > first && CLOSING_RULE.test(line));
  // A rule, `Note: …` and another rule may be plain Markdown.
  if (close === -1 || !lines.slice(first + 1, close).some((line) => MAIN_KEY.test(line))) return undefined;
  if (leadingKeys(lines, first + 1) < close) return undefined;
  return { from: first + 1, to: close, next: close + 1, isOpen: false };
}

function beginsWithKey(lines: readonly string[], from: number): boolean {
  let at = nextVisible(lines, from);
  while (lines[at]?.startsWith('#') && !HEADING_KEY.test(lines[at]!)) at = nextVisible(lines, at + 1);
  return KEY.test(lines[at] ?? '') || MAIN_KEY.test(lines[at] ?? '');
}

/** Index of the line after the leading keys and the lines that belong to them. */
function leadingKeys(lines: readonly string[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === '') continue;
    const isBelowKey = at > from && (/^[ \t]/.test(line) || (/^-\s/.test(line) && at === end));
    if (!KEY.test(line) && !MAIN_KEY.test(line) && !isBelowKey) {
      if (!line.startsWith('#')) break;
      // A run of lines with `#` is comments if a key follows directly, else headings.
      const isHeading = (i: number): boolean => lines[i]?.startsWith('#') === true && !HEADING_KEY.test(lines[i]!);
      while (isHeading(at + 1)) at++;
      const below = lines[at + 1] ?? '';
      if (!KEY.test(below) && !HEADING_KEY.test(below) && !/^[ \t]+\S/.test(below)) break;
    }
    end = at + 1;
  }
  return end;
}

/** White space before a key that a formatter joined to the line above. */
const PULLED_UP_KEY = /(?<!\s)\s+(?=(?:name|description|version|license|author|homepage|metadata|allowed-tools):\s)/i;

/**
 * The text of a block, without what a Markdown formatter did. It took the text above `---` for a heading (`## name: x`),
 * and perhaps joined the keys of the next lines to it. If the key is also there without `#`, the heading is a comment
 * and stays.
 */
function blockText(lines: readonly string[], { from, to }: Block): string {
  const inside = lines.slice(from, to).map((line) => line.replace(/[\r\n]+$/, ''));
  const present = new Set(inside.map((line) => /^(name|description)\s*:/i.exec(line)?.[1]?.toLowerCase()));
  const unmarked = inside.flatMap((line) => {
    const [, key, rest = ''] = /^#{1,6}\s+(name|description)\s*:(.*)$/i.exec(line) ?? [];
    return key === undefined || present.has(key.toLowerCase()) ? line : `${key}:${rest}`.split(PULLED_UP_KEY);
  });
  return unmarked.join('\n');
}

/** If the whole file is in a code fence, its last line closes that fence. */
function withoutLastFence(body: string): string {
  const fences = body.match(/^(?:`{3,}|~{3,})/gm)?.length ?? 0;
  const visible = body.trimEnd();
  const start = Math.max(visible.lastIndexOf('\n'), visible.lastIndexOf('\r')) + 1;
  const isLast = fences % 2 === 1 && /^(?:`{3,}|~{3,})$/.test(visible.slice(start));
  return isLast ? `${visible.slice(0, start).trimEnd()}\n` : body;
}

function nextVisible(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.trim() === '') at++;
  return at;
}

const KEY_LINE = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w.-]*))\s*:(?:\s+(.*))?$/;
const MAX_ENTRIES = 500;

/**
 * Reads front matter that is not valid YAML, key by key: a broken entry cannot spoil another one. If a key occurs
 * twice, its last value that is not blank counts.
 *
 * @param parse reads a single entry as YAML; undefined if it is not YAML, and then its text is taken as it is
 */
function readLooseFields(text: string, parse: (entry: string, key: string) => unknown): Map<string, unknown> {
  const entries: { readonly key: string; readonly lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const match = KEY_LINE.exec(line);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    if (key !== undefined && entries.length < MAX_ENTRIES) entries.push({ key, lines: [line] });
    // Text that lost its indentation belongs to the key above it.
    else if (!line.startsWith('#')) entries.at(-1)?.lines.push(line);
  }
  const fields = new Map<string, unknown>();
  for (const { key, lines } of entries) {
    const value = parse(lines.join('\n'), key) ?? plainValue(lines);
    if (!isBlankValue(value) || !fields.has(key)) fields.set(key, value);
  }
  return fields;
}

/** Whether the value of a field is missing or blank. */
function isBlankValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** The text of an entry that is not YAML: its lines joined with spaces, where a blank line becomes a line break. */
function plainValue([first = '', ...below]: readonly string[]): string | undefined {
  const beginning = KEY_LINE.exec(first)?.[4] ?? '';
  const lines = [beginning.replace(/^[|>][+-]?\d?[+-]?(?:\s+|$)/, ''), ...below].map((line) =>
    line.replace(/^\s*-\s+/, '').trim(),
  );
  const paragraphs = lines.map((line) => (line === '' ? '\n' : line)).join(' ');
  const words = paragraphs.replace(/ ?\n[ \n]*/g, '\n').trim();
  return words === '' || /^(?:~|null)$/i.test(words) ? undefined : unquote(words);
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
  return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1).trim() : text;
}
