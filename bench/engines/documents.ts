import { type BesideRecord, fieldsOf } from '../../src/store/packed.js';
import { Database } from '../../src/store/sqlite.js';
import type { EngineDocument } from './engine.js';

/** The names and descriptions of all skills of a catalogue, by id. */
export function documentsOf(database: string): EngineDocument[] {
  const connection = new Database(database, { readonly: true });
  try {
    return connection
      .prepare<[], BesideRecord & { readonly record: string }>(
        'SELECT id, record, stars, updated_at AS updatedAt, place FROM skill ORDER BY id',
      )
      .all()
      .map(({ record, ...beside }) => {
        const { id, name, description } = fieldsOf(record, beside);
        return { id, name, description };
      });
  } finally {
    connection.close();
  }
}
