import { isDamage, orUndefined, type SkillNumber } from '../../core/index.js';
import type { Skill } from '../../skill.js';
import { type CheckedColumns, fileChecksum, rowChecksum } from '../checksums.js';
import { damagedError, guarded, isCorrupt, openForReading, orClose } from '../database.js';
import { checkNotes, readMeta } from '../notes.js';
import { isStoredText, type StoredText, textOf } from '../packing.js';
import { OpenedState } from '../revisions.js';
import { DOCUMENT_ORDER, SKILL_COLUMNS } from '../schema.js';
import type { Connection, Statement } from '../sqlite.js';
import { fieldsOf } from '../stored-skill.js';

/** Everything that is stored of a skill in its row. */
export interface StoredRow extends CheckedColumns {
  readonly signature: Buffer;
  readonly checksum: number | null;
}

/** The values of {@link SKILL_COLUMNS}. */
type RowValues = [
  ...[number: SkillNumber, id: string, stars: number, updatedAt: number, record: string, categories: string],
  ...[occupations: string, tags: string, properties: string, copyKey: string, place: string, textHash: Buffer],
  ...[hash: Buffer, derived: string | null, signature: Buffer, checksum: number | null, contents: string | null],
];

export interface StoredFileRow {
  readonly position: number;
  readonly filename: string;
  /** As it is stored. Damage can change its type. */
  readonly stored: StoredText;
  readonly checksum: number | null;
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

/** Reads what is stored of skills and their files, and says whether it is as it was written. */
export class SkillRows {
  readonly #path: string;
  readonly #row: Statement<[skill: SkillNumber], RowValues>;
  readonly #files: Statement<[skill: SkillNumber], StoredFileRow>;
  readonly #id: Statement<[skill: SkillNumber], unknown>;
  readonly #number: Statement<[id: string], SkillNumber>;
  /**
   * The record that was read last: texts of a skill are mostly read after it. The number of a skill names its revision.
   */
  #last: { readonly skill: SkillNumber; readonly record: string } | undefined;

  /** @param path of the catalogue, for errors */
  constructor(connection: Connection, path: string) {
    this.#path = path;
    // Values alone: an object with a name for each takes half as long again, and every hit of a page is read.
    this.#row = connection
      .prepare<[SkillNumber], RowValues>(`SELECT ${SKILL_COLUMNS} FROM skill WHERE number = ?`)
      .raw();
    this.#files = connection.prepare(
      'SELECT position, filename, text AS stored, checksum FROM file WHERE skill = ? ORDER BY position',
    );
    this.#id = connection.prepare<[SkillNumber], unknown>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#number = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
  }

  /** As it is stored. */
  row(skill: SkillNumber): StoredRow | undefined {
    const values = this.#row.get(skill);
    if (values === undefined) return undefined;
    return {
      number: values[0],
      id: values[1],
      stars: values[2],
      updatedAt: values[3],
      record: values[4],
      categories: values[5],
      occupations: values[6],
      tags: values[7],
      properties: values[8],
      copyKey: values[9],
      place: values[10],
      textHash: values[11],
      hash: values[12],
      derived: values[13],
      signature: values[14],
      checksum: values[15],
      contents: values[16],
    };
  }

  /** As they are stored, in order. */
  fileRows(skill: SkillNumber): StoredFileRow[] {
    return this.#files.all(skill);
  }

  /** The row of a skill if it is as it was written, its files aside. */
  wholeRow(skill: SkillNumber): StoredRow | undefined {
    const row = orUndefined(() => this.row(skill), isCorrupt);
    if (row === undefined || !isRowWhole(row)) return undefined;
    this.#last = { skill, record: row.record };
    return row;
  }

  /** Whether a skill and its files are as they were written, or there is no such skill. */
  isWhole(skill: SkillNumber): boolean {
    const isWhole = orUndefined(() => {
      const row = this.row(skill);
      return row === undefined || (isRowWhole(row) && faultOfFiles(skill, this.fileRows(skill)) === undefined);
    }, isCorrupt);
    return isWhole === true;
  }

  /** @returns what is wrong with a skill or its files; undefined if they are as they were written */
  faultOf(row: StoredRow, files: readonly StoredFileRow[]): string | undefined {
    if (!isTyped(row)) return 'a value has the wrong type';
    if (!isRowWhole(row)) return 'its row does not fit its checksum';
    const fault = faultOfFiles(row.number, files);
    if (fault !== undefined) return fault;
    const packed = files.find(({ stored }) => textOf(stored, row.record) === undefined);
    return packed === undefined ? undefined : `the text of its file ${packed.filename} cannot be unpacked`;
  }

  /**
   * The row of a skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  known(skill: SkillNumber): StoredRow {
    return this.wholeRow(skill) ?? this.#throwDamaged(skill);
  }

  /**
   * The files of a skill, in order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  files(skill: SkillNumber): StoredFile[] {
    return this.#read(skill, () => {
      const rows = this.fileRows(skill);
      if (faultOfFiles(skill, rows) !== undefined) return undefined;
      if (rows.every(({ stored }) => typeof stored === 'string')) {
        return rows.map(({ filename, stored }) => ({ filename, text: stored as string }));
      }
      const record = this.#recordOf(skill);
      return record === undefined ? undefined : rows.map((row) => packedFile(row, record, this.#path));
    });
  }

  /**
   * One file of a skill that is there; undefined if it has none of this name.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  file(skill: SkillNumber, filename: string): StoredFile | undefined {
    const [file] = this.#read(skill, () => {
      const rows = this.fileRows(skill);
      const row = rows.find((candidate) => candidate.filename === filename);
      // A name that is not there may be one that has changed.
      if (row === undefined) return faultOfFiles(skill, rows) === undefined ? [] : undefined;
      const record = isFileWhole(skill, row, rows.length) ? this.#recordOf(skill) : undefined;
      return record === undefined ? undefined : [packedFile(row, record, this.#path)];
    });
    return file;
  }

  /** The id of a skill if it is certain: row and index have the same. */
  idOf(skill: SkillNumber): string | undefined {
    return orUndefined(() => {
      const id = this.#id.get(skill);
      return typeof id === 'string' && this.#number.get(id) === skill ? id : undefined;
    }, isCorrupt);
  }

  /** A text was packed with the record of its skill. */
  #recordOf(skill: SkillNumber): string | undefined {
    return this.#last?.skill === skill ? this.#last.record : this.wholeRow(skill)?.record;
  }

  /** @param read returns undefined if it is missing or does not fit its checksum */
  #read<T>(skill: SkillNumber, read: () => T | undefined): T {
    try {
      return read() ?? this.#throwDamaged(skill);
    } catch (error) {
      throw isCorrupt(error) ? this.#damaged(skill, error) : error;
    }
  }

  #throwDamaged(skill: SkillNumber): never {
    throw this.#damaged(skill);
  }

  #damaged(skill: SkillNumber, cause?: unknown): Error {
    const id = this.idOf(skill);
    const name = id === undefined ? `a skill (number ${skill})` : `the skill ${id}`;
    return damagedError(this.#path, `what is stored of ${name} is not as it was written`, id, cause);
  }
}

function isRowWhole(row: StoredRow): boolean {
  return isTyped(row) && rowChecksum(row) === row.checksum;
}

/** Damage can change the type of a value. */
function isTyped(row: StoredRow): boolean {
  const { id, record, categories, occupations, tags, properties, copyKey, place, derived, contents } = row;
  return (
    areTexts(id, record, categories, occupations, tags) &&
    areTexts(properties, copyKey, place, derived ?? '', contents ?? '') &&
    [row.textHash, row.hash, row.signature].every(Buffer.isBuffer)
  );
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

/** What is wrong with the files of a skill: each of its checksums covers how many there are. */
function faultOfFiles(skill: SkillNumber, files: readonly StoredFileRow[]): string | undefined {
  if (files.length === 0) return 'its files are missing';
  const bad = files.find((file, i) => file.position !== i || !isFileWhole(skill, file, files.length));
  return bad === undefined ? undefined : `its file ${bad.filename} does not fit its checksum`;
}

/** Damage can change the type of a value. */
function isFileWhole(
  skill: SkillNumber,
  { position, filename, stored, checksum }: StoredFileRow,
  count: number,
): boolean {
  const isTyped = typeof filename === 'string' && isStoredText(stored);
  return isTyped && fileChecksum(skill, position, count, filename, stored) === checksum;
}

/** A file whose text is unpacked when it is first read: few texts of a page are looked at. */
function packedFile({ filename, stored }: StoredFileRow, record: string, path: string): StoredFile {
  let text: string | undefined;
  return {
    filename,
    get text() {
      text ??= textOf(stored, record);
      if (text === undefined) throw damagedError(path, `the text of a file ${filename} cannot be unpacked`);
      return text;
    },
  };
}

/**
 * Files with their texts unpacked, for callers that look at all of them.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function unpacked(files: readonly StoredFile[]): StoredFile[] {
  return files.map(({ filename, text }) => ({ filename, text }));
}

/** The skill of a row. */
export function toSkill(row: StoredRow): Skill {
  const { categories, occupations, tags, derived } = row;
  return Object.assign(fieldsOf(row), {
    categories: toLabels(categories),
    occupations: toLabels(occupations),
    tags: toLabels(tags),
    ...(derived === null || derived === '[]' ? undefined : { derivedCategories: toLabels(derived) }),
  });
}

function toLabels(list: string): string[] {
  return list === '[]' ? [] : (JSON.parse(list) as string[]);
}

/** The skills of a catalogue, by document number. */
export interface StoredDocuments {
  /** Number of each skill in the database. */
  readonly skills: Float64Array;
  /** The first 8 bytes of each skill's hash, as two numbers. They change with anything that is stored of the skill. */
  readonly hashes: Uint32Array;
}

/** A skill and its files. */
export interface StoredTexts {
  readonly skill: Skill;
  readonly files: readonly StoredFile[];
}

/** A finished catalogue, read-only, for reading the texts of many skills. Holds none of them in memory. */
export class CatalogueTexts {
  readonly stamp: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #rows: SkillRows;
  readonly #opened: OpenedState;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueTexts {
    return openState(path, (connection) => new CatalogueTexts(connection, path));
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.#opened = new OpenedState(connection, path, this.stamp);
    this.#rows = new SkillRows(connection, path);
  }

  documents(): StoredDocuments {
    // Not by count(*), which asks an index.
    const statement = this.#connection
      .prepare<[], [SkillNumber, Buffer]>(`SELECT number, hash FROM skill ORDER BY ${DOCUMENT_ORDER}`)
      .raw();
    const all = this.#reading(() => statement.all());
    const skills = new Float64Array(all.length);
    const hashes = new Uint32Array(2 * all.length);
    for (const [document, [skill, hash]] of all.entries()) {
      skills[document] = skill;
      // Damage can make anything of it. Zeros make the skill count as changed.
      if (!Buffer.isBuffer(hash) || hash.length < 8) continue;
      hashes[2 * document] = hash.readUInt32LE(0);
      hashes[2 * document + 1] = hash.readUInt32LE(4);
    }
    return { skills, hashes };
  }

  /**
   * Reads skills and their files, in the given order, under one lock of the file.
   *
   * @param visit called for each; with undefined for one that is damaged
   */
  visit(skills: Float64Array, visit: (item: StoredTexts | undefined) => void): void {
    this.#reading(() => {
      for (const number of skills) visit(this.#read(number));
    });
  }

  #reading<T>(work: () => T): T {
    return guarded(this.#path, 'read', () => this.#opened.reading(work));
  }

  #read(number: SkillNumber): StoredTexts | undefined {
    const read = (): StoredTexts => ({
      skill: toSkill(this.#rows.known(number)),
      files: unpacked(this.#rows.files(number)),
    });
    return orUndefined(read, isDamage);
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens a finished catalogue at its present state.
 *
 * @param read makes of it what reads it, in one transaction: an incremental update may come between two statements
 * @throws {SkillSearchError} if there is no catalogue that can be read
 */
export function openState<T>(path: string, read: (connection: Connection) => T): T {
  const inState = (connection: Connection): T => {
    checkNotes(connection, path);
    return read(connection);
  };
  const connection = openForReading(path);
  return orClose(connection, connection.transaction(inState), path);
}
