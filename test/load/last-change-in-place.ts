import { Database } from '../../src/store/sqlite.js';

/** Whether the last change of a catalogue was one in place: a whole load forgets the states. */
export function lastChangeInPlace(path: string): boolean {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare<[], number>('SELECT count(*) FROM state').pluck().get() !== 0;
  } finally {
    database.close();
  }
}
