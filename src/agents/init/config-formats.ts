import { isDeepStrictEqual } from 'node:util';
import jsonc, { type Node, type ParseError } from 'jsonc-parser';
import { ConfigFault, isObject } from '../../core/index.js';
import { parseToml, TomlError } from '../../core/toml.js';

/** A value as JSON can have it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Where an entry stands in a configuration. */
export interface Place {
  /** The keys from the top. An entry of a `list` stands in the array there, a `member` is the value there. */
  readonly keys: readonly string[];
  readonly kind: 'member' | 'list';
}

/**
 * Reads and edits the text of a configuration. All methods take a text that may be empty, and throw a
 * {@link ConfigFault} if it cannot be read or if the edit would change anything else.
 */
export interface ConfigFormat {
  readonly name: 'json' | 'toml';
  /** The whole as plain values. */
  parse(text: string): unknown;
  /** The text with an entry. Nothing may stand in the place of a member. */
  add(text: string, place: Place, value: JsonValue): string;
  /**
   * The text without an entry that is there. Of the objects and arrays around it those go, too, that are empty then and
   * were not in `former`, the text before the entry was added.
   */
  remove(text: string, place: Place, value: JsonValue, former: string): string;
  /** The lines of an entry that is there, and the number of the first one. */
  linesOf(text: string, place: Place, value: JsonValue): { readonly line: number; readonly lines: readonly string[] };
}

/**
 * The entries at a place of a parsed configuration: at most one of a member.
 *
 * @throws {ConfigFault} if something else than objects is on the way, or no array in the place of a list
 */
export function entriesAt(config: unknown, { keys, kind }: Place): readonly unknown[] {
  let value = config;
  for (const [i, key] of keys.entries()) {
    if (!isObject(value)) throw notA('an object', value, keys.slice(0, i));
    if (!Object.hasOwn(value, key)) return [];
    value = value[key];
  }
  if (kind === 'member') return [value];
  if (!Array.isArray(value)) throw notA('an array', value, keys);
  return value;
}

/** A place as people write it. */
export function nameOf({ keys }: Pick<Place, 'keys'>): string {
  return keys.join('.');
}

function notA(expected: string, value: unknown, keys: readonly string[]): ConfigFault {
  const where = keys.length === 0 ? 'at its top' : `at ${nameOf({ keys })}`;
  const type =
    typeof value === 'object' ? (Array.isArray(value) ? 'an array' : 'an object') : `a value of type ${typeof value}`;
  return new ConfigFault(`expected ${expected} ${where}, found ${type}`);
}

/** @throws {ConfigFault} unless the entry is the only difference between two texts */
function checkEdit({ parse }: ConfigFormat, without: string, withEntry: string, place: Place, value: JsonValue): void {
  try {
    const [before, after] = [parse(without), parse(withEntry)];
    const expected = withEntries(before, place, [...entriesAt(before, place), value]);
    if (isDeepStrictEqual(withEntries(after, place, entriesAt(after, place)), expected)) return;
  } catch {
    // A text that is none any more.
  }
  throw new ConfigFault(`${nameOf(place)} cannot be changed there without changing more`);
}

/** A configuration with these entries in a place. Objects and arrays around it that are empty do not count. */
function withEntries(config: unknown, { keys, kind }: Place, entries: readonly unknown[]): unknown {
  const [key, ...rest] = keys as [string, ...string[]];
  const container = (config ?? {}) as Record<string, unknown>;
  const last = kind === 'member' ? entries[0] : [...entries];
  const inner = rest.length === 0 ? last : withEntries(container[key], { keys: rest, kind }, entries);
  const { [key]: _, ...others } = container;
  const isEmpty = typeof inner === 'object' && inner !== null && Object.keys(inner).length === 0;
  return inner === undefined || isEmpty ? others : { ...others, [key]: inner };
}

/** A value whose objects are plain ones, so that it can be compared with one of ours: parsers make others. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

/** The line break of the first line. */
function lineBreakOf(text: string): '\n' | '\r\n' {
  return /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
}

function linesIn(text: string, start: number, end: number): { readonly line: number; readonly lines: string[] } {
  return { line: text.slice(0, start).split('\n').length, lines: text.slice(start, end).split(/\r?\n/) };
}

/** JSON with comments and trailing commas. */
const JSON_CONFIG: ConfigFormat = {
  name: 'json',

  parse(text) {
    const root = rootOf(text);
    return root === undefined ? {} : plainValue(jsonc.getNodeValue(root));
  },

  add(text, place, value) {
    // Says what is wrong with the text.
    entriesAt(JSON_CONFIG.parse(text), place);
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    const body = text.slice(mark.length);
    const path = place.kind === 'member' ? [...place.keys] : [...place.keys, -1];
    const isOneLine = !/[\r\n]/.test(body.trim()) && /[^\s{}[\]]/.test(body);
    const edits = jsonc.modify(body, path, value, isOneLine ? {} : { formattingOptions: layoutOf(body) });
    const edited = mark + jsonc.applyEdits(body, edits) + (body === '' ? '\n' : '');
    checkEdit(JSON_CONFIG, text, edited, place, value);
    return edited;
  },

  remove(text, place, value, former) {
    const before = rootOf(former);
    let item = itemOf(text, place, value);
    // Outwards, as long as there is nothing else in an object or array that was made for the entry.
    for (let box = item.parent!; box.parent !== undefined; box = item.parent!) {
      const others = text.slice(box.offset + 1, item.offset) + text.slice(endOf(item), endOf(box) - 1);
      const wasThere = before !== undefined && jsonc.findNodeAtLocation(before, jsonc.getNodePath(box)) !== undefined;
      if (wasThere || !/^[\s,]*$/.test(others)) break;
      item = box.parent;
    }
    const edited = withoutItem(text, item);
    checkEdit(JSON_CONFIG, edited, text, place, value);
    return edited;
  },

  linesOf(text, place, value) {
    const { offset, length } = itemOf(text, place, value);
    return linesIn(text, offset, offset + length);
  },
};

/** @throws {ConfigFault} if the text is no JSON */
function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  // A byte order mark is no part of JSON, but of a file.
  const readable = text.replace(/^\ufeff/, ' ');
  const root = jsonc.parseTree(readable, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [fault] = errors;
  if (fault === undefined) return root;
  const lines = text.slice(0, fault.offset).split(/\r\n|\r|\n/);
  const what = jsonc.printParseErrorCode(fault.error).replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
  const message = `it is not JSON: ${what.toLowerCase()} in line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  throw new ConfigFault(message, lines.length);
}

/** How an existing text is laid out; two spaces and LF where it does not say. */
function layoutOf(text: string): jsonc.FormattingOptions {
  const step = /[\r\n]([ \t]+)[^\s]/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !step.includes('\t'), tabSize: step.length, eol: lineBreakOf(text) };
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/**
 * The member or element of an entry: of a list the last one that is equal.
 *
 * @throws {ConfigFault} if it is not there
 */
function itemOf(text: string, { keys, kind }: Place, value: JsonValue): Node {
  const node = jsonc.findNodeAtLocation(rootOf(text)!, [...keys]);
  const items = kind === 'member' ? [node] : (node?.children ?? []);
  const found = items.findLast(
    (one) => one !== undefined && isDeepStrictEqual(plainValue(jsonc.getNodeValue(one)), value),
  );
  if (found === undefined) throw new ConfigFault(`what was at ${nameOf({ keys })} is no longer there`);
  return kind === 'member' ? found.parent! : found;
}

/** White space and comments, and the comma behind them. */
const COMMA = /^((?:\s|\/\/[^\r\n]*(?:[\r\n]|$)|\/\*[\s\S]*?\*\/)*),/;

/**
 * A text without a member or element, and without one comma beside it. The edits of the package take the comments
 * between two of them along, and cut arrays of one line wrongly.
 */
function withoutItem(text: string, item: Node): string {
  const container = item.parent!;
  const items = container.children!;
  const [before, next] = [items[items.indexOf(item) - 1], items[items.indexOf(item) + 1]];
  const start = before === undefined ? container.offset + 1 : endOf(before);
  const end = next === undefined ? endOf(container) - 1 : next.offset;
  let [left, right] = [text.slice(start, item.offset), text.slice(endOf(item), end)];
  if (before !== undefined && next === undefined) left = left.replace(COMMA, '$1');
  else right = right.replace(COMMA, '$1');
  // A comment of a line needs the line break behind it.
  if (/^\s*[\r\n]/.test(right) || !left.includes('//')) left = left.trimEnd();
  if (before === undefined && next === undefined && left.trim() + right.trim() === '') right = '';
  return text.slice(0, start) + left + right + text.slice(end);
}

/** TOML. An entry is a table with a header of its own, between two marks at the end of the file. */
const TOML_CONFIG: ConfigFormat = {
  name: 'toml',

  parse(text) {
    try {
      return plainValue(parseToml(text.replace(/^\ufeff/, ''), { integersAsBigInt: 'asNeeded' }));
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const reason = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '');
      throw new ConfigFault(`it is not TOML: ${reason} in line ${error.line}, column ${error.column}`, error.line);
    }
  },

  add(text, place, value) {
    // Says what is wrong with the text.
    entriesAt(TOML_CONFIG.parse(text), place);
    const lineBreak = lineBreakOf(text);
    const isOpen = text.replace('\ufeff', '') !== '' && !text.endsWith('\n');
    const hasLines = text.trim() !== '' && !/\n\r?\n$/.test(text);
    const lead = (isOpen ? lineBreak : '') + (hasLines ? lineBreak : '');
    const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
    const lines = members.map(([key, one]) => `${key} = ${tomlOf(one)}`);
    const edited = text + lead + [BEGIN, `[${nameOf(place)}]`, ...lines, END, ''].join(lineBreak);
    checkEdit(TOML_CONFIG, text, edited, place, value);
    return edited;
  },

  remove(text, place, value) {
    const { index, 0: block } = blockOf(text, place);
    const edited = text.slice(0, index) + text.slice(index + block.length);
    checkEdit(TOML_CONFIG, edited, text, place, value);
    return edited;
  },

  linesOf(text, place) {
    const { index, 0: block } = blockOf(text, place);
    const start = index + /^\s*/.exec(block)![0].length;
    return linesIn(text, start, index + block.trimEnd().length);
  },
};

const BEGIN = '# begin of what skill-discovery init wrote';
const END = '# end of what skill-discovery init wrote';

/** The lines of an entry with its marks, and an empty line before them. */
function blockOf(text: string, place: Place): RegExpExecArray {
  const header = nameOf(place).replaceAll('.', '\\.');
  const block = new RegExp(`(?<=^|\\n)(?:\\r?\\n)?${BEGIN}\\r?\\n\\[${header}\\]\\r?\\n[^]*?${END}(?:\\r?\\n|$)`).exec(
    text,
  );
  if (block === null) throw new ConfigFault(`the marks of ${nameOf(place)} are no longer around it: remove it by hand`);
  return block;
}

/** Texts, numbers and the like are written as in JSON. */
function tomlOf(value: JsonValue): string {
  return Array.isArray(value) ? `[${value.map(tomlOf).join(', ')}]` : JSON.stringify(value);
}

/** The formats by their names. */
export const CONFIG_FORMATS: { readonly [name in ConfigFormat['name']]: ConfigFormat } = {
  json: JSON_CONFIG,
  toml: TOML_CONFIG,
};
