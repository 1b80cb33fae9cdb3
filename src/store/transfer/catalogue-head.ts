import { CLASSIFIER_KEY } from '../derived-labels.js';
import { readMeta } from '../meta.js';
import type { Connection } from '../sqlite/connection.js';
import type { CatalogueHead } from './catalogue-changes.js';

/** What a finished catalogue says of itself. */
export function headOf(connection: Connection): CatalogueHead {
  const model = connection
    .prepare<[], { readonly id: string; readonly dimensions: number }>(`
      SELECT id, dimensions FROM main.model
      WHERE id = (SELECT value FROM main.meta WHERE key = 'model') AND number IN (SELECT model FROM main.vector)`)
    .get();
  return { stamp: readMeta(connection, 'stamp') ?? '', model, classifier: readMeta(connection, CLASSIFIER_KEY) };
}
