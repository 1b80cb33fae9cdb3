import type { SkillNumber } from '../../core/index.js';
import { checksumsOf, fileChecksum } from '../checksums.js';
import { filenamesOf, type StoredFileRow, type StoredRow } from '../read/stored-row.js';
import type { Connection, Statement } from '../sqlite/connection.js';

/** Writes the checksums of skills that are stored without. */
export class SkillSeal {
  readonly #skill: Statement<[record: number, shown: number, whole: number, skill: SkillNumber], unknown>;
  readonly #file: Statement<[checksum: number, skill: SkillNumber, position: number], unknown>;

  constructor(connection: Connection) {
    this.#skill = connection.prepare(
      'UPDATE main.skill SET record_checksum = ?, shown_checksum = ?, checksum = ? WHERE number = ?',
    );
    this.#file = connection.prepare('UPDATE main.file SET checksum = ? WHERE skill = ? AND position = ?');
  }

  /** @param row and files as they are stored, known to be right */
  write(row: StoredRow, files: readonly StoredFileRow[]): void {
    const { record, shown, whole } = checksumsOf(row, filenamesOf(files));
    this.#skill.run(record, shown, whole, row.number);
    for (const { position, filename, stored } of files) {
      this.#file.run(fileChecksum(row.number, position, files.length, filename, stored), row.number, position);
    }
  }
}
