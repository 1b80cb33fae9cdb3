import { isObject } from '../../core/index.js';
import { cutCodePoints, isBlank } from '../rows/texts.js';
import type { SkillMarkdown } from './front-matter.js';

/**
 * The content of a SKILL.md, in the form of a JSON row: the fields of the Agent Skills format
 * (https://agentskills.io/specification). The name defaults to that of the
 * folder, the description to the first paragraph of the text.
 */
export function skillMarkdownRow(
  { fields, frontMatter, body }: SkillMarkdown,
  folderName: string,
): Record<string, unknown> {
  const field = (...names: readonly string[]): unknown => findField(fields, names);
  const metadata = field('metadata');
  const inner = new Map(Object.entries(isObject(metadata) ? metadata : {}));
  const labels = (...names: readonly string[]): string[] =>
    toLabels([fields, inner].flatMap((all) => names.map((name) => findField(all, [name]))));
  const name = toText(field('name')) ?? '';
  const description = toText(field('description')) ?? '';
  const tags = labels('tag', 'tags');
  const row = {
    name: isBlank(name) ? folderName : name,
    description: isBlank(description) ? firstParagraph(body) : description,
    categories: labels('category', 'categories'),
    occupations: labels('occupation', 'occupations'),
    tags: tags.length > 0 ? tags : undefined,
    license: toText(field('license')),
    compatibility: toText(field('compatibility')),
    'allowed-tools': toText(field('allowed-tools', 'allowed_tools', 'allowedtools'), ' '),
    metadata: isObject(metadata) ? metadata : undefined,
    frontMatter,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** The value of the first of these names that has one. Keys may be in capitals. */
function findField(fields: ReadonlyMap<string, unknown>, names: readonly string[]): unknown {
  for (const name of names) {
    const exact = fields.get(name);
    if (exact !== undefined && exact !== null) return exact;
  }
  for (const [key, value] of fields) {
    if (names.includes(key.toLowerCase())) return value ?? undefined;
  }
  return undefined;
}

/**
 * The text of a value. Authors who meant plain text easily write square brackets or colons, which YAML reads as lists
 * and maps, so this joins the texts of those.
 */
function toText(value: unknown, separator = ', '): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(itemText).filter(Boolean).join(separator);
  if (isObject(value))
    return Object.values(value)
      .filter((item) => typeof item === 'string')
      .join(' ');
  return undefined;
}

function itemText(item: unknown): string {
  if (typeof item === 'string') return item;
  if (Array.isArray(item)) return item.map(itemText).join(', ');
  if (!isObject(item)) return '';
  return Object.entries(item)
    .map(([key, value]) => (value === null ? key : `${key}: ${itemText(value)}`))
    .join(', ');
}

function toLabels(values: readonly unknown[]): string[] {
  const labels = values.flatMap((value): unknown[] =>
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [],
  );
  return labels.flatMap((label) => (typeof label === 'string' ? label.trim() || [] : []));
}

const MAX_LENGTH = 1000;

const FENCE = /^\s*(`{3,}|~{3,})/;
const SKIPPED = [
  /^\s*#{1,6}(?:\s|$)/, // heading
  /^\s*(?:[-*_=]\s*){3,}$/, // rule
  /^\s*\|/, // table
  /^\s*\[[^\]]+\]:\s/, // link definition
  /^\s*<\/?[a-z][^>]*>\s*$/i, // a tag alone
  /^\s*(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+$/, // images and badges
];
/** Makes the single line above it a heading. */
const UNDERLINE = /^\s*(?:=+|-{2,})\s*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;
/** A line with what belongs into front matter: `**Name:** x`, `version: 1`. */
const FIELD =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?(name|version|author|license|tags|title|id)(?:\*{1,2}|_{1,2}|`)?\s*:/i;
const DESCRIPTION =
  /^\s*(?:[-*>]\s+)?(?:\*{1,2}|_{1,2}|`)?description(?:\*{1,2}|_{1,2}|`)?\s*:(?:\*{1,2}|_{1,2}|`)?\s*(\S.*)$/i;

/** Lines from the top in which a line `**Description:** …` counts. */
const TOP_LINES = 20;
const MAX_LINES = 2000;

/**
 * The text that best says what a Markdown page is about: a line `**Description:** …` near its beginning, else its first
 * paragraph.
 *
 * @returns one line, at most 1,000 code points; empty if there is no such text
 */
export function firstParagraph(markdown: string): string {
  const withoutComments = markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, '\n');
  const lines = withoutFences(withoutComments.split(/\r\n|\n|\r/, MAX_LINES));
  const described = lines.slice(0, TOP_LINES).find((line) => DESCRIPTION.test(line));
  const text = described?.replace(DESCRIPTION, '$1') ?? paragraph(lines).join(' ');
  return cutCodePoints(text.replace(/\s+/g, ' ').trim(), MAX_LENGTH);
}

/** The lines of the first paragraph. */
function paragraph(lines: readonly string[]): string[] {
  const found: string[] = [];
  let inList = false;
  for (const line of lines) {
    const isItem = LIST_ITEM.test(line);
    if (found.length === 1 && UNDERLINE.test(line)) {
      // What looked like a paragraph is a heading.
      found.length = 0;
      continue;
    }
    // A list is a paragraph of its own, unless the line before ends with a colon.
    const listBegins = isItem && !inList && found.length > 0 && !/[:：]\s*$/.test(found.at(-1) ?? '');
    if (listBegins || line.trim() === '' || SKIPPED.some((pattern) => pattern.test(line))) {
      if (found.length > 0) return found;
    } else if (!FIELD.test(line)) {
      found.push(line);
      inList ||= isItem;
    }
  }
  return found;
}

/** The lines, with those in code fences blanked. */
function withoutFences(lines: readonly string[]): string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return isCode ? '' : line;
  });
}
