import { isObject } from '../../core/index.js';
import { isBlank } from '../rows/clean-text.js';
import { firstParagraph } from './first-paragraph.js';
import type { SkillMarkdown } from './front-matter.js';

/** The content of a SKILL.md, in the form of a JSON row. */
export interface SkillMarkdownRow {
  readonly name: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly occupations: readonly string[];
  readonly tags?: readonly string[];
  readonly license?: string;
  readonly compatibility?: string;
  readonly 'allowed-tools'?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly frontMatter?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the fields of the Agent Skills format (https://agentskills.io/specification). The name defaults to that of the
 * folder, the description to the first paragraph of the text.
 */
export function skillMarkdownRow({ fields, frontMatter, body }: SkillMarkdown, folderName: string): SkillMarkdownRow {
  const field = (...names: readonly string[]): unknown => findField(fields, names);
  const license = toText(field('license'));
  const compatibility = toText(field('compatibility'));
  const tools = toText(field('allowed-tools', 'allowed_tools', 'allowedtools'), ' ');
  const metadata = field('metadata');
  const inner = isObject(metadata) ? new Map(Object.entries(metadata)) : new Map<string, unknown>();
  const labels = (...names: readonly string[]): string[] =>
    toLabels([...names.map((name) => findField(fields, [name])), ...names.map((name) => findField(inner, [name]))]);

  const name = toText(field('name')) ?? '';
  const description = toText(field('description')) ?? '';
  const tags = labels('tag', 'tags');
  return {
    name: isBlank(name) ? folderName : name,
    description: isBlank(description) ? firstParagraph(body) : description,
    categories: labels('category', 'categories'),
    occupations: labels('occupation', 'occupations'),
    ...(tags.length > 0 && { tags }),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(tools !== undefined && { 'allowed-tools': tools }),
    ...(isObject(metadata) && { metadata }),
    ...(frontMatter !== undefined && { frontMatter }),
  };
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
  const labels = values.flatMap((value) =>
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [],
  );
  return labels
    .filter((label): label is string => typeof label === 'string' && label.trim() !== '')
    .map((l) => l.trim());
}
