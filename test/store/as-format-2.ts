import { Database } from '../../src/sqlite/connection.js';
import { asFormat3 } from './as-format-3.js';

/** Takes from a catalogue what format 3 added. A few bytes differ from what an earlier version would have written. */
export function asFormat2(path: string, more = ''): void {
  asFormat3(path);
  const database = new Database(path);
  database.exec(`
    ALTER TABLE skill DROP COLUMN tags;
    ALTER TABLE skill DROP COLUMN record_checksum;
    ALTER TABLE skill DROP COLUMN shown_checksum;
    ALTER TABLE skill DROP COLUMN checksum;
    ALTER TABLE file DROP COLUMN checksum;
    ALTER TABLE vector DROP COLUMN checksum;
    ALTER TABLE text_signature DROP COLUMN checksum;
    DELETE FROM meta WHERE key IN ('facts', 'checksum');
    PRAGMA user_version = 2;
    ${more}`);
  database.close();
}
