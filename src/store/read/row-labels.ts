import type { DocumentNumber } from '../../core/index.js';
import { authorKey } from '../../core/index.js';
import { PROPERTY_LABELS, PROPERTY_LABELS_NAMES, type PropertyLabelsName } from './property-labels.js';
import { recordAuthor } from './record-author.js';
import type { StoredRow } from './stored-row.js';

/** The documents that have each label. */
export type DocumentsByLabel = Map<string, DocumentNumber[]>;

export type RowLabelsName = 'categories' | 'occupations' | 'authors' | PropertyLabelsName;

/** What filters and facets know of rows, by the name of the labels. */
export interface RowLabels extends Readonly<Record<RowLabelsName, DocumentsByLabel>> {
  /** How the first document of each author writes it, by its label. */
  readonly authorNames: Map<string, string>;
}

const NAMES: readonly RowLabelsName[] = ['categories', 'occupations', 'authors', ...PROPERTY_LABELS_NAMES];

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
