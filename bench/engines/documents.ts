import { Database } from '../../src/store/sqlite.js';
import type { EngineDocument } from './engine.js';

/** The names and descriptions of all skills of a catalogue, by id. */
export function documentsOf(database: string): EngineDocument[] {
  const connection = new Database(database, { readonly: true });
  try {
    return connection
      .prepare<[], [string, string]>('SELECT id, record FROM skill ORDER BY id')
      .raw()
      .all()
      .map(([id, record]) => {
        const [, name, description] = JSON.parse(record) as [string, string, string];
        return { id, name, description };
      });
  } finally {
    connection.close();
  }
}
