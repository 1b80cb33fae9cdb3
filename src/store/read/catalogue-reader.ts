import type { DocumentNumber, SkillNumber, VectorNumber, VectorPlace } from '../../numbers.js';
import type { Skill, SkillDetails, SkillFile, SkillProperties } from '../../skill.js';
import type { Connection, Statement } from '../../sqlite/connection.js';
import { guarded, openForReading, storeError } from '../database.js';
import { readMeta } from '../meta.js';
import { folderAt } from '../place.js';
import { type CatalogueColumns, type PackedColumns, readColumns, unpackColumns } from './columns.js';
import { SkillStatements, type StoredFile, toSkill } from './skill-statements.js';
import { VectorReader } from './vector-reader.js';

/**
 * Reads the stamp of a catalogue, and nothing else of it.
 *
 * @throws {SkillSearchError} if there is no catalogue that can be read
 */
export function readStamp(path: string): string {
  const connection = openForReading(path);
  try {
    return guarded(path, 'read', () => stampIn(connection));
  } finally {
    connection.close();
  }
}

function stampIn(connection: Connection): string {
  return readMeta(connection, 'stamp') ?? '';
}

/** Marks a document without a vector. */
export const NO_VECTOR = -1;

interface SkillRow {
  readonly number: SkillNumber;
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly properties: string;
}

/**
 * A finished catalogue, read-only. Everything works with document numbers; a record is read only for the page that is
 * shown.
 */
export class CatalogueReader {
  readonly stamp: string;
  /** A catalogue in memory has none until they are first needed. */
  readonly vectors: VectorReader;
  readonly #connection: Connection;
  readonly #path: string;
  #packed: PackedColumns | undefined;
  #columns: CatalogueColumns | undefined;
  readonly #inTransaction: (work: () => unknown) => unknown;
  readonly #statements: SkillStatements;
  readonly #record: Statement<[skill: SkillNumber], string>;
  readonly #byId: Statement<[id: string], SkillRow>;
  readonly #filenames: Statement<[skill: SkillNumber], string>;
  readonly #file: Statement<[skill: SkillNumber, filename: string], StoredFile>;
  readonly #skillCount: Statement<[], number>;
  readonly #fileCount: Statement<[], number>;
  readonly #first: Statement<[], SkillRow>;
  readonly #id: Statement<[skill: SkillNumber], string>;
  readonly #ids: Statement<[], string>;
  #place: Statement<[id: string], string> | undefined;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueReader {
    const connection = openForReading(path);
    try {
      return new CatalogueReader(connection, path);
    } catch (error) {
      connection.close();
      throw storeError(error, path, 'read');
    }
  }

  constructor(connection: Connection, path = 'the catalogue in memory') {
    this.#connection = connection;
    this.#path = path;
    const row = 'SELECT number, record, categories, occupations, properties FROM skill';
    this.#inTransaction = connection.transaction((work) => work());
    this.#statements = new SkillStatements(connection);
    this.#record = connection.prepare<[SkillNumber], string>('SELECT record FROM skill WHERE number = ?').pluck();
    this.#byId = connection.prepare(`${row} WHERE id = ?`);
    this.#filenames = connection
      .prepare<[SkillNumber], string>('SELECT filename FROM file WHERE skill = ? ORDER BY position')
      .pluck();
    this.#file = connection.prepare('SELECT filename, text FROM file WHERE skill = ? AND filename = ?');
    this.#skillCount = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck();
    this.#fileCount = connection.prepare<[], number>('SELECT count(*) FROM file').pluck();
    this.#first = connection.prepare(`${row} LIMIT 1`);
    this.#id = connection.prepare<[SkillNumber], string>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#ids = connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck();
    this.stamp = stampIn(connection);
    this.vectors = new VectorReader(connection, path);
  }

  /** Read on first use, unless {@link useColumns} was called before. */
  get columns(): CatalogueColumns {
    this.#columns ??= unpackColumns(this.packedColumns);
    return this.#columns;
  }

  get packedColumns(): PackedColumns {
    this.#packed ??= this.#guard(() => readColumns(this.#connection));
    return this.#packed;
  }

  /**
   * Takes the columns from a derived file of the same state of the catalogue.
   *
   * @throws {DamagedArrayFileError} if they contradict each other; they are not taken then
   */
  useColumns(columns: PackedColumns): void {
    this.#columns = unpackColumns(columns);
    this.#packed = columns;
  }

  skill(document: DocumentNumber): Skill {
    return this.#guard(() => this.#statements.skill(this.#skillNumber(document)));
  }

  /** The JSON text of a skill's eight fields, as stored. */
  record(document: DocumentNumber): string {
    return this.#guard(() => this.#record.get(this.#skillNumber(document))!);
  }

  /** The files of a skill with their texts, in order. */
  texts(document: DocumentNumber): StoredFile[] {
    return this.#guard(() => this.#statements.files(this.#skillNumber(document)));
  }

  get(id: string): SkillDetails | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      if (row === undefined) return undefined;
      const { record, categories, occupations } = row;
      return { ...toSkill(record, categories, occupations), ...(JSON.parse(row.properties) as SkillProperties) };
    });
  }

  /** The folder that a skill was loaded from, absolute; undefined if it came from none, or there is no such skill. */
  folderOf(id: string): string | undefined {
    return this.#guard(() => {
      this.#place ??= this.#connection.prepare<[string], string>('SELECT place FROM skill WHERE id = ?').pluck();
      const place = this.#place.get(id);
      return place === undefined ? undefined : folderAt(place, this.#path);
    });
  }

  files(id: string): SkillFile[] {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      const files = row === undefined ? [] : this.#statements.files(row.number);
      return files.map((file) => ({ fileId: `${id}/${file.filename}`, ...file }));
    });
  }

  filenames(id: string): string[] {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      return row === undefined ? [] : this.#filenames.all(row.number);
    });
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      const file = row === undefined ? undefined : this.#file.get(row.number, filename);
      return file === undefined ? undefined : { fileId: `${id}/${filename}`, ...file };
    });
  }

  /**
   * For each document, the place of its vector among some vectors, or {@link NO_VECTOR}. Yields to the event loop
   * now and then.
   *
   * @param keys numbers of the vectors, ascending
   */
  async vectorPlaces(keys: Float64Array, signal?: AbortSignal): Promise<Int32Array> {
    const placeOf = new Map<VectorNumber, VectorPlace>();
    for (const [place, vector] of keys.entries()) placeOf.set(vector, place);
    const documentOf = new Map<SkillNumber, DocumentNumber>();
    for (const [document, skill] of this.columns.skillNumbers.entries()) documentOf.set(skill, document);
    const places = new Int32Array(this.columns.size).fill(NO_VECTOR);
    for await (const [skill, vector] of this.vectors.ofSkills(signal)) {
      places[documentOf.get(skill)!] = placeOf.get(vector) ?? NO_VECTOR;
    }
    return places;
  }

  /**
   * Runs work that reads several records, under one lock of the file. A lock for each would take longer than reading.
   */
  reading<T>(work: () => T): T {
    return this.#guard(() => this.#inTransaction(work) as T);
  }

  /** Does not read the columns. */
  countSkills(): number {
    return this.#columns?.size ?? this.#guard(() => this.#skillCount.get()!);
  }

  /** The document of a skill; undefined if there is no such skill. */
  documentOf(id: string): DocumentNumber | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      return row === undefined ? undefined : this.columns.skillNumbers.indexOf(row.number);
    });
  }

  idsOf(documents: readonly DocumentNumber[]): string[] {
    return this.#guard(() => documents.map((document) => this.#id.get(this.#skillNumber(document))!));
  }

  /** All ids, in code-point order. */
  ids(): string[] {
    return this.#guard(() => this.#ids.all());
  }

  countFiles(): number {
    return this.#guard(() => this.#fileCount.get()!);
  }

  /** Reads something. Returns if the file can be read, even if the catalogue is empty. */
  check(): void {
    this.#guard(() => this.#first.get());
  }

  close(): void {
    this.#connection.close();
    // They may be views of the memory of a whole index.
    this.#packed = undefined;
    this.#columns = undefined;
  }

  #skillNumber(document: DocumentNumber): SkillNumber {
    return this.columns.skillNumbers[document]!;
  }

  #guard<T>(work: () => T): T {
    return guarded(this.#path, 'read', work);
  }
}
