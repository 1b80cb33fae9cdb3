import { crc32 } from 'node:zlib';
import type { SkillNumber } from '../../core/index.js';
import {
  type CheckedColumns,
  COVERED_BYTES,
  checksumsOf,
  fileBytesChecksum,
  fileChecksum,
  recordChecksum,
} from '../checksums.js';
import { corruptAsMissing } from '../database.js';
import { unpackRecord } from '../packed-record.js';
import { isStoredText, type StoredText, textOf } from '../packed-text.js';
import type { Connection, Statement } from '../sqlite/connection.js';

/** Everything that is stored of a skill in its row. */
export interface StoredRow extends CheckedColumns {
  readonly recordChecksum: number | null;
  readonly shownChecksum: number | null;
  readonly checksum: number | null;
}

export interface StoredFileRow {
  readonly position: number;
  readonly filename: string;
  /** As it is stored. Damage can change its type. */
  readonly stored: StoredText;
  readonly checksum: number | null;
}

/** Reads all that is stored of skills, and says whether it is as it was written. */
export class StoredRows {
  readonly numbers: Statement<[], SkillNumber>;
  readonly #connection: Connection;
  /** Stands before the names of tables. */
  readonly #from: string;
  readonly #row: Statement<[skill: SkillNumber], StoredRow>;
  readonly #files: Statement<[skill: SkillNumber], StoredFileRow>;
  readonly #filenames: Statement<[skill: SkillNumber], string>;
  #bytes: ReturnType<typeof bytesOf> | undefined;

  /** @param schema of the database to read from, if several are attached */
  constructor(connection: Connection, schema: 'main' | 'base' = 'main') {
    this.#connection = connection;
    // A view of the connection may stand for a table of the file; see `OpenedState`.
    this.#from = schema === 'main' ? '' : `${schema}.`;
    this.numbers = connection
      .prepare<[], SkillNumber>(`SELECT number FROM ${this.#from}skill NOT INDEXED ORDER BY number`)
      .pluck();
    this.#row = connection.prepare(`
      SELECT number, id, stars, updated_at AS updatedAt, record, categories, occupations, properties,
        copy_key AS copyKey, place, text_hash AS textHash, hash, tags, record_checksum AS recordChecksum,
        shown_checksum AS shownChecksum, checksum
      FROM ${this.#from}skill WHERE number = ?`);
    this.#files = connection.prepare(`
      SELECT position, filename, text AS stored, checksum
      FROM ${this.#from}file WHERE skill = ? ORDER BY position`);
    this.#filenames = connection
      .prepare<[SkillNumber], string>(`SELECT filename FROM ${this.#from}file WHERE skill = ? ORDER BY position`)
      .pluck();
  }

  row(skill: SkillNumber): StoredRow | undefined {
    const row = this.#row.get(skill);
    const isPacked = row !== undefined && typeof row.record === 'string' && typeof row.place === 'string';
    return isPacked ? { ...row, record: unpackRecord(row.record, row) } : row;
  }

  /** The row of a skill if it is as it was written, its files aside. */
  wholeRow(skill: SkillNumber): StoredRow | undefined {
    const row = corruptAsMissing(() => this.row(skill));
    if (row === undefined) return undefined;
    const filenames = corruptAsMissing(() => this.filenames(skill));
    return filenames !== undefined && isRowWhole(row, filenames) ? row : undefined;
  }

  /** The names of a skill's files, in order. */
  filenames(skill: SkillNumber): string[] {
    return this.#filenames.all(skill);
  }

  /** The files of a skill, in order. */
  files(skill: SkillNumber): StoredFileRow[] {
    return this.#files.all(skill);
  }

  /**
   * Whether a skill and its files are as they were written, or there is no such skill. SQLite puts the values together,
   * and gives them as bytes: with a string for each value this would take three times as long.
   */
  isWhole(skill: SkillNumber): boolean {
    return corruptAsMissing(() => this.#fitsChecksums(skill)) === true;
  }

  #fitsChecksums(skill: SkillNumber): boolean {
    this.#bytes ??= bytesOf(this.#connection, this.#from);
    const row = this.#bytes.row.get(skill);
    if (row === undefined) return true;
    const [record, id, stars, updatedAt, place, labels, rest, recordSum, shownSum, sum] = row;
    if (![record, id, place].every((text) => typeof text === 'string')) return false;
    if (![labels, rest].every(Buffer.isBuffer)) return false;
    const files = this.#bytes.files.all(skill);
    if (files.length === 0) return false;
    let names = '';
    for (const [position, filename, bytes, type, checksum] of files) {
      if (type !== 'text' && type !== 'blob') return false;
      const found = fileBytesChecksum(skill, position, files.length, filename, bytes, type === 'blob');
      if (found !== checksum) return false;
      names += `\0${filename}`;
    }
    const shown = crc32(labels, recordSum ?? 0);
    const isRecord = recordChecksum(skill, unpackRecord(record, { id, stars, updatedAt, place })) === recordSum;
    return isRecord && shown === shownSum && crc32(names, crc32(rest, shown)) === sum;
  }

  /** @returns what is wrong with a skill or its files; undefined if they are as they were written */
  faultOf(row: StoredRow, files: readonly StoredFileRow[]): string | undefined {
    const fault = faultOfTypes(row, files);
    if (fault !== undefined) return fault;
    const { record, shown, whole } = checksumsOf(row, filenamesOf(files));
    if (record !== row.recordChecksum) return 'its record does not fit its checksum';
    if (shown !== row.shownChecksum) return 'its labels do not fit their checksum';
    if (files.length === 0) return 'its files are missing';
    const bad = files.find((file) => !isFileWhole(row, file, files.length));
    if (bad !== undefined) return `its file ${bad.filename} does not fit its checksum`;
    return whole === row.checksum ? undefined : 'its row does not fit its checksum';
  }
}

type RowBytes = [
  record: string,
  id: string,
  stars: number,
  updatedAt: number,
  place: string,
  labels: Buffer,
  rest: Buffer,
  recordChecksum: number | null,
  shownChecksum: number | null,
  checksum: number | null,
];
type FileBytes = [position: number, filename: string, bytes: Buffer, type: string, checksum: number | null];

/** Statements for the bytes that the checksums of `checksums.ts` cover. */
function bytesOf(
  connection: Connection,
  from: string,
): { row: Statement<[SkillNumber], RowBytes>; files: Statement<[SkillNumber], FileBytes> } {
  return {
    row: connection
      .prepare<[SkillNumber], RowBytes>(`
        SELECT record, id, stars, updated_at, place, ${COVERED_BYTES.join(', ')},
          record_checksum, shown_checksum, checksum FROM ${from}skill WHERE number = ?`)
      .raw(),
    files: connection
      .prepare<[SkillNumber], FileBytes>(`
        SELECT position, filename, CAST(text AS BLOB), typeof(text), checksum
        FROM ${from}file WHERE skill = ? ORDER BY position`)
      .raw(),
  };
}

export function filenamesOf(files: readonly { readonly filename: string }[]): string[] {
  return files.map(({ filename }) => filename);
}

/** Whether a row is as it was written, its files aside. */
function isRowWhole(row: StoredRow, filenames: readonly string[]): boolean {
  if (faultOfTypes(row, []) !== undefined) return false;
  const { record, shown, whole } = checksumsOf(row, filenames);
  return record === row.recordChecksum && shown === row.shownChecksum && whole === row.checksum;
}

/** @param row whose record is known to be right */
function isFileWhole({ number, record }: StoredRow, file: StoredFileRow, count: number): boolean {
  const { position, filename, stored, checksum } = file;
  if (!isStoredText(stored) || fileChecksum(number, position, count, filename, stored) !== checksum) return false;
  return textOf(stored, record) !== undefined;
}

/** Damage can change the type of a value. */
function faultOfTypes(row: StoredRow, files: readonly StoredFileRow[]): string | undefined {
  const { id, record, categories, occupations, tags, properties, copyKey, place, textHash, hash } = row;
  const texts: unknown[] = [id, record, categories, occupations, tags, properties, copyKey, place];
  for (const { filename, stored } of files) texts.push(filename, Buffer.isBuffer(stored) ? '' : stored);
  const isTyped = texts.every((text) => typeof text === 'string') && [textHash, hash].every(Buffer.isBuffer);
  return isTyped ? undefined : 'a value has the wrong type';
}
