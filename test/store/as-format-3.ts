import { Database } from '../../src/sqlite/connection.js';
import { fileChecksum } from '../../src/store/checksums.js';
import { writeFacts } from '../../src/store/facts.js';
import { StoredRows } from '../../src/store/read/stored-row.js';
import { textIn } from '../catalogue-file.js';

/** Makes of a catalogue what the version before would have written: nothing in it is packed. */
export function asFormat3(path: string): void {
  const database = new Database(path);
  const rows = new StoredRows(database);
  const setRecord = database.prepare('UPDATE skill SET record = ? WHERE number = ?');
  const setText = database.prepare('UPDATE file SET text = ?, checksum = ? WHERE skill = ? AND position = ?');
  database.exec('BEGIN');
  for (const number of rows.numbers.all()) {
    const { record } = rows.row(number)!;
    setRecord.run(record, number);
    const files = rows.files(number);
    for (const { position, filename, stored } of files) {
      const text = textIn(stored, record);
      setText.run(text, fileChecksum(number, position, files.length, filename, text), number, position);
    }
  }
  database.pragma('user_version = 3');
  writeFacts(database);
  database.exec('COMMIT');
  database.close();
}
