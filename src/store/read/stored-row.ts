import { crc32 } from 'node:zlib';
import { isDamage, type SkillNumber } from '../../core/index.js';
import type { Skill } from '../../skill.js';
import {
  type CheckedColumns,
  COVERED_BYTES,
  checksumsOf,
  DerivedLabels,
  fileBytesChecksum,
  fileChecksum,
  recordChecksum,
  shownChecksum,
} from '../checksums.js';
import { corruptAsMissing, damagedError, isCorrupt } from '../database.js';
import {
  isStoredText,
  type RecordFields,
  type StoredText,
  textOf,
  unpackRecord,
  unpackText,
  unpackWithFields,
} from '../packed.js';
import type { Connection, Statement } from '../sqlite.js';

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

function filenamesOf(files: readonly { readonly filename: string }[]): string[] {
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

/** A stored file of a skill. */
export interface StoredFile {
  readonly filename: string;
  /**
   * Unpacked when it is first read, which may be after the catalogue was closed.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED` if it was never packed right: what is stored was compared before
   */
  readonly text: string;
}

/** @template Text what a text is that damage may have made something else */
type RecordRow<Text = unknown> = [
  record: Text,
  id: string,
  stars: number,
  updatedAt: number,
  place: Text,
  checksum: number | null,
];
type ShownRow<Text = unknown> = [
  ...RecordRow<Text>,
  categories: Text,
  occupations: Text,
  tags: Text,
  shownChecksum: number | null,
  hash: Buffer | null,
];
type FileRow = [filename: unknown, stored: unknown, checksum: number | null];

/** The SQL that reads a skill and the text of its files, prepared once for each connection. All that is read is checked. */
export class SkillStatements {
  readonly #path: string;
  readonly #record: Statement<[skill: SkillNumber], RecordRow>;
  readonly #shown: Statement<[skill: SkillNumber], ShownRow>;
  readonly #files: Statement<[skill: SkillNumber], FileRow>;
  readonly #file: Statement<[{ readonly skill: SkillNumber; readonly position: number }], [...FileRow, count: number]>;
  readonly #id: Statement<[skill: SkillNumber], unknown>;
  readonly #number: Statement<[id: string], SkillNumber>;
  readonly #derived: DerivedLabels | undefined;
  /**
   * The record that was read last: texts of a skill are mostly read after it. The number of a skill names its state.
   */
  #last: { readonly skill: SkillNumber; readonly record: string } | undefined;

  constructor(connection: Connection, path: string) {
    this.#path = path;
    const recordColumns = 'record, id, stars, updated_at, place, record_checksum';
    this.#derived = DerivedLabels.in(connection);
    // Making a buffer takes a fifth of the time of reading such a row.
    const hash = this.#derived === undefined ? 'NULL' : 'hash';
    this.#record = connection
      .prepare<[SkillNumber], RecordRow>(`SELECT ${recordColumns} FROM skill WHERE number = ?`)
      .raw();
    this.#shown = connection
      .prepare<[SkillNumber], ShownRow>(`
        SELECT ${recordColumns}, categories, occupations, tags, shown_checksum, ${hash}
        FROM skill WHERE number = ?`)
      .raw();
    this.#files = connection
      .prepare<[SkillNumber], FileRow>('SELECT filename, text, checksum FROM file WHERE skill = ? ORDER BY position')
      .raw();
    this.#file = connection
      .prepare<[{ readonly skill: SkillNumber; readonly position: number }], [...FileRow, number]>(`
        SELECT filename, text, checksum, (SELECT count(*) FROM file WHERE skill = :skill)
        FROM file WHERE skill = :skill AND position = :position`)
      .raw();
    this.#id = connection.prepare<[SkillNumber], unknown>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#number = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
  }

  /**
   * The record of a skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  record(skill: SkillNumber): string {
    return this.guard(skill, () => this.#wholeRecord(skill));
  }

  /**
   * A skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  skill(skill: SkillNumber): Skill {
    return this.guard(skill, () => {
      const row = this.#shown.get(skill);
      if (row === undefined || !isText(row)) return undefined;
      const [record, id, stars, updatedAt, place, ofRecord, categories, occupations, tags, ofShown, hash] = row;
      const { record: whole, fields } = unpackWithFields(record, { id, stars, updatedAt, place });
      const checksum = recordChecksum(skill, whole);
      if (checksum !== ofRecord || shownChecksum(checksum, categories, occupations, tags) !== ofShown) {
        return undefined;
      }
      this.#last = { skill, record: whole };
      const derived = this.derivedLabels(skill, hash);
      return derived === undefined ? undefined : toSkill(fields, categories, occupations, tags, derived);
    });
  }

  /**
   * The derived labels of a skill, as a JSON array; undefined if they are not as they were written.
   *
   * @param hash of the skill; null goes for a catalogue that is not classified
   */
  derivedLabels(skill: SkillNumber, hash: Buffer | null): string | undefined {
    return this.#derived === undefined || hash === null ? '[]' : this.#derived.of(skill, hash);
  }

  /**
   * The files of a skill, in order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  files(skill: SkillNumber): StoredFile[] {
    return this.guard(skill, () => {
      const rows = this.#files.all(skill);
      if (rows.length === 0) return undefined;
      const files: StoredFile[] = [];
      for (const [position, row] of rows.entries()) {
        const file = this.#wholeFile(skill, position, rows.length, row);
        if (file === undefined) return undefined;
        files.push(file);
      }
      return files;
    });
  }

  /**
   * One file of a skill that is there.
   *
   * @param position among the files of the skill, from 0
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  file(skill: SkillNumber, position: number): StoredFile {
    return this.guard(skill, () => {
      const row = this.#file.get({ skill, position });
      if (row === undefined) return undefined;
      const [filename, stored, checksum, count] = row;
      return this.#wholeFile(skill, position, count, [filename, stored, checksum]);
    });
  }

  /** The record of a skill; undefined if it is not as it was written. */
  #wholeRecord(skill: SkillNumber): string | undefined {
    const [stored, id, stars, updatedAt, place, checksum] = this.#record.get(skill) ?? NO_RECORD;
    if (typeof stored !== 'string' || typeof place !== 'string') return undefined;
    const record = unpackRecord(stored, { id, stars, updatedAt, place });
    if (recordChecksum(skill, record) !== checksum) return undefined;
    this.#last = { skill, record };
    return record;
  }

  /** A file of a skill; undefined if it is not as it was written. */
  #wholeFile(skill: SkillNumber, position: number, count: number, row: FileRow): StoredFile | undefined {
    const [filename, stored, checksum] = row;
    if (typeof filename !== 'string' || !isStoredText(stored)) return undefined;
    if (fileChecksum(skill, position, count, filename, stored) !== checksum) return undefined;
    if (typeof stored === 'string') return { filename, text: stored };
    // A text was packed with the record of its skill.
    const record = this.#last?.skill === skill ? this.#last.record : this.#wholeRecord(skill);
    return record === undefined ? undefined : packedFile(filename, stored, record, this.#path);
  }

  /** The record of a skill, if it is whole. Does not fail. */
  recordOrUndefined(skill: SkillNumber): string | undefined {
    try {
      return this.record(skill);
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  /**
   * Reads something of a skill.
   *
   * @param read returns undefined if it is missing or does not fit its checksum
   * @throws {SkillSearchError} `DATABASE_DAMAGED`, with the id of the skill if that can be read
   */
  guard<T>(skill: SkillNumber, read: () => T | undefined): T {
    let cause: unknown;
    try {
      const found = read();
      if (found !== undefined) return found;
    } catch (error) {
      if (isDamage(error)) throw error;
      // JSON that does not parse is damage, too.
      if (!isCorrupt(error) && !(error instanceof SyntaxError)) throw error;
      cause = error;
    }
    const id = this.idOf(skill);
    const name = id === undefined ? `a skill (number ${skill})` : `the skill ${id}`;
    throw damagedError(this.#path, `what is stored of ${name} is not as it was written`, id, cause);
  }

  /** The id of a skill if it is certain: row and index have the same. */
  idOf(skill: SkillNumber): string | undefined {
    return corruptAsMissing(() => {
      const id = this.#id.get(skill);
      return typeof id === 'string' && this.#number.get(id) === skill ? id : undefined;
    });
  }
}

/**
 * Files with their texts unpacked, for whoever looks at all of them.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function unpacked(files: readonly StoredFile[]): StoredFile[] {
  return files.map(({ filename, text }) => ({ filename, text }));
}

const NO_RECORD: RecordRow = [undefined, '', 0, 0, undefined, null];

/** A file whose text is unpacked when it is first read: few texts of a page are looked at. */
function packedFile(filename: string, stored: Buffer, record: string, path: string): StoredFile {
  let text: string | undefined;
  return {
    filename,
    get text() {
      text ??= unpackText(stored, record);
      if (text === undefined) throw damagedError(path, `the text of a file ${filename} cannot be unpacked`);
      return text;
    },
  };
}

function isText(row: ShownRow): row is ShownRow<string> {
  return [0, 4, 6, 7, 8].every((column) => typeof row[column] === 'string');
}

/**
 * The skill in the columns of the table `skill`.
 *
 * @param fields of its record; the skill is made of this object
 * @param derived its derived labels: a JSON array
 */
export function toSkill(
  fields: RecordFields,
  categories: string,
  occupations: string,
  tags: string,
  derived: string = '[]',
): Skill {
  // Added in place: copying each skill of a page would take as long as reading its labels.
  return Object.assign(fields, {
    categories: toLabels(categories),
    occupations: toLabels(occupations),
    tags: toLabels(tags),
    ...(derived === '[]' ? undefined : { derivedCategories: toLabels(derived) }),
  });
}

function toLabels(list: string): string[] {
  return list === '[]' ? [] : (JSON.parse(list) as string[]);
}
