import type { DocumentNumber } from '../core/index.js';
import { topOf } from '../core/index.js';
import type { CatalogueReader } from '../store/index.js';
import { copiesOf, copyPreference } from '../store/index.js';

/** The ids of a document and its copies from one place to another, in the order in which a search prefers them. */
export function copyIds(reader: CatalogueReader, document: DocumentNumber, from: number, to: number): string[] {
  const { columns } = reader;
  return reader.idsOf(topOf(copiesOf(document, columns.copyGroup), copyPreference(columns), from, to - from));
}
