import { Database } from '../../src/store/sqlite.js';
import type { EngineDocument } from './engine.js';

/** The names and descriptions of all skills of a catalogue, by id. */
export function documentsOf(database: string): EngineDocument[] {
  const connection = new Database(database, { readonly: true });
  try {
    return connection
      .prepare<[], string>('SELECT record FROM skill ORDER BY id')
      .pluck()
      .all()
      .map((record) => {
        const { id, name, description } = JSON.parse(record) as EngineDocument;
        return { id, name, description };
      });
  } finally {
    connection.close();
  }
}
