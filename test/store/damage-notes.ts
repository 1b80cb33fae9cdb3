import { Database } from '../../src/store/sqlite.js';

/** Damages what a catalogue notes of itself, so that it cannot be opened. */
export function damageNotes(catalogue: string): void {
  const connection = new Database(catalogue);
  connection.exec("UPDATE meta SET value = '0' WHERE key = 'checksum'");
  connection.close();
}
