import { Database } from '../../src/sqlite/connection.js';

/** Only a whole load notes them. */
const FACTS = "SELECT count(*) FROM meta WHERE key = 'facts'";

/** Whether the last change of a catalogue was one in place. */
export function lastChangeInPlace(path: string): boolean {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare<[], number>(FACTS).pluck().get() === 0;
  } finally {
    database.close();
  }
}
