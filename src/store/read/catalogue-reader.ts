import type { Skill, SkillDetails, SkillFile, SkillProperties } from '../../skill.js';
import type { Connection, Statement } from '../../sqlite/connection.js';
import { openForReading, storeError } from '../database.js';
import { readMeta } from '../meta.js';
import { type CatalogueColumns, type PackedColumns, readColumns, unpackColumns } from './columns.js';
import { VectorReader } from './vector-reader.js';

/**
 * The stamp of a catalogue, without reading what a {@link CatalogueReader} holds of it.
 *
 * @throws {SkillSearchError} where there is no catalogue that can be read
 */
export function readStamp(path: string): string {
  const connection = openForReading(path);
  try {
    return stampIn(connection);
  } catch (error) {
    throw storeError(error, path, 'read');
  } finally {
    connection.close();
  }
}

function stampIn(connection: Connection): string {
  return readMeta(connection, 'stamp') ?? '';
}

/** Stands for "no vector" among places of vectors. */
export const NO_VECTOR = -1;

/** Record, categories, occupations. */
type SkillTexts = [record: string, categories: string, occupations: string];

interface SkillRow {
  readonly number: number;
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly properties: string;
}

interface FileRow {
  readonly filename: string;
  readonly text: string;
}

/**
 * A finished catalogue, read-only. Skills are numbered from 0 in the order of their last update, latest first (then by
 * id): these document numbers are what everything else works with; a record is read for the page that is shown.
 */
export class CatalogueReader {
  readonly stamp: string;
  /** Those of a catalogue in memory come when they are first needed. */
  readonly vectors: VectorReader;
  readonly #connection: Connection;
  readonly #path: string;
  #packed: PackedColumns | undefined;
  #columns: CatalogueColumns | undefined;
  readonly #inTransaction: (work: () => unknown) => unknown;
  readonly #record: Statement<[number: number], string>;
  readonly #skill: Statement<[number: number], SkillTexts>;
  readonly #byId: Statement<[id: string], SkillRow>;
  readonly #files: Statement<[skill: number], FileRow>;
  readonly #filenames: Statement<[skill: number], string>;
  readonly #file: Statement<[skill: number, filename: string], FileRow>;
  readonly #skillCount: Statement<[], number>;
  readonly #fileCount: Statement<[], number>;
  readonly #first: Statement<[], SkillRow>;
  readonly #id: Statement<[number: number], string>;
  readonly #ids: Statement<[], string>;

  /** @throws {SkillSearchError} where there is no catalogue that can be read */
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
    this.#record = connection.prepare<[number], string>('SELECT record FROM skill WHERE number = ?').pluck();
    this.#skill = connection
      .prepare<[number], SkillTexts>('SELECT record, categories, occupations FROM skill WHERE number = ?')
      .raw();
    this.#byId = connection.prepare(`${row} WHERE id = ?`);
    this.#files = connection.prepare('SELECT filename, text FROM file WHERE skill = ? ORDER BY position');
    this.#filenames = connection
      .prepare<[number], string>('SELECT filename FROM file WHERE skill = ? ORDER BY position')
      .pluck();
    this.#file = connection.prepare('SELECT filename, text FROM file WHERE skill = ? AND filename = ?');
    this.#skillCount = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck();
    this.#fileCount = connection.prepare<[], number>('SELECT count(*) FROM file').pluck();
    this.#first = connection.prepare(`${row} LIMIT 1`);
    this.#id = connection.prepare<[number], string>('SELECT id FROM skill WHERE number = ?').pluck();
    this.#ids = connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck();
    this.stamp = stampIn(connection);
    this.vectors = new VectorReader(connection, path);
  }

  /** Read when they are first asked for, unless they were given by {@link useColumns}. */
  get columns(): CatalogueColumns {
    this.#columns ??= unpackColumns(this.packedColumns);
    return this.#columns;
  }

  get packedColumns(): PackedColumns {
    this.#packed ??= this.#guard(() => readColumns(this.#connection));
    return this.#packed;
  }

  /** Takes the columns from elsewhere: those of the same state of the catalogue. */
  useColumns(columns: PackedColumns): void {
    this.#packed = columns;
    this.#columns = undefined;
  }

  /** The skill of a document number. */
  skill(number: number): Skill {
    return this.#guard(() => {
      const [record, categories, occupations] = this.#skill.get(this.columns.rows[number]!) as SkillTexts;
      return toSkill(record, categories, occupations);
    });
  }

  /** The JSON text of a skill's eight fields, as stored. */
  record(number: number): string {
    return this.#guard(() => this.#record.get(this.columns.rows[number]!) as string);
  }

  /** The text of a skill's files, in order. */
  texts(number: number): FileRow[] {
    return this.#guard(() => this.#files.all(this.columns.rows[number]!));
  }

  get(id: string): SkillDetails | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      if (row === undefined) return undefined;
      const { record, categories, occupations } = row;
      return { ...toSkill(record, categories, occupations), ...(JSON.parse(row.properties) as SkillProperties) };
    });
  }

  files(id: string): SkillFile[] {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      const files = row === undefined ? [] : this.#files.all(row.number);
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
   * For each document the place of its vector in an ascending list of vector numbers, or {@link NO_VECTOR}. Gives way
   * to the event loop now and then.
   */
  async vectorPlaces(keys: Float64Array, signal?: AbortSignal): Promise<Int32Array> {
    const placeOf = new Map<number, number>();
    for (const [place, key] of keys.entries()) placeOf.set(key, place);
    const documentOf = new Map<number, number>();
    for (const [document, number] of this.columns.rows.entries()) documentOf.set(number, document);
    const places = new Int32Array(this.columns.size).fill(NO_VECTOR);
    for await (const [skill, vector] of this.vectors.ofSkills(signal)) {
      places[documentOf.get(skill) as number] = placeOf.get(vector) ?? NO_VECTOR;
    }
    return places;
  }

  /** Does work that reads several records under one lock of the file: for one each that takes longer than the reading. */
  reading<T>(work: () => T): T {
    return this.#guard(() => this.#inTransaction(work) as T);
  }

  /** Without reading the columns for it. */
  countSkills(): number {
    return this.#columns?.size ?? this.#guard(() => this.#skillCount.get() as number);
  }

  /** The document number of a skill. */
  numberOf(id: string): number | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      return row === undefined ? undefined : this.columns.rows.indexOf(row.number);
    });
  }

  /** The ids of some documents. */
  idsOf(numbers: readonly number[]): string[] {
    return this.#guard(() => numbers.map((number) => this.#id.get(this.columns.rows[number]!) as string));
  }

  /** All ids, in code-point order. */
  ids(): string[] {
    return this.#guard(() => this.#ids.all());
  }

  countFiles(): number {
    return this.#guard(() => this.#fileCount.get() as number);
  }

  /** Asks for a skill; returns if the file answers, also where there is none. */
  check(): void {
    this.#guard(() => this.#first.get());
  }

  close(): void {
    this.#connection.close();
    // They may lie in the memory of a whole index.
    this.#packed = undefined;
    this.#columns = undefined;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.#path, 'read');
    }
  }
}

function toSkill(record: string, categories: string, occupations: string): Skill {
  const skill = JSON.parse(record) as Skill;
  // Added in place: a copy of each of the skills of a page takes as long as reading its labels.
  return Object.assign(skill, { categories: toLabels(categories), occupations: toLabels(occupations) });
}

function toLabels(list: string): string[] {
  return list === '[]' ? [] : (JSON.parse(list) as string[]);
}
