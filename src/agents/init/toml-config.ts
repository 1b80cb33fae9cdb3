import { isDeepStrictEqual } from 'node:util';
import { ConfigFault, isObject, parseToml, TomlError } from '../../core/index.js';
import type { ConfigFormat, JsonValue, Place } from './config-format.js';
import { plainValue } from './plain-value.js';
import type { TextEdit } from './text-edit.js';

/**
 * TOML. An entry is a table with a header of its own, `[mcp_servers.skills]`, at the end of the file. The package only
 * reads: whether an edit did what it should is known by reading the text again.
 */
export const TOML_CONFIG: ConfigFormat = {
  name: 'toml',

  parse: parsed,

  entries(text, { keys }) {
    const entry = valueAt(parsed(text), keys);
    return entry === undefined ? [] : [entry];
  },

  add(text, place, value) {
    const config = parsed(text);
    refuseOthers(text, config, place);
    if (valueAt(config, place.keys) !== undefined) throw new ConfigFault(`there is something at ${nameOf(place)}`);
    const found = place.keys.findIndex((_, i) => valueAt(config, place.keys.slice(0, i + 1)) === undefined);
    const lineBreak = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
    const isOpen = text.replace('\ufeff', '') !== '' && !text.endsWith('\n');
    const hasLines = text.trim() !== '' && !/\n\r?\n$/.test(text);
    const lead = (isOpen ? lineBreak : '') + (hasLines ? lineBreak : '');
    return { edits: [{ offset: text.length, removed: '', inserted: lead + table(place, value, lineBreak) }], found };
  },

  remove(text, place, value) {
    if (!isDeepStrictEqual(valueAt(parsed(text), place.keys), value)) {
      throw new ConfigFault(`what was at ${nameOf(place)} is no longer there`);
    }
    return tableLines(text, place);
  },

  // A header makes the tables around it. When the last one is gone, so are they.
  removeEmpty: () => [],
};

/** @throws {ConfigFault} if the text is no TOML */
function parsed(text: string): unknown {
  try {
    return plainValue(parseToml(text.replace(/^\ufeff/, ''), { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '');
    throw new ConfigFault(`it is not TOML: ${reason} in line ${error.line}, column ${error.column}`, error.line);
  }
}

function valueAt(config: unknown, keys: readonly string[]): unknown {
  let value = config;
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** @throws {ConfigFault} if something is on the way that a table of its own cannot be added to */
function refuseOthers(text: string, config: unknown, place: Place): void {
  for (let length = 1; length < place.keys.length; length++) {
    const keys = place.keys.slice(0, length);
    const value = valueAt(config, keys);
    if (value === undefined) return;
    const name = nameOf({ ...place, keys });
    const line = lineOf(text, name);
    const isTable = isObject(value);
    const isInline = isTable && line?.isValue === true;
    if (isTable && !isInline) continue;
    const got = isInline ? 'a table in braces' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
    const where = line === undefined ? '' : ` in line ${line.number}`;
    throw new ConfigFault(`expected a table [${name}] or none, found ${got}${where}`, line?.number);
  }
}

/** The line of a key before the first header, or of the first header of an array of tables. */
function lineOf(text: string, name: string): { readonly number: number; readonly isValue: boolean } | undefined {
  const lines = text.split(/(?<=\n)/);
  let isTop = true;
  for (const [i, line] of lines.entries()) {
    const [, , key] = /^[ \t\ufeff]*(["']?)([\w-]+)\1[ \t]*=/.exec(line) ?? [];
    const [, , array] = /^[ \t\ufeff]*\[\[[ \t]*(["']?)([\w-]+)\1[ \t]*\]\]/.exec(line) ?? [];
    const isValue = isTop && key === name;
    if ((isValue || array === name) && isWhole(lines.slice(0, i))) return { number: i + 1, isValue };
    isTop &&= !HEADER.test(line) || !isWhole(lines.slice(0, i));
  }
  return undefined;
}

function nameOf({ keys }: Place): string {
  return keys.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

function table(place: Place, value: JsonValue, lineBreak: string): string {
  const lines = Object.entries(value as Readonly<Record<string, JsonValue>>).map(
    ([key, one]) => `${key} = ${toml(one)}`,
  );
  return [`[${nameOf(place)}]`, ...lines, ''].join(lineBreak);
}

function toml(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'string') return JSON.stringify(value);
  // A path of Windows is easier to read without escapes.
  if (value.includes('\\') && !/['\p{Cc}]/u.test(value)) return `'${value}'`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

/** A header, with a comment behind it. */
const HEADER = /^[ \t]*\[/;

/**
 * The lines of a table, and the empty line before it. Comments and empty lines in it stay: they are not ours. Lines
 * are told by how they begin. Where a text in several lines deceives that, the check of the whole edit refuses it.
 */
function tableLines(text: string, place: Place): readonly TextEdit[] {
  const lines = text.split(/(?<=\n)/);
  const header = lines.findIndex((line, i) => headerOf(line) === nameOf(place) && isWhole(lines.slice(0, i)));
  if (header === -1) throw new ConfigFault(`${nameOf(place)} is not written as a table [${nameOf(place)}]`);
  const edits: TextEdit[] = [];
  let offset = lines.slice(0, header).reduce((sum, line) => sum + line.length, 0);
  let from = offset;
  if (header > 0 && /^\r?\n$/.test(lines[header - 1]!)) from -= lines[header - 1]!.length;
  const flush = (to: number): void => {
    if (to > from) edits.push({ offset: from, removed: text.slice(from, to), inserted: '' });
  };
  for (let i = header; i < lines.length; i++) {
    const line = lines[i]!;
    if (i > header && HEADER.test(line) && isWhole(lines.slice(header, i))) break;
    if (/^[ \t]*(?:#|\r?\n?$)/.test(line)) {
      flush(offset);
      from = offset + line.length;
    }
    offset += line.length;
  }
  flush(offset);
  return edits;
}

/** Whether lines can be read by themselves: no array and no text goes on behind them. */
function isWhole(lines: readonly string[]): boolean {
  try {
    parsed(lines.join(''));
    return true;
  } catch {
    return false;
  }
}

/** The name in a header, without white space and quotes that it does not need. */
function headerOf(line: string): string | undefined {
  const name = /^[ \t\ufeff]*\[([^[\]]+)\][ \t]*(?:#.*)?\r?\n?$/.exec(line)?.[1];
  return name
    ?.split('.')
    .map((part) => part.trim().replace(/^(["'])([\w-]+)\1$/, '$2'))
    .join('.');
}
