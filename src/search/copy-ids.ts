import { allCopiesOf } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import type { DocumentNumber } from '../numbers.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';

/**
 * The ids of a document and its copies, in the order in which a search prefers them.
 *
 * @param limit how many at most; all by default
 */
export function copyIds(reader: CatalogueReader, document: DocumentNumber, limit?: number): string[] {
  const { columns } = reader;
  const copies = allCopiesOf([document], columns.copyGroup).sort(copyPreference(columns));
  return reader.idsOf(copies.slice(0, limit));
}
