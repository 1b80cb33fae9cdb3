import type { SkillNumber } from '../../numbers.js';
import type { Connection, Statement } from '../../sqlite/connection.js';
import { fileChecksum } from '../checksums.js';
import { formatOf } from '../format.js';
import { packRecord } from '../packed-record.js';
import { packText, type StoredText } from '../packed-text.js';
import { StoredRows } from '../read/stored-row.js';
import { FORMAT_UNPACKED, FORMAT_VERSION } from '../schema.js';

/**
 * Packs the records and texts of a catalogue of the format before, inside the open transaction. A skill of which
 * anything is damaged stays as it is: it is as damaged as before, until a load brings it again.
 */
export function packCatalogue(connection: Connection): void {
  if (formatOf(connection) !== FORMAT_UNPACKED) return;
  const rows = new StoredRows(connection);
  const setRecord: Statement<[record: string, SkillNumber], unknown> = connection.prepare(
    'UPDATE skill SET record = ? WHERE number = ?',
  );
  const setText: Statement<[StoredText, checksum: number, SkillNumber, position: number], unknown> = connection.prepare(
    'UPDATE file SET text = ?, checksum = ? WHERE skill = ? AND position = ?',
  );
  for (const number of rows.numbers.all()) {
    if (!rows.isWhole(number)) continue;
    const row = rows.row(number)!;
    const files = rows.files(number);
    setRecord.run(packRecord(row.record, row), number);
    for (const { position, filename, stored } of files) {
      if (typeof stored !== 'string') continue;
      const packed = packText(stored, row.record);
      if (packed === stored) continue;
      setText.run(packed, fileChecksum(number, position, files.length, filename, packed), number, position);
    }
  }
  connection.pragma(`user_version = ${FORMAT_VERSION}`);
}
