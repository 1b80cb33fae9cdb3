import { topOf } from '../arrays/top.js';
import { copiesOf } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import type { DocumentNumber } from '../numbers.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';

/** The ids of a document and its copies from one place to another, in the order in which a search prefers them. */
export function copyIds(reader: CatalogueReader, document: DocumentNumber, from: number, to: number): string[] {
  const { columns } = reader;
  return reader.idsOf(topOf(copiesOf(document, columns.copyGroup), copyPreference(columns), from, to - from));
}
