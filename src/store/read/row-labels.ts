import { authorKey, type DocumentNumber, installationKey, licenseKey } from '../../core/index.js';
import type { SkillInstallation } from '../../skill.js';
import type { StoredRow } from './stored-row.js';

/** The documents that have each label. */
export type DocumentsByLabel = Map<string, DocumentNumber[]>;

export type RowLabelsName = 'categories' | 'occupations' | 'authors' | PropertyLabelsName;

/** What filters and facets know of rows, by the name of the labels. */
export interface RowLabels extends Readonly<Record<RowLabelsName, DocumentsByLabel>> {
  /** How the first document of each author writes it, by its label. */
  readonly authorNames: Map<string, string>;
}

/** Labels that no document has yet. */
export function noRowLabels(): RowLabels {
  const labels = Object.fromEntries(NAMES.map((name) => [name, new Map()])) as unknown as RowLabels;
  return { ...labels, authorNames: new Map() };
}

/**
 * Adds the labels of a document. Documents must come in ascending order.
 *
 * @param derived its derived categories, a JSON array: they count if its source gives none
 */
export function addRowLabels(labels: RowLabels, row: StoredRow, derived: string, document: DocumentNumber): void {
  addSlugs(labels.categories, row.categories === '[]' ? derived : row.categories, document);
  addSlugs(labels.occupations, row.occupations, document);
  const author = recordAuthor(row.record);
  const key = authorKey(author);
  if (!labels.authors.has(key)) labels.authorNames.set(key, author);
  addLabel(labels.authors, key, document);
  for (const name of PROPERTY_LABELS_NAMES) {
    for (const label of PROPERTY_LABELS[name](row.properties)) addLabel(labels[name], label, document);
  }
}

function addLabel(documents: DocumentsByLabel, label: string, document: DocumentNumber): void {
  const known = documents.get(label);
  if (known === undefined) documents.set(label, [document]);
  else known.push(document);
}

/** @param list slugs, a JSON array */
function addSlugs(documents: DocumentsByLabel, list: string, document: DocumentNumber): void {
  if (list === '[]') return;
  for (const slug of JSON.parse(list) as string[]) addLabel(documents, slug, document);
}

/** The key of skills that no model may call, among the labels `invocable`. */
export const NOT_INVOCABLE = 'false';

/** The labels of the columns that are read from properties. */
export const PROPERTY_LABELS_NAMES = ['licenses', 'installations', 'invocable'] as const;
export type PropertyLabelsName = (typeof PROPERTY_LABELS_NAMES)[number];

const NAMES: readonly RowLabelsName[] = ['categories', 'occupations', 'authors', ...PROPERTY_LABELS_NAMES];

/** The labels that follow from the properties of a skill: JSON, as `toColumns` writes it. */
const PROPERTY_LABELS: Readonly<Record<PropertyLabelsName, (properties: string) => readonly string[]>> = {
  licenses: (properties) => {
    const key = licenseKey(storedLicense(properties) ?? '');
    return key === undefined || key === '' ? [] : [key];
  },
  installations: (properties) => {
    const keys = storedInstallations(properties).map(({ agent, scope }) => installationKey(agent, scope));
    return [...new Set(keys)];
  },
  invocable: (properties) => (storedInvocable(properties) ? [] : [NOT_INVOCABLE]),
};

/**
 * Stands in a record before the author. Quotation marks inside a text have a backslash, so this stands nowhere else.
 */
const BEFORE_AUTHOR = '"author":"';

/**
 * The author in a record, read without the rest of it: parsing the records of a large catalogue takes half a second.
 *
 * @param record JSON of a skill, as `toColumns` writes it
 */
export function recordAuthor(record: string): string {
  const start = record.indexOf(BEFORE_AUTHOR) + BEFORE_AUTHOR.length;
  const author = start < BEFORE_AUTHOR.length ? '\\' : record.slice(start, record.indexOf('"', start));
  return author.includes('\\') ? (JSON.parse(record) as { readonly author: string }).author : author;
}

/**
 * The installations in the properties of a skill, with their paths; empty if there are none. Properties that have none
 * are not parsed: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
export function storedInstallations(properties: string): readonly SkillInstallation[] {
  if (!properties.includes('"installations":[')) return [];
  // Its metadata may have a list of this name, too.
  const { installations } = JSON.parse(properties) as { readonly installations?: readonly SkillInstallation[] };
  return Array.isArray(installations) ? installations : [];
}

/** An installation as everybody may see it. */
export function withoutPath({ agent, scope, plugin }: SkillInstallation): SkillInstallation {
  return { agent, scope, ...(plugin !== undefined && { plugin }) };
}

/**
 * Whether a model may call a skill, by its properties.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
export function storedInvocable(properties: string): boolean {
  if (!properties.includes('"invocable":false')) return true;
  // Its metadata may say the same, which means nothing.
  return (JSON.parse(properties) as { readonly invocable?: unknown }).invocable !== false;
}

/** How the properties of a skill with a licence begin. */
const BEFORE_LICENSE = '{"license":"';

/**
 * The licence in the properties of a skill, read without the rest of them: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 * @returns undefined if there is none
 */
export function storedLicense(properties: string): string | undefined {
  if (!properties.includes('"license":')) return undefined;
  const end = properties.startsWith(BEFORE_LICENSE) ? properties.indexOf('"', BEFORE_LICENSE.length) : -1;
  const license = properties.slice(BEFORE_LICENSE.length, end);
  if (end >= 0 && !license.includes('\\')) return license;
  const { license: value } = JSON.parse(properties) as { readonly license?: unknown };
  return typeof value === 'string' ? value : undefined;
}
