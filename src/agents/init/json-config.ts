import { isDeepStrictEqual } from 'node:util';
import jsonc, { type Node, type ParseError } from 'jsonc-parser';
import { ConfigFault } from '../../core/index.js';
import type { Addition, ConfigFormat, JsonValue, Place } from './config-format.js';
import { indentationAt, type JsonStyle, jsonInLines, jsonInOneLine, jsonStyleOf } from './json-style.js';
import { afterTrivia, afterTriviaOfLine, hasComment, lineStart } from './json-trivia.js';
import { plainValue } from './plain-value.js';
import type { TextEdit } from './text-edit.js';

/**
 * JSON with comments and trailing commas. The package finds where values are; edits are our own, because its edits
 * lay out the neighbours of what they change anew.
 */
export const JSON_CONFIG: ConfigFormat = {
  name: 'json',

  parse(text) {
    const root = rootOf(text);
    return root === undefined ? {} : valueOfNode(root);
  },

  entries(text, { keys, kind }) {
    const { node, found } = descend(rootOf(text), keys);
    if (node === undefined || found < keys.length) return [];
    if (kind === 'member') return [valueOfNode(node)];
    return listAt(node, keys).map((element) => valueOfNode(element));
  },

  add(text, place, value) {
    const root = rootOf(text);
    const style = jsonStyleOf(text);
    if (root === undefined) return { edits: [wholeText(text, place, value, style)], found: 0 };
    return addBelow(text, descend(root, place.keys), place, value, style);
  },

  remove(text, place, value) {
    const node = nodeOf(text, place, value);
    return removeItem(text, place.kind === 'member' ? node.parent! : node);
  },

  removeEmpty(text, keys) {
    const { node, found } = descend(rootOf(text), keys);
    if (node === undefined || found < keys.length) return [];
    if (node.type !== 'object' && node.type !== 'array') return [];
    const end = node.offset + node.length - 1;
    if (itemsOf(node).length > 0 || hasComment(text, node.offset + 1, end)) return [];
    return removeItem(text, node.parent!);
  },
};

function valueOfNode(node: Node): unknown {
  return plainValue(jsonc.getNodeValue(node));
}

/** What of a place there is. */
interface Descent {
  /** The last value on the way. */
  readonly node: Node | undefined;
  /** How many keys lead to it. */
  readonly found: number;
}

/** @throws {ConfigFault} if the text is no JSON */
function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  // A byte order mark is no part of JSON, but of a file.
  const readable = text.replace(/^\ufeff/, ' ');
  const root = jsonc.parseTree(readable, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const error = errors[0];
  if (error !== undefined) throw faultAt(text, error);
  return root;
}

/** What the parser misses, by its own codes. */
const EXPECTED: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma',
  CloseBraceExpected: 'a closing brace }',
  CloseBracketExpected: 'a closing bracket ]',
  EndOfFileExpected: 'the end of the file',
  InvalidNumberFormat: 'a number as JSON has it',
  UnexpectedEndOfComment: 'the end of a comment */',
  UnexpectedEndOfString: 'the closing quote of a text',
  UnexpectedEndOfNumber: 'the rest of a number',
  InvalidUnicode: 'four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'an escape that JSON has after the backslash',
  InvalidSymbol: 'a value',
  InvalidCharacter: 'no control character in a text',
};

function faultAt(text: string, { error, offset }: ParseError): ConfigFault {
  const before = text.slice(0, offset);
  const line = before.split(/\r\n|\r|\n/).length;
  const column = offset - lineStart(text, offset) + 1;
  const expected = EXPECTED[jsonc.printParseErrorCode(error)] ?? 'JSON';
  return new ConfigFault(`it is not JSON: expected ${expected} in line ${line}, column ${column}`, line);
}

/**
 * Follows keys as far as they lead.
 *
 * @throws {ConfigFault} if something else than an object is on the way, or a key is there twice
 */
function descend(root: Node | undefined, keys: readonly string[]): Descent {
  if (root === undefined) return { node: undefined, found: 0 };
  let node = root;
  for (const [found, key] of keys.entries()) {
    if (node.type !== 'object') throw notA('an object', node, keys.slice(0, found));
    const members = itemsOf(node).filter((member) => member.children?.[0]?.value === key);
    if (members.length > 1) throw new ConfigFault(`it has ${keys.slice(0, found + 1).join('.')} twice`);
    const value = members[0]?.children?.[1];
    if (value === undefined) return { node, found };
    node = value;
  }
  return { node, found: keys.length };
}

function notA(expected: string, node: Node, keys: readonly string[]): ConfigFault {
  const where = keys.length === 0 ? 'at its top' : `at ${keys.join('.')}`;
  const got = node.type === 'array' || node.type === 'object' ? `an ${node.type}` : `a value of type ${node.type}`;
  return new ConfigFault(`expected ${expected} ${where}, found ${got}`);
}

function itemsOf(node: Node): readonly Node[] {
  return node.children ?? [];
}

function listAt(node: Node, keys: readonly string[]): readonly Node[] {
  if (node.type !== 'array') throw notA('an array', node, keys);
  return itemsOf(node);
}

/** The value of an entry: of a list the last one that is equal. */
function nodeOf(text: string, { keys, kind }: Place, value: JsonValue): Node {
  const { node, found } = descend(rootOf(text), keys);
  const candidates = node === undefined || found < keys.length ? [] : kind === 'member' ? [node] : listAt(node, keys);
  const entry = candidates.findLast((one) => isDeepStrictEqual(valueOfNode(one), value));
  if (entry === undefined) throw new ConfigFault(`what was at ${keys.join('.')} is no longer there`);
  return entry;
}

/** A text with nothing in it but this entry. */
function wholeText(text: string, place: Place, value: JsonValue, style: JsonStyle): TextEdit {
  const inserted = jsonInLines(nested(place.keys, place.kind === 'member' ? value : [value]), style, '');
  // A comment that nothing ends would go on over what comes behind it.
  const lead = /[^\s\ufeff]/.test(text.slice(lineStart(text, text.length))) ? style.lineBreak : '';
  return { offset: text.length, removed: '', inserted: `${lead}${inserted}${style.lineBreak}` };
}

function nested(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function addBelow(text: string, { node, found }: Descent, place: Place, value: JsonValue, style: JsonStyle): Addition {
  const { keys, kind } = place;
  const container = node!;
  if (found === keys.length) {
    if (kind === 'member') throw new ConfigFault(`there is something at ${keys.join('.')}`);
    listAt(container, keys);
    return { edits: insertItem(text, container, style, undefined, value), found };
  }
  if (container.type !== 'object') throw notA('an object', container, keys.slice(0, found));
  const inner = nested(keys.slice(found + 1), kind === 'member' ? value : [value]);
  return { edits: insertItem(text, container, style, keys[found]!, inner), found };
}

/** Puts a member or an element behind the last one. */
function insertItem(
  text: string,
  container: Node,
  style: JsonStyle,
  key: string | undefined,
  value: JsonValue,
): readonly TextEdit[] {
  const inLines = (indentation: string): string =>
    (key === undefined ? '' : `${JSON.stringify(key)}: `) + jsonInLines(value, style, indentation);
  const inOneLine = (key === undefined ? '' : `${JSON.stringify(key)}:${style.gap}`) + jsonInOneLine(value, style.gap);
  const open = container.offset + 1;
  const close = container.offset + container.length - 1;
  const last = itemsOf(container).at(-1);
  if (last === undefined) {
    if (style.isOneLine) return [insertion(open, inOneLine)];
    const outer = indentationAt(text, container.offset);
    const indentation = outer + style.step;
    // After the comments that are there.
    const at = open + text.slice(open, close).trimEnd().length;
    const isClosedInLine = !/[\r\n]/.test(text.slice(at, close));
    const tail = isClosedInLine ? style.lineBreak + outer : '';
    return [insertion(at, style.lineBreak + indentation + inLines(indentation) + tail)];
  }
  const lastEnd = last.offset + last.length;
  const comma = afterTrivia(text, lastEnd);
  const hasTrailingComma = text[comma] === ',';
  const end = hasTrailingComma ? comma + 1 : lastEnd;
  if (text.slice(lineStart(text, last.offset), last.offset).trim() !== '') {
    const item = hasTrailingComma ? `${style.gap}${inOneLine},` : `,${style.gap}${inOneLine}`;
    return [insertion(end, item)];
  }
  const indentation = indentationAt(text, last.offset);
  const item = style.lineBreak + indentation + inLines(indentation);
  const at = afterTriviaOfLine(text, end);
  if (hasTrailingComma) return [insertion(at, `${item},`)];
  return at === lastEnd ? [insertion(at, `,${item}`)] : [insertion(lastEnd, ','), insertion(at, item)];
}

function insertion(offset: number, inserted: string): TextEdit {
  return { offset, removed: '', inserted };
}

/** Removes a member or an element with one comma, and with its lines if nothing else is in them. */
function removeItem(text: string, item: Node): readonly TextEdit[] {
  const container = item.parent!;
  const items = itemsOf(container);
  const end = item.offset + item.length;
  const next = afterTrivia(text, end);
  const hasComma = text[next] === ',';
  if (items.length === 1) {
    const open = container.offset + 1;
    const close = container.offset + container.length - 1;
    const isAlone = !hasComment(text, open, item.offset) && !hasComment(text, hasComma ? next + 1 : end, close);
    if (isAlone && !(hasComma && hasComment(text, end, next))) return [removal(text, open, close)];
  }
  if (hasComma) {
    if (hasComment(text, end, next)) return [removal(text, item.offset, end), removal(text, next, next + 1)];
    if (hasOwnLines(text, item.offset, next + 1)) return [removal(text, endOfLineBefore(text, item.offset), next + 1)];
    return [removal(text, item.offset, next + 1 + /^[ \t]*/.exec(text.slice(next + 1))![0].length)];
  }
  const ownText = hasOwnLines(text, item.offset, end)
    ? removal(text, endOfLineBefore(text, item.offset), end)
    : removal(text, item.offset, end);
  const before = items[items.indexOf(item) - 1];
  if (before === undefined) return [ownText];
  const comma = afterTrivia(text, before.offset + before.length);
  if (!hasComment(text, comma + 1, item.offset)) return [removal(text, comma, end)];
  return [removal(text, comma, comma + 1), ownText];
}

function removal(text: string, from: number, to: number): TextEdit {
  return { offset: from, removed: text.slice(from, to), inserted: '' };
}

/** Whether only white space stands before and after a range in its lines. */
function hasOwnLines(text: string, from: number, to: number): boolean {
  return text.slice(lineStart(text, from), from).trim() === '' && /^[ \t]*(?:[\r\n]|$)/.test(text.slice(to));
}

/** Where the line before ends: its line break goes with what is removed. */
function endOfLineBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return start >= 2 && text.startsWith('\r\n', start - 2) ? start - 2 : Math.max(start - 1, 0);
}
