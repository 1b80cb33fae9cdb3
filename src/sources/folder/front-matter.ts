import { isMap, isNode, isScalar, parseDocument, visit } from 'yaml';

import { toOneLine } from '../rows/clean-text.js';
import { splitFrontMatter } from './front-matter-block.js';
import { isBlankValue, readLooseFields } from './loose-fields.js';

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

/** Longest front matter that is parsed as YAML, in characters. */
const MAX_YAML = 64 * 1024;

/** Aliases repeat the value of an anchor. A few are shorthand, many are an attack. */
const MAX_ALIASES = 20;

/** Parses a SKILL.md, even if its front matter is not quite valid. Never throws. */
export function readSkillMarkdown(text: string): SkillMarkdown {
  const parts = splitFrontMatter(text, (block) => parseFields(block).fields !== undefined);
  const warnings: string[] = [];
  if (parts.unclosed) warnings.push('the front matter is not closed: its leading keys were taken');

  const [first = new Map<string, unknown>(), second] = parts.blocks.map((block) => {
    const { fields, fault } = parseFields(block);
    if (fields !== undefined) return fields;
    warnings.push(`the front matter is not YAML (${fault}): it was read key by key`);
    return readLooseFields(block, parseEntry);
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

function parseFields(text: string): Parsed {
  if (text.length > MAX_YAML) return { fault: `longer than ${MAX_YAML} characters` };
  try {
    // The failsafe schema knows only text, lists and maps. Tags are not resolved.
    const document = parseDocument(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'error',
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined) return { fault: toOneLine(error.message) };
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

function parseEntry(text: string, key: string): unknown {
  return parseFields(text).fields?.get(key);
}
