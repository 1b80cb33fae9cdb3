import { Database } from '../../src/store/sqlite.js';

/** A whole load forgets the states, or, where it only removes, what went with its own. */
const STATES = `
  SELECT count(*) FROM state
  WHERE sequence = (SELECT max(sequence) FROM state) AND sequence NOT IN (SELECT gone FROM forgotten)`;

/** Whether the last change of a catalogue was one in place. */
export function lastChangeInPlace(path: string): boolean {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare<[], number>(STATES).pluck().get() !== 0;
  } finally {
    database.close();
  }
}
