import { isDeepStrictEqual } from 'node:util';
import { Composer, type Document, isMap, isNode, isScalar, Lexer, Parser, visit } from 'yaml';

import { toOneLine } from '../rows/clean-text.js';
import { splitFrontMatter } from './front-matter-block.js';
import { isBlankValue, readLooseFields } from './loose-fields.js';

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
  const parts = splitFrontMatter(text, (block) => yaml.read(block).fields !== undefined);
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
