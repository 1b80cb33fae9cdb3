import { isDamage, type SkillNumber } from '../../core/index.js';
import type { Skill } from '../../skill.js';
import { type CheckedColumns, DerivedLabels, fileChecksum, rowChecksum } from '../checksums.js';
import { corruptAsMissing, damagedError, guarded, isCorrupt, openForReading, storeError } from '../database.js';
import { checkNotes, readMeta } from '../notes.js';
import { isStoredText, type StoredText, textOf } from '../packing.js';
import { OpenedState } from '../revisions.js';
import { DOCUMENT_ORDER } from '../schema.js';
import type { Connection, Statement } from '../sqlite.js';
import type { RecordFields } from '../stored-skill.js';

/** Everything that is stored of a skill in its row. */
export interface StoredRow extends CheckedColumns {
  readonly checksum: number | null;
}

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

/** Reads all that is stored of skills, and says whether it is as it was written. */
export class StoredRows {
  readonly numbers: Statement<[], SkillNumber>;
  readonly #row: Statement<[skill: SkillNumber], StoredRow>;
  readonly #files: Statement<[skill: SkillNumber], StoredFileRow>;

  constructor(connection: Connection) {
    this.numbers = connection.prepare<[], SkillNumber>('SELECT number FROM skill NOT INDEXED ORDER BY number').pluck();
    this.#row = connection.prepare(`
      SELECT number, id, stars, updated_at AS updatedAt, record, categories, occupations, properties,
        copy_key AS copyKey, place, text_hash AS textHash, hash, tags, checksum
      FROM skill WHERE number = ?`);
    this.#files = connection.prepare(
      'SELECT position, filename, text AS stored, checksum FROM file WHERE skill = ? ORDER BY position',
    );
  }

  row(skill: SkillNumber): StoredRow | undefined {
    return this.#row.get(skill);
  }

  /** The row of a skill if it is as it was written, its files aside. */
  wholeRow(skill: SkillNumber): StoredRow | undefined {
    const row = corruptAsMissing(() => this.row(skill));
    return row !== undefined && isRowWhole(row) ? row : undefined;
  }

  /** The files of a skill, in order. */
  files(skill: SkillNumber): StoredFileRow[] {
    return this.#files.all(skill);
  }

  /** Whether a skill and its files are as they were written, or there is no such skill. */
  isWhole(skill: SkillNumber): boolean {
    const isWhole = corruptAsMissing(() => {
      const row = this.row(skill);
      return row === undefined || (isRowWhole(row) && faultOfFiles(skill, this.files(skill)) === undefined);
    });
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
}

function isRowWhole(row: StoredRow): boolean {
  return isTyped(row) && rowChecksum(row) === row.checksum;
}

/** Damage can change the type of a value. */
function isTyped(row: StoredRow): boolean {
  const { id, record, categories, occupations, tags, properties, copyKey, place, textHash, hash } = row;
  const texts: unknown[] = [id, record, categories, occupations, tags, properties, copyKey, place];
  return texts.every((text) => typeof text === 'string') && Buffer.isBuffer(textHash) && Buffer.isBuffer(hash);
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

/** Reads skills and the texts of their files for an answer. All that is read is checked. */
export class SkillStatements {
  readonly #path: string;
  readonly #rows: StoredRows;
  readonly #id: Statement<[skill: SkillNumber], unknown>;
  readonly #number: Statement<[id: string], SkillNumber>;
  readonly #derived: DerivedLabels | undefined;
  /**
   * The record that was read last: texts of a skill are mostly read after it. The number of a skill names its state.
   */
  #last: { readonly skill: SkillNumber; readonly record: string } | undefined;

  constructor(connection: Connection, path: string, rows: StoredRows = new StoredRows(connection)) {
    this.#path = path;
    this.#rows = rows;
    this.#derived = DerivedLabels.in(connection);
    this.#id = connection.prepare<[SkillNumber], unknown>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#number = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
  }

  /**
   * The record of a skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  record(skill: SkillNumber): string {
    return this.guard(skill, () => this.#wholeRow(skill)?.record);
  }

  /**
   * A skill that is there.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  skill(skill: SkillNumber): Skill {
    return this.guard(skill, () => {
      const row = this.#wholeRow(skill);
      const derived = row === undefined ? undefined : this.derivedLabels(skill, row.hash);
      return row === undefined || derived === undefined ? undefined : toSkill(row, derived);
    });
  }

  /** The derived labels of a skill, as a JSON array; undefined if they are not as they were written. */
  derivedLabels(skill: SkillNumber, hash: Buffer): string | undefined {
    return this.#derived === undefined ? '[]' : this.#derived.of(skill, hash);
  }

  /**
   * The files of a skill, in order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  files(skill: SkillNumber): StoredFile[] {
    return this.guard(skill, () => {
      const rows = this.#rows.files(skill);
      if (faultOfFiles(skill, rows) !== undefined) return undefined;
      if (rows.every(({ stored }) => typeof stored === 'string')) {
        return rows.map(({ filename, stored }) => ({ filename, text: stored as string }));
      }
      // A text was packed with the record of its skill.
      const record = this.#last?.skill === skill ? this.#last.record : this.#wholeRow(skill)?.record;
      if (record === undefined) return undefined;
      return rows.map(({ filename, stored }) => packedFile(filename, stored, record, this.#path));
    });
  }

  /**
   * One file of a skill that is there; undefined if it has none of this name.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  file(skill: SkillNumber, filename: string): StoredFile | undefined {
    const [file] = this.guard(skill, () => {
      const rows = this.#rows.files(skill);
      const row = rows.find((candidate) => candidate.filename === filename);
      // A name that is not there may be one that has changed.
      if (row === undefined) return faultOfFiles(skill, rows) === undefined ? [] : undefined;
      const record = isFileWhole(skill, row, rows.length) ? this.#wholeRow(skill)?.record : undefined;
      return record === undefined ? undefined : [packedFile(filename, row.stored, record, this.#path)];
    });
    return file;
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

  #wholeRow(skill: SkillNumber): StoredRow | undefined {
    const row = this.#rows.row(skill);
    if (row === undefined || !isRowWhole(row)) return undefined;
    this.#last = { skill, record: row.record };
    return row;
  }
}

/**
 * Files with their texts unpacked, for callers that look at all of them.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function unpacked(files: readonly StoredFile[]): StoredFile[] {
  return files.map(({ filename, text }) => ({ filename, text }));
}

/** A file whose text is unpacked when it is first read: few texts of a page are looked at. */
function packedFile(filename: string, stored: StoredText, record: string, path: string): StoredFile {
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
 * The skill of a row.
 *
 * @param derived its derived labels: a JSON array
 */
export function toSkill({ record, categories, occupations, tags }: StoredRow, derived: string): Skill {
  // Added in place: copying each skill of a page would take as long as reading its labels.
  return Object.assign(JSON.parse(record) as RecordFields, {
    categories: toLabels(categories),
    occupations: toLabels(occupations),
    tags: toLabels(tags),
    ...(derived === '[]' ? undefined : { derivedCategories: toLabels(derived) }),
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
  readonly #statements: SkillStatements;
  readonly #opened: OpenedState;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueTexts {
    const connection = openForReading(path);
    try {
      // At once: a small change may come between two statements.
      return connection.transaction(() => {
        checkNotes(connection, path);
        return new CatalogueTexts(connection, path);
      })();
    } catch (error) {
      connection.close();
      throw storeError(error, path, 'read');
    }
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.#opened = new OpenedState(connection, path, this.stamp);
    this.#statements = new SkillStatements(connection, path);
  }

  documents(): StoredDocuments {
    return guarded(this.#path, 'read', () => {
      // Not by count(*), which asks an index.
      const statement = this.#connection
        .prepare<[], [SkillNumber, Buffer]>(`SELECT number, hash FROM skill NOT INDEXED ORDER BY ${DOCUMENT_ORDER}`)
        .raw();
      const readAll = this.#connection.transaction(() => {
        this.#opened.settle();
        return statement.all();
      });
      const all = readAll();
      const size = all.length;
      const skills = new Float64Array(size);
      const hashes = new Uint32Array(2 * size);
      for (const [document, [skill, hash]] of all.entries()) {
        skills[document] = skill;
        // Damage can make anything of it. Zeros make the skill count as changed.
        if (!Buffer.isBuffer(hash) || hash.length < 8) continue;
        hashes[2 * document] = hash.readUInt32LE(0);
        hashes[2 * document + 1] = hash.readUInt32LE(4);
      }
      return { skills, hashes };
    });
  }

  /**
   * Reads skills and their files, in the given order, under one lock of the file.
   *
   * @param visit called for each; with undefined for one that is damaged
   */
  visit(skills: Float64Array, visit: (item: StoredTexts | undefined) => void): void {
    const readAll = this.#connection.transaction(() => {
      this.#opened.settle();
      for (const number of skills) visit(this.#read(number));
    });
    guarded(this.#path, 'read', readAll);
  }

  #read(number: SkillNumber): StoredTexts | undefined {
    try {
      return { skill: this.#statements.skill(number), files: unpacked(this.#statements.files(number)) };
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }
}
